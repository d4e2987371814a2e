"""Law: the distance of two datasets is the least number of units to add, remove or change."""

from collections import Counter, deque
from collections.abc import Callable, Iterator
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from differential_privacy.errors import InvalidArgumentError, PrivateArgumentError
from differential_privacy.privacy import (
    AddRemoveRows,
    ChangeRows,
    Edges,
    Graph,
    Groups,
    Nodes,
    People,
    graphs,
    units,
)

ROWS = st.lists(st.sampled_from("abcd"), max_size=7)
OWNED = st.lists(st.tuples(st.sampled_from("xyz"), st.integers(0, 2)), max_size=6)
NAMES = "abcd"


def metric(distance: Callable, one: object, two: object, three: object) -> bool:
    return (
        distance(one, one) == 0
        and distance(one, two) == distance(two, one) >= 0
        and distance(one, three) <= distance(one, two) + distance(two, three)
    )


def shortest(start: object, goal: object, neighbors: Callable[[object], Iterator]) -> int:
    """Breadth-first search: the definition of the distance."""
    seen, queue = {start}, deque([(start, 0)])
    while queue:
        here, steps = queue.popleft()
        if here == goal:
            return steps
        for following in neighbors(here):
            if following not in seen:
                seen.add(following)
                queue.append((following, steps + 1))
    raise AssertionError


def test_mission_a1() -> None:
    assert AddRemoveRows().distance(["x1"], ["x1", "x2"]) == 1
    assert AddRemoveRows().distance(["x1"], ["x2"]) == 2
    assert ChangeRows().distance(["x1"], ["x2"]) == 1


@given(ROWS, ROWS, ROWS)
def test_adding_and_removing_rows_is_a_metric_on_multisets(
    one: list, two: list, three: list
) -> None:
    assert metric(AddRemoveRows().distance, one, two, three)
    assert (AddRemoveRows().distance(one, two) == 0) == (Counter(one) == Counter(two))
    assert AddRemoveRows().distance(one, [*one, "a"]) == 1
    assert AddRemoveRows().distance(iter(one), iter(two)) == AddRemoveRows().distance(one, two)


@given(
    st.integers(0, 6).flatmap(
        lambda n: st.tuples(*[st.lists(st.sampled_from("abcd"), min_size=n, max_size=n)] * 3)
    )
)
def test_changing_rows_is_a_metric_on_multisets_of_one_size(three: tuple) -> None:
    assert metric(ChangeRows().distance, *three)
    one, two, _ = three
    assert 2 * ChangeRows().distance(one, two) == AddRemoveRows().distance(one, two)
    assert (ChangeRows().distance(one, two) == 0) == (Counter(one) == Counter(two))


def test_changing_rows_is_the_least_number_of_changes() -> None:
    domain = "abc"

    def changed(rows: tuple) -> Iterator[tuple]:
        for place, value in product(range(len(rows)), domain):
            yield tuple(sorted((*rows[:place], value, *rows[place + 1 :])))

    all_rows = sorted({tuple(sorted(rows)) for rows in product(domain, repeat=3)})
    for one, two in product(all_rows, repeat=2):
        assert ChangeRows().distance(one, two) == shortest(one, two, changed)


def test_adding_and_removing_rows_is_the_least_number_of_both() -> None:
    def moved(rows: tuple) -> Iterator[tuple]:
        for place in range(len(rows)):
            yield rows[:place] + rows[place + 1 :]
        if len(rows) < 4:
            yield from (tuple(sorted((*rows, value))) for value in "ab")

    all_rows = sorted({tuple(sorted(r)) for n in range(4) for r in product("ab", repeat=n)})
    for one, two in product(all_rows, repeat=2):
        assert AddRemoveRows().distance(one, two) == shortest(one, two, moved)


def test_tables_of_two_sizes_are_refused_without_showing_rows() -> None:
    with pytest.raises(PrivateArgumentError) as refused:
        ChangeRows().distance(["secret"], ["secret", "b"])
    assert "secret" not in str(refused.value)


@given(OWNED, OWNED, OWNED)
def test_people_are_a_metric_and_never_farther_than_twice_the_people(
    one: list, two: list, three: list
) -> None:
    assert metric(People().distance, one, two, three)
    everyone = {person for person, _ in one + two}
    assert People().distance(one, two) <= 2 * len(everyone)
    assert People().distance(one, [row for row in one if row[0] != "x"]) <= 1


def test_people_come_and_go_with_all_of_their_rows() -> None:
    holdings = [(), (0,), (1,), (0, 0)]

    def moved(rows: tuple) -> Iterator[tuple]:
        for person in range(len(rows)):
            for held in holdings if not rows[person] else [()]:
                yield (*rows[:person], held, *rows[person + 1 :])

    def table(rows: tuple) -> list:
        return [(person, value) for person, held in enumerate(rows) for value in held]

    everything = list(product(holdings, repeat=2))
    for one, two in product(everything, repeat=2):
        assert People().distance(table(one), table(two)) == shortest(one, two, moved)


