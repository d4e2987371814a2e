"""What a plan reads of public tables is remembered, for as long as these hold the same."""

from collections.abc import Iterator

import pytest
from tests.queries.hospital import RICH
from tests.queries.worlds import BOUNDED, HASHED, World, opened

from differential_privacy.curator import catalog
from differential_privacy.curator.catalog import Catalog
from differential_privacy.queries.parsing import parsed_question
from differential_privacy.queries.questions import read_question
from differential_privacy.sources.trees import Derived, Name, Query, Select

QUESTION = """
select count(*) from visits v join wards w using (ward) where w.floor > 0 group by w.ward, w.floor
"""
WITH_VALUE = QUESTION.replace("> 0", "> 0 and v.cost > (select max(zip) - 3 from zips)")


@pytest.fixture
def world() -> Iterator[World]:
    with opened(RICH.world()) as (world,):
        yield world


def counted(world: World, monkeypatch: pytest.MonkeyPatch) -> list[Query]:
    """Everything that the engine is asked from here on."""
    asked: list[Query] = []
    run = world.scanner.engine.run

    def noted(query: Query) -> object:
        asked.append(query)
        return run(query)

    monkeypatch.setattr(world.scanner.engine, "run", noted)
    return asked


def test_a_question_read_again_reads_no_table_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = Catalog(world.scanner)
    plain, valued = parsed_question(QUESTION), parsed_question(WITH_VALUE)
    for root in (plain, valued):
        assert read_question(root, sources, BOUNDED).groups == (("a", 1), ("b", 2))
    asked = counted(world, monkeypatch)
    for root, mode in ((plain, BOUNDED), (plain, HASHED), (valued, BOUNDED)):
        assert read_question(root, sources, mode).groups == (("a", 1), ("b", 2))
    assert asked == []


def test_a_plan_reads_public_tables_alone(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = counted(world, monkeypatch)
    read_question(parsed_question(WITH_VALUE), Catalog(world.scanner), HASHED)
    private = [world.scanner.scan(world.tables[name], ["cost"]).source for name in ("visits",)]
    assert asked
    assert not any(repr(source) in repr(query) for source in private for query in asked)


def test_what_is_remembered_does_not_grow_without_end(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "MOST_QUERIES", 2)
    sources = Catalog(world.scanner)
    for alias in ("a", "b", "c"):
        scan = Derived(world.scanner.scan(world.tables["wards"], ["floor"]), alias)
        query = Select((("floor", Name(alias, "floor")),), scan)
        assert sorted(map(repr, sources.public_rows(query, ["wards"])))
    assert len(sources._rows) == 1
