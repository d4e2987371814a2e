"""The 22 queries of TPC-H: which are answered and what was changed for it, which are refused."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from string import Template

__all__ = ["CASES", "POLICY", "TABLES", "Case"]

HERE = Path(__file__).parent
POLICY = HERE / "curator.toml"
TABLES = ("region", "nation", "part", "supplier", "partsupp", "customer", "orders", "lineitem")

PUBLIC = "are public: nothing here needs privacy, so read them where they are"
NAMES = "would name people: group by what they have in common"
OTHERS = "a subquery as a value would read other people's rows"
MIXED = "mixes rows of several people inside of a subquery: group by the person as well"


@dataclass(frozen=True, slots=True)
class Case:
    """One query: the original, ours if it is another, and ours with each customer's part capped.

    `refused` is why the original is, if it is; `changed` says how ours differs from it, and `same`
    whether ours tells the same numbers all the same.
    """

    number: int
    refused: str = ""
    changed: str = ""
    same: bool = True

    @property
    def original(self) -> str:
        """As TPC-H has it, with the parameters of its validation run."""
        return (HERE / "original" / self._file).read_text()

    @property
    def answered(self) -> bool:
        """Whether there is an answer to it, or to what is nearest to it."""
        return not self.refused or bool(self.changed)

    @property
    def first(self) -> str | None:
        """What is asked before, where a subquery's value is needed as a number."""
        path = HERE / "ours" / f"q{self.number:02}_first.sql"
        return path.read_text() if path.exists() else None

    def ours(self, first: object = None) -> str:
        """The question that is answered, with the number that was asked before."""
        if not self.changed:
            return self.original
        return Template((HERE / "ours" / self._file).read_text()).substitute(first=first)

    def capped(self, first: object = None) -> str | None:
        """The same question of what each customer adds, capped, where that is one row or a few."""
        path = HERE / "capped" / self._file
        return Template(path.read_text()).substitute(first=first) if path.exists() else None

    def asked(self, first: object = None) -> Iterator[tuple[str, str]]:
        """Each question that is answered, after how it is told from the others."""
        yield "ours", self.ours(first)
        capped = self.capped(first)
        if capped is not None:
            yield "capped", capped

    @property
    def _file(self) -> str:
        return f"q{self.number:02}.sql"


CASES = (
    Case(1),
    Case(2, PUBLIC),
    Case(3, NAMES, "by date, as an order is one customer's", same=False),
    Case(4),
    Case(5),
    Case(6),
    Case(7),
    Case(8),
    Case(9),
    Case(10, NAMES, "by nation, as a customer is a person", same=False),
    Case(11, PUBLIC),
    Case(12),
    Case(13),
    Case(14),
    Case(15, MIXED, "the supplier table gives the groups, and the maximum is `LIMIT 1`"),
    Case(16, PUBLIC),
    Case(17, OTHERS, "one threshold for all parts, asked first", same=False),
    Case(18, NAMES, "how many such orders there are, and their sums", same=False),
    Case(19),
    Case(20, OTHERS),
    Case(21),
    Case(22, OTHERS, "the average is asked first"),
)
