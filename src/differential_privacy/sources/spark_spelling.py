"""How Spark spells what trees mean, and what its types hold.

Rule 1: what could fail stands behind a condition on its own argument, so that nothing fails in
whatever order the parts of a statement are computed.
Rule 2: a pattern of LIKE is matched in time linear in the text: its parts are found leftmost, each
once, where Spark's own LIKE would try every way.
"""

import re

from differential_privacy.sources.kinds import FIRST_DAY, LAST_DAY, Physical
from differential_privacy.sources.patterns import CLOCK, DATE, NUMBER, WHOLE, in_format
from differential_privacy.sources.trees import Op
from differential_privacy.sources.writing import Writer

__all__ = ["WRITER", "escaped", "physical", "regular"]

END = r"\\z"
"""The end of a text, and not before a last new line as `$` is; as it stands in a text in quotes."""

MICRO = 1_000_000
FIRST_MICRO, LAST_MICRO = FIRST_DAY * 86400 * MICRO, (LAST_DAY + 1) * 86400 * MICRO - 1
MICROS = "UNIX_MICROS(CAST({0} AS TIMESTAMP))"
WITHIN = f"CASE WHEN {MICROS} BETWEEN {FIRST_MICRO} AND {LAST_MICRO} THEN {MICROS} END"
LARGEST = "CAST('1.7976931348623157e308' AS DOUBLE)"
REAL = "CAST({0} AS DOUBLE)"
DAY = f"CASE WHEN {{0}} BETWEEN {FIRST_DAY} AND {LAST_DAY} THEN {{0}} END"
ON_DAY = f"(DATE_FROM_UNIX_DATE(CAST({DAY} AS INT)))"
DATED = (
    f"CASE WHEN SUBSTRING({{0}}, 1, 11) RLIKE '^({in_format(DATE)}){END}' "
    "THEN SUBSTRING({0}, 1, 10) END"
)
CLOCKED = f"CASE WHEN {{0}} RLIKE '^({in_format(CLOCK)}){END}' THEN {{0}} END"
COUNTED = f"CASE WHEN {{0}} RLIKE '^({in_format(WHOLE)}){END}' THEN {{0}} END"
NUMBERED = f"CASE WHEN {{0}} RLIKE '^({in_format(NUMBER)}){END}' THEN {{0}} END"
WIDE = "CAST({0} AS STRING)"


def escaped(text: str) -> str:
    r"""A text in quotes, on one line, as Spark reads it.

    >>> print(escaped("it's"))
    'it\'s'
    """
    inside = text.replace("\\", r"\\").replace("'", r"\'").replace("\n", r"\n")
    return f"'{inside}'"


def regular(pattern: str) -> str:
    r"""A pattern of LIKE, whose escape is the backslash, as a regular expression.

    >>> print(regular("a%b_"))
    (?s)^a.*b.\z
    """
    parts = [""]
    for escape, one in re.findall(r"(\\?)(.)", pattern, re.DOTALL):
        if one == "%" and not escape:
            parts.append("")
        else:
            parts[-1] += "." if one == "_" and not escape else re.escape(one)
    first, *rest = parts
    if not rest:
        return rf"(?s)^{first}\z"
    # A part that was found is not looked for again: no later place could serve better.
    inner = "".join(f"(?>.*?{part})" for part in rest[:-1] if part)
    return rf"(?s)^{first}{inner}" + (rf".*{rest[-1]}\z" if rest[-1] else "")


