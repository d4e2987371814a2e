"""How DuckDB spells what trees mean, how it reads files, and what its types hold."""

from glob import escape

from differential_privacy.sources import files
from differential_privacy.sources.kinds import FIRST_DAY, LAST_DAY, Physical
from differential_privacy.sources.patterns import CLOCK, DATE, NUMBER, WHOLE, in_format
from differential_privacy.sources.trees import Op
from differential_privacy.sources.writing import Writer

__all__ = ["WRITER", "parquet", "physical", "texts"]

EPOCH = "DATE '1970-01-01'"
DAY = f"CASE WHEN {{0}} BETWEEN {FIRST_DAY} AND {LAST_DAY} THEN {{0}} END"
ON_DAY = f"({EPOCH} + CAST({DAY} AS INTEGER))"
MICRO = 1_000_000
FIRST_MICRO, LAST_MICRO = FIRST_DAY * 86400 * MICRO, (LAST_DAY + 1) * 86400 * MICRO - 1
MICROS = "EPOCH_US(TRY_CAST({0} AS TIMESTAMP))"
WITHIN = f"CASE WHEN {MICROS} BETWEEN {FIRST_MICRO} AND {LAST_MICRO} THEN {MICROS} END"
BEGINS_AS_DATE = f"REGEXP_FULL_MATCH(SUBSTRING({{0}}, 1, 11), '{in_format(DATE)}')"
IS_CLOCK = f"REGEXP_FULL_MATCH({{0}}, '{in_format(CLOCK)}')"
WIDE = "CAST({0} AS VARCHAR)"

WRITER = Writer(
    {
        Op.QUOTIENT: "({} // {})",
        Op.PART: "SUBSTRING({}, {}, {})",
        Op.TEXT: "CAST({} AS VARCHAR)",
        Op.TEXT_OF_WIDE: (
            f"CASE WHEN CONTAINS({WIDE}, '.') THEN RTRIM(RTRIM({WIDE}, '0'), '.') ELSE {WIDE} END"
        ),
        Op.DIGEST: "SHA256({})",
        Op.HASHED: "CAST('0x' || SUBSTRING(MD5({}), 1, 15) AS BIGINT)",
        Op.YEAR: f"YEAR{ON_DAY}",
        Op.MONTH: f"MONTH{ON_DAY}",
        Op.DAY: f"DAY{ON_DAY}",
        Op.FIRST_OF_MONTH: (
            "(MAKE_DATE(CASE WHEN {0} BETWEEN 1 AND 9999 THEN {0} END, "
            f"CASE WHEN {{1}} BETWEEN 1 AND 12 THEN {{1}} END, 1) - {EPOCH})"
        ),
        Op.ROOT: ("CAST(FLOOR(SQRT(CASE WHEN {0} >= 0 THEN CAST({0} AS DOUBLE) END)) AS BIGINT)"),
        Op.STORED: "CAST({} AS BIGINT)",
        Op.WHOLE: "TRY_CAST({} AS BIGINT)",
        Op.REAL: "CASE WHEN ISFINITE(CAST({0} AS DOUBLE)) THEN CAST({0} AS DOUBLE) END",
        # The cast of a wide number itself is off by more than half of the last bit.
        Op.REAL_OF_WIDE: f"TRY_CAST({WIDE} AS DOUBLE)",
        Op.WHOLE_OF_TEXT: (
            f"TRY_CAST(CASE WHEN REGEXP_FULL_MATCH({{0}}, '{in_format(WHOLE)}') "
            "THEN {0} END AS BIGINT)"
        ),
        Op.REAL_OF_TEXT: (
            f"CASE WHEN REGEXP_FULL_MATCH({{0}}, '{in_format(NUMBER)}') "
            "THEN TRY_CAST({0} AS DOUBLE) END"
        ),
        Op.FLOOR: "TRY_CAST(FLOOR({}) AS BIGINT)",
        Op.DAYS: (
            "(CASE WHEN {0} BETWEEN DATE '0001-01-01' AND DATE '9999-12-31' THEN {0} END "
            f"- {EPOCH})"
        ),
        Op.DAYS_OF_TEXT: (
            f"(TRY_CAST(CASE WHEN {BEGINS_AS_DATE} THEN SUBSTRING({{0}}, 1, 10) END AS DATE) "
            f"- {EPOCH})"
        ),
        # Down, where the quotient of whole numbers goes toward zero.
        Op.SECONDS: f"(({WITHIN} - {FIRST_MICRO}) // {MICRO} + {FIRST_MICRO // MICRO})",
        Op.SECOND: f"(EPOCH_US({{}}) // {MICRO})",
        Op.SECOND_OF_TEXT: (
            f"(EPOCH_US(TRY_CAST(CASE WHEN {IS_CLOCK} THEN SUBSTRING({{0}}, 1, 8) END AS TIME)) "
            f"// {MICRO})"
        ),
    },
    real="DOUBLE",
)

PHYSICAL = {
    "BOOLEAN": Physical.BOOLEAN,
    **dict.fromkeys(
        ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"),
        Physical.WHOLE,
    ),
    **dict.fromkeys(("UBIGINT", "HUGEINT", "UHUGEINT", "DECIMAL"), Physical.WIDE),
    **dict.fromkeys(("FLOAT", "DOUBLE"), Physical.REAL),
    **dict.fromkeys(("VARCHAR", "UUID", "ENUM"), Physical.TEXT),
    "DATE": Physical.DATE,
    **dict.fromkeys(
        ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE"),
        Physical.TIMESTAMP,
    ),
    **dict.fromkeys(("TIME", "TIME_NS"), Physical.TIME),
}


def physical(kind: str) -> Physical:
    """What a type of DuckDB holds.

    >>> physical("DECIMAL(18,3)"), physical("DECIMAL(18,3)[]")
    (<Physical.WIDE: 'wide number'>, <Physical.OTHER: 'other'>)
    """
    bare = kind.partition("(")[0] if kind.endswith(")") else kind
    return PHYSICAL.get(bare, Physical.OTHER)


def parquet(path: str) -> str:
    """A reader that takes the columns of all files together, by name, and each at its widest."""
    return (
        f"READ_PARQUET({_listed(path)}, union_by_name = true, "
        "hive_types_autocast = false, utf8_validation = 'replace')"
    )


def texts(path: str) -> str:
    """A reader that takes every cell as text: the schema says what it is."""
    columns = ", ".join(f"{WRITER.text(name)}: 'VARCHAR'" for name in files.header(path))
    between = WRITER.text(files.delimiter(path))
    # Read by one thread: several fail where a cell has several lines.
    return (
        f"READ_CSV({_listed(path)}, auto_detect = false, header = true, delim = {between}, "
        f"quote = '\"', escape = '\"', nullstr = '', columns = {{{columns}}}, "
        "ignore_errors = true, null_padding = true, strict_mode = false, parallel = false)"
    )


def _listed(path: str) -> str:
    """The files that a pattern names now, each by itself."""
    return f"[{', '.join(WRITER.text(escape(file)) for file in files.files(path))}]"