@given(ROWS, ROWS, ROWS, st.integers(1, 5))
def test_groups_are_a_metric_and_cover_the_distance(
    one: list, two: list, three: list, size: int
) -> None:
    groups = Groups(AddRemoveRows(), size=size)
    assert metric(groups.distance, one, two, three)
    single = AddRemoveRows().distance(one, two)
    assert (groups.distance(one, two) - 1) * size < single <= groups.distance(one, two) * size


@pytest.mark.parametrize("size", [0, -1, True, 1.5, "2", None])
def test_groups_of_no_whole_size_are_refused_by_name(size: object) -> None:
    with pytest.raises(InvalidArgumentError, match="size = "):
        Groups(AddRemoveRows(), size=size)


def all_graphs(names: str) -> list[Graph]:
    found = []
    for size in range(len(names) + 1):
        for nodes in combinations(names, size):
            pairs = list(combinations(nodes, 2))
            found += [
                Graph(nodes, [e for i, e in enumerate(pairs) if edges >> i & 1])
                for edges in range(1 << len(pairs))
            ]
    return found


def node_neighbors(graph: Graph) -> Iterator[Graph]:
    for node in graph.nodes:
        yield Graph(graph.nodes - {node}, [tuple(e) for e in graph.edges if node not in e])
    for node in set("abc") - graph.nodes:
        others = sorted(graph.nodes)
        for chosen in range(1 << len(others)):
            joined = [(node, other) for i, other in enumerate(others) if chosen >> i & 1]
            yield Graph(graph.nodes | {node}, [*map(tuple, graph.edges), *joined])


def edge_neighbors(graph: Graph) -> Iterator[Graph]:
    for pair in combinations(sorted(graph.nodes), 2):
        yield Graph(graph.nodes, map(tuple, graph.edges ^ {frozenset(pair)}))


def test_node_distance_is_the_shortest_path_between_any_two_small_graphs() -> None:
    everything = all_graphs("abc")
    for one, two in product(everything, repeat=2):
        assert Nodes().distance(one, two) == shortest(one, two, node_neighbors)


def test_edge_distance_is_the_shortest_path_between_any_two_small_graphs() -> None:
    everything = [graph for graph in all_graphs("abc") if len(graph.nodes) == 3]
    for one, two in product(everything, repeat=2):
        assert Edges().distance(one, two) == shortest(one, two, edge_neighbors)


GRAPHS = st.builds(
    lambda edges: Graph(range(7), edges),
    st.sets(st.sampled_from(list(combinations(range(7), 2)))),
)


@given(GRAPHS, GRAPHS, GRAPHS)
def test_graphs_are_metric(one: Graph, two: Graph, three: Graph) -> None:
    assert metric(Edges().distance, one, two, three)
    assert metric(Nodes().distance, one, two, three)
    assert Nodes().distance(one, two) <= 2 * Edges().distance(one, two)


@given(GRAPHS, GRAPHS)
def test_node_distance_counts_a_least_vertex_cover(one: Graph, two: Graph) -> None:
    differing = one.edges ^ two.edges
    cover = next(
        size
        for size in range(8)
        if any(
            all(edge & set(chosen) for edge in differing) for chosen in combinations(range(7), size)
        )
    )
    assert Nodes().distance(one, two) == 2 * cover


def test_bad_graphs_are_refused_without_being_shown() -> None:
    for edges in ([("a", "a")], [("a", "secret")], [("a", "b", "c")]):
        with pytest.raises(PrivateArgumentError) as refused:
            Graph("abc", edges)
        assert "secret" not in str(refused.value)
    with pytest.raises(PrivateArgumentError):
        Edges().distance(Graph("ab", []), Graph("abc", []))
    assert "ab" not in repr(Graph("ab", ["ab"])).replace("Graph", "")


def test_planted_change_one_counted_as_two_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        units, "_histogram_distance", lambda a, b: 2 * ((a - b).total() + (b - a).total())
    )
    assert ChangeRows().distance("x", "y") != 1


def test_planted_a_greedy_cover_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(edges: frozenset) -> int:
        edges, size = set(edges), 0
        while edges:
            first = min(edges, key=sorted)
            edges = {edge for edge in edges if not edge & first}
            size += 2
        return size

    monkeypatch.setattr(graphs, "_least_cover", greedy)
    star = Graph("abcd", ["ab", "ac", "ad"])
    assert Nodes().distance(star, Graph("abcd", [])) != 2


def test_planted_people_counted_by_rows_is_found() -> None:
    one, two = [("x", 0), ("x", 1)], []
    assume_wrong = AddRemoveRows().distance(one, two)
    assert assume_wrong != People().distance(one, two) == 1
