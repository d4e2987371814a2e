"""The gate: an analyst's text becomes a tree of listed nodes with listed parts, or is refused.

Rule 1: what is not listed is refused, also a part of a listed node that nobody thought of.
Rule 2: a message says what was written, never what the data holds: that is far away from here.
Rule 3: reading takes a bounded time, whatever the text.
"""

import logging
from collections.abc import Iterator, Sequence

from sqlglot import expressions as sql
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.errors import SqlglotError
from sqlglot.parsers.duckdb import DuckDBParser
from sqlglot.tokenizer_core import Token, TokenType

from differential_privacy.errors import QuestionError
from differential_privacy.queries.listed import LISTED, REASONS

__all__ = ["LISTED", "parsed_condition", "parsed_question", "written_sql"]

LONGEST = 20_000
MOST_STEPS = 100_000
MOST_NODES = 3_000
DEEPEST = 60
LONGEST_NAME = 128

BEGINNINGS = (TokenType.SELECT, TokenType.WITH, TokenType.FROM, TokenType.L_PAREN)

# It would write what an analyst wrote into the log of whoever runs the curator.
logging.getLogger("sqlglot").disabled = True

QUESTION = "the question"
TOO_DEEP = "is too long or nested too deeply: ask for less at once"


class _Parser(DuckDBParser):
    """Stops after so many steps: some texts would send the parser back and forth for ever."""

    steps = 0

    def _advance(self, times: int = 1) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise QuestionError(QUESTION, TOO_DEEP)
        super()._advance(times)


def parsed_question(text: str) -> sql.Select | sql.Union:
    """The one SELECT, or UNION of several, that a text is.

    >>> parsed_question("drop table visits")
    Traceback (most recent call last):
        ...
    differential_privacy.errors.QuestionError: drop: only questions are answered; try: SELECT ...
    (nothing was spent)
    """
    root = _parsed(str(text))
    _check(root)
    while isinstance(root, sql.Subquery) and not root.args.get("alias"):
        root = root.this
    if not isinstance(root, sql.Select | sql.Union):
        raise QuestionError(written_sql(root), "only questions are answered", instead="SELECT ...")
    return root


def parsed_condition(text: str) -> sql.Expr:
    """An expression written on its own, as in `where("age > 50")`.

    >>> parsed_condition("age > 50").sql()
    'age > 50'
    """
    question = parsed_question(f"SELECT {text}\n FROM t")  # noqa: S608 - what it is, is checked
    if not isinstance(question, sql.Select) or len(question.expressions) != 1:
        raise QuestionError(str(text), "must be one expression")
    rest = {key for key, value in question.args.items() if value} - {"expressions", "from_"}
    if rest or question.args["from_"].this.sql() != "t":
        raise QuestionError(str(text), "must be one expression")
    expression: sql.Expr = question.expressions[0]
    return expression


def _parsed(text: str) -> sql.Expr:
    if len(text) > LONGEST:
        raise QuestionError(QUESTION, f"must have at most {LONGEST} characters")
    if not text.isascii() and text != text.encode(errors="ignore").decode():
        raise QuestionError(QUESTION, "must be text that UTF-8 can write")
    dialect = DuckDB()
    try:
        tokens = dialect.tokenize(text)
        _check_statement(tokens)
        found = [tree for tree in _Parser(dialect=dialect).parse(tokens, text) if tree is not None]
    except QuestionError:
        raise
    except SqlglotError as error:
        raise QuestionError(QUESTION, _complaint(error)) from None
    except RecursionError:
        raise QuestionError(QUESTION, TOO_DEEP) from None
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        # The parser fails so on texts that nobody would write; they are no SQL either way.
        raise QuestionError(QUESTION, "is not SQL that can be read") from None
    if len(found) != 1:
        raise QuestionError(QUESTION, "must be one statement")
    return found[0]


def _check_statement(tokens: Sequence[Token]) -> None:
    """One statement that asks: what only looks like one is left to the parser."""
    if not tokens:
        raise QuestionError(QUESTION, "is empty", instead="SELECT COUNT(*) FROM ...")
    if tokens[0].token_type not in BEGINNINGS:
        raise QuestionError(tokens[0].text, "only questions are answered", instead="SELECT ...")
    ends = [place for place, token in enumerate(tokens) if token.token_type is TokenType.SEMICOLON]
    if ends and ends[0] < len(tokens) - len(ends):
        raise QuestionError(QUESTION, "must be one statement")


def _complaint(error: SqlglotError) -> str:
    """Where the text stopped making sense, in the analyst's own words."""
    for found in getattr(error, "errors", []):
        near = found.get("highlight")
        if near:
            return f"is not SQL near {near!r} (line {found.get('line')}, column {found.get('col')})"
    return "is not SQL that can be read"


def _check(root: sql.Expr) -> None:
    """Walks the whole tree without recursion; refuses the first thing that is not listed."""
    waiting = [(root, 0)]
    seen = 0
    while waiting:
        node, depth = waiting.pop()
        seen += 1
        if seen > MOST_NODES or depth > DEEPEST:
            raise QuestionError(QUESTION, TOO_DEEP)
        if isinstance(node, sql.Identifier):
            _check_name(node.name)
        waiting += [(part, depth + 1) for part in _listed_parts(node)]


def _listed_parts(node: sql.Expr) -> Iterator[sql.Expr]:
    """The parts of a node that is listed, all of which are listed."""
    listed = LISTED.get(type(node))
    if listed is None:
        raise _refusal(node.key, node)
    if isinstance(node, sql.Table) and not isinstance(node.this, sql.Identifier):
        raise _refusal("table", node)
    if isinstance(node, sql.Select) and not node.expressions:
        raise QuestionError("SELECT", "names no column", instead="SELECT COUNT(*) FROM ...")
    for key, value in node.args.items():
        if value is None or value is False or value == []:
            continue
        parts = value if isinstance(value, list) else [value]
        known = all(isinstance(part, sql.Expr | str | bool | sql.DType) for part in parts)
        if key not in listed or not known:
            raise _refusal(key, node)
        yield from (part for part in parts if isinstance(part, sql.Expr))


def _check_name(name: str) -> None:
    if len(name) > LONGEST_NAME or not name.isprintable():
        rule = f"names have at most {LONGEST_NAME} characters, all of them printable"
        raise QuestionError(repr(name), rule)


def _refusal(what: str, node: sql.Expr) -> QuestionError:
    name = "" if what == node.key else f"{what.strip('_').upper()} "
    other = f"{name}is not part of the questions that can be asked"
    rule = REASONS.get(f"{node.key}.{what}") or REASONS.get(what, other)
    return QuestionError(written_sql(node), rule)


def written_sql(node: sql.Expr) -> str:
    """A part of the question as text; a message shows no more than its beginning."""
    try:
        return node.sql(dialect="duckdb", comments=False)
    except Exception:  # noqa: BLE001 - the library has no words for some trees, and fails in many ways
        return node.key.upper()