WRITER = Writer(
    {
        Op.QUOTIENT: "({} DIV {})",
        Op.SAME: "({} <=> {})",
        Op.LIKE: "({} RLIKE {})",
        Op.TEXT: "COLLATE(CAST({} AS STRING), 'UTF8_BINARY')",
        Op.TEXT_OF_WIDE: (
            f"CASE WHEN CONTAINS({WIDE}, '.') "
            f"THEN TRIM(TRAILING '.' FROM TRIM(TRAILING '0' FROM {WIDE})) ELSE {WIDE} END"
        ),
        Op.DIGEST: "SHA2(CAST({} AS BINARY), 256)",
        Op.HASHED: "CAST(CONV(SUBSTRING(MD5(CAST({} AS BINARY)), 1, 15), 16, 10) AS BIGINT)",
        Op.YEAR: f"CAST(YEAR{ON_DAY} AS BIGINT)",
        Op.MONTH: f"CAST(MONTH{ON_DAY} AS BIGINT)",
        Op.DAY: f"CAST(DAY{ON_DAY} AS BIGINT)",
        Op.FIRST_OF_MONTH: (
            "CAST(UNIX_DATE(MAKE_DATE(CAST(CASE WHEN {0} BETWEEN 1 AND 9999 THEN {0} END AS INT), "
            "CAST(CASE WHEN {1} BETWEEN 1 AND 12 THEN {1} END AS INT), 1)) AS BIGINT)"
        ),
        Op.ROOT: f"CAST(FLOOR(SQRT(CASE WHEN {{0}} >= 0 THEN {REAL} END)) AS BIGINT)",
        Op.STORED: "CAST({} AS BIGINT)",
        Op.WHOLE: "TRY_CAST({} AS BIGINT)",
        Op.REAL: f"CASE WHEN {REAL} BETWEEN -{LARGEST} AND {LARGEST} THEN {REAL} END",
        Op.REAL_OF_WIDE: "CAST({} AS DOUBLE)",
        Op.WHOLE_OF_TEXT: f"TRY_CAST({COUNTED} AS BIGINT)",
        Op.REAL_OF_TEXT: f"TRY_CAST({NUMBERED} AS DOUBLE)",
        Op.FLOOR: (
            "CAST(FLOOR(CASE WHEN {0} BETWEEN CAST('-9.2e18' AS DOUBLE) "
            "AND CAST('9.2e18' AS DOUBLE) THEN {0} END) AS BIGINT)"
        ),
        Op.DAYS: (
            "CAST(UNIX_DATE(CASE WHEN {0} BETWEEN DATE '0001-01-01' AND DATE '9999-12-31' "
            "THEN {0} END) AS BIGINT)"
        ),
        Op.DAYS_OF_TEXT: f"CAST(UNIX_DATE(TRY_CAST({DATED} AS DATE)) AS BIGINT)",
        # Down, where the quotient of whole numbers goes toward zero.
        Op.SECONDS: f"(({WITHIN} - {FIRST_MICRO}) DIV {MICRO} + {FIRST_MICRO // MICRO})",
        Op.SECOND: (
            "(CAST(HOUR({0}) AS BIGINT) * 3600 + CAST(MINUTE({0}) AS BIGINT) * 60 "
            "+ CAST(SECOND({0}) AS BIGINT))"
        ),
        Op.SECOND_OF_TEXT: (
            f"(CAST(SUBSTRING({CLOCKED}, 1, 2) AS BIGINT) * 3600 "
            f"+ CAST(SUBSTRING({CLOCKED}, 4, 2) AS BIGINT) * 60 "
            f"+ CAST(SUBSTRING({CLOCKED}, 7, 2) AS BIGINT))"
        ),
        # Sums of whole numbers of 64 bits would silently have 64 bits too.
        Op.SUM: "SUM(CAST({} AS DECIMAL(38, 0)))",
    },
    quote="`",
    real="DOUBLE",
    texts=escaped,
    pattern=regular,
)

PHYSICAL = {
    "boolean": Physical.BOOLEAN,
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), Physical.WHOLE),
    "decimal": Physical.WIDE,
    **dict.fromkeys(("float", "double"), Physical.REAL),
    **dict.fromkeys(("string", "varchar", "char"), Physical.TEXT),
    "date": Physical.DATE,
    **dict.fromkeys(("timestamp", "timestamp_ntz"), Physical.TIMESTAMP),
    "time": Physical.TIME,
}


def physical(kind: str) -> Physical:
    """What a type of Spark holds.

    >>> physical("decimal(18,3)"), physical("array<decimal(18,3)>")
    (<Physical.WIDE: 'wide number'>, <Physical.OTHER: 'other'>)
    """
    return PHYSICAL.get(re.split(r"[( ]", kind, maxsplit=1)[0], Physical.OTHER)
