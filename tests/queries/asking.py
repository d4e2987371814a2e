"""Random questions about the hospital, good and bad: what they join, group, unite and compare."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from hypothesis import strategies as st
from tests.queries.hospital import TABLES

Draw = st.DrawFn
Known = Sequence[tuple[str, bool]]


@dataclass(frozen=True)
class Source:
    """Something that can stand in FROM, with its columns: whether each is a text."""

    sql: str
    columns: tuple[tuple[str, bool], ...]
    alias: str = ""

    def named(self, alias: str) -> "Source":
        return Source(f"{self.sql} as {alias}", self.columns, alias)

    def references(self) -> list[tuple[str, bool]]:
        return [(f"{self.alias}.{name}", text) for name, text in self.columns]


@dataclass
class Asking:
    """Draws the parts of one question; names stand once."""

    draw: Draw
    count: int = field(default=0)

    def name(self) -> str:
        self.count += 1
        return f"q{self.count}"

    def source(self, deep: int) -> Source:
        kinds = ["table", "table", "computed", "grouped", "united"] if deep else ["table"]
        kind = self.draw(st.sampled_from(kinds))
        if kind == "table":
            table = TABLES[self.draw(st.sampled_from(OFTEN))]
            listed = tuple((one.name, one.kind.value == "text") for one in table.columns)
            return Source(table.name, listed)
        if kind == "united":
            one, other = self.computed(deep - 1), self.computed(deep - 1)
            many = min(len(one.columns), len(other.columns))
            word = self.draw(st.sampled_from(["union all", "union all", "union"]))
            left, right = (self.first(each, many) for each in (one, other))
            return Source(f"({left} {word} {right})", one.columns[:many])
        return self.grouped(deep - 1) if kind == "grouped" else self.computed(deep - 1)

    def first(self, source: Source, many: int) -> str:
        names = ", ".join(name for name, _ in source.columns[:many])
        return f"select {names} from {source.sql} as {self.name()}"

    def computed(self, deep: int) -> Source:
        sources, rest = self.frame(deep)
        known = [one for source in sources for one in source.references()]
        picked = self.draw(st.lists(st.sampled_from(known), min_size=1, max_size=3))
        columns, listed = [], []
        for place, (column, text) in enumerate(picked):
            wide = "" if text else self.draw(st.sampled_from(["", "", " + 1", " // 2"]))
            columns.append(f"{column}{wide} as x{place}")
            listed.append((f"x{place}", text))
        distinct = self.draw(st.sampled_from(["", "", "", "distinct "]))
        return Source(f"(select {distinct}{', '.join(columns)} {rest})", tuple(listed))

    def grouped(self, deep: int) -> Source:
        sources, rest = self.frame(deep)
        known = [one for source in sources for one in source.references()]
        owners = [one for one in known if meaning(one[0]) in ("people", "orders")]
        keys = [self.draw(st.sampled_from(owners or known))]
        keys += self.draw(st.lists(st.sampled_from(known), max_size=1))
        numbers = [name for name, text in known if not text] or ["1"]
        number = self.draw(st.sampled_from(numbers))
        made = self.draw(
            st.sampled_from(
                [
                    *("count(*)", f"count({number})", f"sum({number})", f"max({number})"),
                    *(f"avg({number})", f"count(distinct {number})", f"min({number}) + 1"),
                    f"count(*) filter (where {number} > 1)",
                ]
            )
        )
        having = self.draw(st.sampled_from(["", "", f" having {made} > 1"]))
        listed = ", ".join(f"{name} as x{place}" for place, (name, _) in enumerate(keys))
        groups = ", ".join(name for name, _ in keys)
        columns = (*((f"x{place}", text) for place, (_, text) in enumerate(keys)), ("n", False))
        return Source(f"(select {listed}, {made} as n {rest} group by {groups}{having})", columns)

    def frame(self, deep: int, outside: Known = ()) -> tuple[list[Source], str]:
        """FROM, JOIN and WHERE."""
        first = self.source(deep).named(self.name())
        sources, text = [first], f"from {first.sql}"
        for _ in range(self.draw(st.sampled_from([0, 1, 1, 2]))):
            before = [one for source in sources for one in source.references()]
            other = self.source(deep).named(self.name())
            sources.append(other)
            kind = self.draw(st.sampled_from(["join", "join", "left join", "cross join"]))
            if kind == "cross join":
                text += f" cross join {other.sql}"
                continue
            tests = [self.equality(before, other.references())]
            tests += [self.test(before + other.references(), 0) for _ in range(self.few())]
            text += f" {kind} {other.sql} on {' and '.join(tests)}"
        known = [one for source in sources for one in source.references()]
        wheres = [self.test([*known, *outside], deep) for _ in range(self.few())]
        if outside:
            wheres.append(self.equality(list(outside), known))
        return sources, text + (f" where {' and '.join(wheres)}" if wheres else "")

    def few(self) -> int:
        return self.draw(st.sampled_from([0, 0, 1]))

    def equality(self, ones: list[tuple[str, bool]], others: list[tuple[str, bool]]) -> str:
        """Mostly between people, and now and then between anything."""
        pairs = [(one, other) for one, text in ones for other, same in others if text == same]
        linked = [
            pair
            for names in (("people", "orders"), ("wards",))
            for pair in pairs
            if meaning(pair[0]) == meaning(pair[1]) and meaning(pair[0]) in names
        ]
        if linked and self.draw(st.sampled_from([True] * 7 + [False])):
            pairs = linked
        return " = ".join(self.draw(st.sampled_from(pairs))) if pairs else "true"

    def test(self, known: list[tuple[str, bool]], deep: int) -> str:
        column, text = self.draw(st.sampled_from(known))
        plain = [f"{column} = 'a'", f"{column} in ('a', 'b')"] if text else [f"{column} > 1"]
        plain += [f"{column} is null", f"not ({column} is distinct from {column})"]
        kinds = ["plain", "plain", "exists", "in", "groups"] if deep else ["plain"]
        kind = self.draw(st.sampled_from(kinds))
        if kind == "plain":
            return self.draw(st.sampled_from(plain))
        negated = self.draw(st.sampled_from(["", "not "]))
        if kind == "groups":
            inner, rest = self.frame(0)
            keys = [one for source in inner for one in source.references() if one[1] == text]
            same = [name for name, _ in keys if meaning(name) == meaning(column)]
            key = self.draw(st.sampled_from(same or [name for name, _ in keys] or ["null"]))
            many = self.draw(st.integers(0, 2))
            grouped = f"select {key} {rest} group by {key} having count(*) > {many}"
            return f"{column} {negated}in ({grouped})"
        inner, rest = self.frame(0, known)
        if kind == "exists":
            return f"{negated}exists (select 1 {rest})"
        names = [name for one in inner for name, other in one.references() if other == text]
        wanted = self.draw(st.sampled_from(names or ["null"]))
        return f"{column} {negated}in (select {wanted} {rest})"


MEANINGS = {
    **dict.fromkeys(("person", "payer", "custkey", "buyer"), "people"),
    **dict.fromkeys(("orderkey", "of_order"), "orders"),
    "ward": "wards",
}


def meaning(reference: str) -> str:
    """What a column names; columns that subqueries computed name what their first did."""
    name = reference.split(".")[1]
    return MEANINGS.get(name, name)


OFTEN = (
    *("visits", "visits", "bills", "customer", "orders", "orders", "lines", "lines"),
    *("wards", "wards", "zips", "survey"),
)


@st.composite
def questions(draw: Draw, deep: int = 2) -> str:
    """SELECT * of something."""
    return f"select * {Asking(draw).frame(deep)[1]}"
