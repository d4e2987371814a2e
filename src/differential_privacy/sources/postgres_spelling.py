"""How Postgres spells what trees mean, and what its types hold.

Rule 1: what could fail stands behind a condition on its own argument, so that nothing fails in
whatever order the parts of a statement are computed.
"""

from differential_privacy.sources.kinds import FIRST_DAY, LAST_DAY, Physical
from differential_privacy.sources.patterns import CLOCK, DATE, NUMBER, WHOLE, in_format
from differential_privacy.sources.trees import Op
from differential_privacy.sources.writing import Writer

__all__ = ["PHYSICAL", "WRITER"]

EPOCH = "DATE '1970-01-01'"
LONGEST = (1 << 63) - 1
HELD = f"CASE WHEN {{0}} BETWEEN -{LONGEST} AND {LONGEST} THEN {{0}} END"
LARGEST = "CAST('1.7976931348623157e308' AS DOUBLE PRECISION)"
REAL = "CAST({0} AS DOUBLE PRECISION)"
DAY = f"CASE WHEN {{0}} BETWEEN {FIRST_DAY} AND {LAST_DAY} THEN {{0}} END"
ON_DAY = f"({EPOCH} + CAST({DAY} AS INTEGER))"
DATED = f"CASE WHEN SUBSTR({{0}}, 1, 11) ~ '^({in_format(DATE)})$' THEN {{0}} END"
# The day in its month, or after its end where the month is shorter.
READ_DATE = (
    f"(MAKE_DATE(CAST(SUBSTR({DATED}, 1, 4) AS INTEGER), "
    f"CAST(SUBSTR({DATED}, 6, 2) AS INTEGER), 1) "
    f"+ CAST(SUBSTR({DATED}, 9, 2) AS INTEGER) - 1)"
)
CLOCKED = f"CASE WHEN {{0}} ~ '^({in_format(CLOCK)})$' THEN {{0}} END"

WRITER = Writer(
    {
        Op.TEXT: '(CAST({} AS TEXT) COLLATE "C")',
        Op.TEXT_OF_WIDE: '(CAST(TRIM_SCALE({}) AS TEXT) COLLATE "C")',
        Op.DIGEST: "ENCODE(SHA256(CONVERT_TO({}, 'UTF8')), 'hex')",
        Op.HASHED: "CAST(CAST('x' || SUBSTR(MD5({}), 1, 15) AS BIT(60)) AS BIGINT)",
        Op.YEAR: f"CAST(EXTRACT(YEAR FROM {ON_DAY}) AS BIGINT)",
        Op.MONTH: f"CAST(EXTRACT(MONTH FROM {ON_DAY}) AS BIGINT)",
        Op.DAY: f"CAST(EXTRACT(DAY FROM {ON_DAY}) AS BIGINT)",
        Op.FIRST_OF_MONTH: (
            "CAST(MAKE_DATE(CAST(CASE WHEN {0} BETWEEN 1 AND 9999 THEN {0} END AS INTEGER), "
            f"CAST(CASE WHEN {{1}} BETWEEN 1 AND 12 THEN {{1}} END AS INTEGER), 1) - {EPOCH} "
            "AS BIGINT)"
        ),
        Op.ROOT: f"CAST(FLOOR(SQRT(CASE WHEN {{0}} >= 0 THEN {REAL} END)) AS BIGINT)",
        Op.STORED: "CAST({} AS BIGINT)",
        Op.WHOLE: f"CAST({HELD} AS BIGINT)",
        Op.REAL: f"CASE WHEN {REAL} BETWEEN -{LARGEST} AND {LARGEST} THEN {REAL} END",
        # What floats cannot hold is beyond every range, or next to zero.
        Op.REAL_OF_WIDE: (
            "CAST(CASE WHEN ABS({0}) < 1e-200 THEN 0 "
            "WHEN {0} > CAST('-Infinity' AS NUMERIC) AND {0} < CAST('Infinity' AS NUMERIC) "
            "THEN LEAST(GREATEST({0}, -1e300), 1e300) END AS DOUBLE PRECISION)"
        ),
        Op.WHOLE_OF_TEXT: (
            f"CAST(CASE WHEN {{0}} ~ '^({in_format(WHOLE)})$' THEN {{0}} END AS BIGINT)"
        ),
        Op.REAL_OF_TEXT: (
            f"CAST(CASE WHEN {{0}} ~ '^({in_format(NUMBER)})$' THEN {{0}} END AS DOUBLE PRECISION)"
        ),
        Op.FLOOR: "CAST(FLOOR(CASE WHEN {0} BETWEEN -9.2e18 AND 9.2e18 THEN {0} END) AS BIGINT)",
        Op.TIMES: "(CASE WHEN ABS({0}) < 1e200 THEN {0} END * {1})",
        Op.OVER: "(CASE WHEN ABS({0}) < 1e-200 THEN 0 ELSE {0} END / {1})",
        Op.DAYS: (
            "CAST(CASE WHEN {0} BETWEEN DATE '0001-01-01' AND DATE '9999-12-31' THEN {0} END "
            f"- {EPOCH} AS BIGINT)"
        ),
        Op.DAYS_OF_TEXT: (
            f"CAST(CASE WHEN TO_CHAR({READ_DATE}, 'YYYY-MM-DD') = SUBSTR({{0}}, 1, 10) "
            f"THEN {READ_DATE} END - {EPOCH} AS BIGINT)"
        ),
        Op.SECONDS: (
            "CAST(FLOOR(EXTRACT(EPOCH FROM CASE WHEN {0} BETWEEN TIMESTAMP '0001-01-01' "
            "AND TIMESTAMP '9999-12-31 23:59:59.999999' THEN {0} END)) AS BIGINT)"
        ),
        Op.SECOND: "CAST(FLOOR(EXTRACT(EPOCH FROM {})) AS BIGINT)",
        Op.SECOND_OF_TEXT: (
            f"(CAST(SUBSTR({CLOCKED}, 1, 2) AS BIGINT) * 3600 "
            f"+ CAST(SUBSTR({CLOCKED}, 4, 2) AS BIGINT) * 60 "
            f"+ CAST(SUBSTR({CLOCKED}, 7, 2) AS BIGINT))"
        ),
    },
)

PHYSICAL = {
    "bool": Physical.BOOLEAN,
    **dict.fromkeys(("int2", "int4", "int8"), Physical.WHOLE),
    "numeric": Physical.WIDE,
    **dict.fromkeys(("float4", "float8"), Physical.REAL),
    **dict.fromkeys(("text", "varchar", "bpchar", "uuid"), Physical.TEXT),
    "date": Physical.DATE,
    **dict.fromkeys(("timestamp", "timestamptz"), Physical.TIMESTAMP),
    "time": Physical.TIME,
}
