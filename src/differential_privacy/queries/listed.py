"""What a question may be made of: the nodes of SQL and the parts of each, and why others are not.

Rule 1: a node or a part that nobody thought of is not listed, and what is not listed is refused.
"""

from sqlglot import expressions as sql

__all__ = ["LISTED", "REASONS"]

TWO = ("this", "expression")

LISTED: dict[type[sql.Expr], tuple[str, ...]] = {
    # Queries.
    sql.Select: (
        *("expressions", "from_", "joins", "where", "group", "having", "order", "limit"),
        *("with_", "distinct"),
    ),
    sql.Union: (*TWO, "with_", "distinct", "by_name"),
    sql.Subquery: ("this", "alias"),
    sql.With: ("expressions",),
    sql.CTE: ("this", "alias"),
    sql.From: ("this",),
    sql.Table: ("this", "alias"),
    sql.TableAlias: ("this", "columns"),
    sql.Join: ("this", "on", "using", "side", "kind"),
    sql.Where: ("this",),
    sql.Group: ("expressions", "all"),
    sql.Having: ("this",),
    sql.Order: ("expressions",),
    sql.Ordered: ("this", "desc", "nulls_first"),
    sql.Limit: ("expression",),
    sql.Distinct: ("expressions",),
    sql.Star: (),
    sql.Alias: ("this", "alias"),
    sql.Identifier: ("this", "quoted"),
    sql.Column: ("this", "table"),
    sql.Paren: ("this",),
    sql.Exists: ("this",),
    # Constants.
    sql.Literal: ("this", "is_string"),
    sql.Boolean: ("this",),
    sql.Null: (),
    sql.Interval: ("this", "unit"),
    sql.Var: ("this",),
    # Logic.
    **dict.fromkeys((sql.And, sql.Or, sql.EQ, sql.NEQ, sql.LT, sql.LTE, sql.GT, sql.GTE), TWO),
    **dict.fromkeys((sql.NullSafeEQ, sql.NullSafeNEQ, sql.Is), TWO),
    sql.Not: ("this",),
    sql.Between: ("this", "low", "high", "symmetric"),
    sql.In: ("this", "expressions", "query"),
    sql.Like: (*TWO, "negate"),
    sql.ILike: (*TWO, "negate"),
    sql.Escape: TWO,
    sql.Case: ("this", "ifs", "default"),
    sql.If: ("this", "true", "false"),
    sql.Coalesce: ("this", "expressions"),
    sql.Nullif: TWO,
    # Numbers.
    **dict.fromkeys((sql.Add, sql.Sub, sql.Mul, sql.IntDiv, sql.Mod, sql.Pow), TWO),
    sql.Div: (*TWO, "typed", "safe"),
    **dict.fromkeys((sql.Neg, sql.Abs, sql.Sign, sql.Sqrt), ("this",)),
    sql.Floor: ("this", "decimals"),
    sql.Ceil: ("this", "decimals"),
    sql.Round: ("this", "decimals"),
    sql.Least: ("this", "expressions", "ignore_nulls"),
    sql.Greatest: ("this", "expressions", "ignore_nulls"),
    sql.WidthBucket: ("this", "min_value", "max_value", "num_buckets"),
    sql.Cast: ("this", "to"),
    sql.TryCast: ("this", "to", "safe"),
    sql.DataType: ("this", "expressions", "nested"),
    sql.DataTypeParam: ("this",),
    sql.Anonymous: ("this", "expressions"),
    # Texts.
    sql.DPipe: (*TWO, "safe"),
    sql.Concat: ("expressions", "safe", "coalesce"),
    sql.Substring: ("this", "start", "length"),
    sql.Left: TWO,
    **dict.fromkeys((sql.Upper, sql.Lower, sql.Trim, sql.Length), ("this",)),
    **dict.fromkeys((sql.StartsWith, sql.EndsWith, sql.Contains), TWO),
    # Moments.
    sql.Extract: TWO,
    **dict.fromkeys((sql.Year, sql.Quarter, sql.Month, sql.Day, sql.DayOfMonth), ("this",)),
    **dict.fromkeys((sql.DayOfWeek, sql.DayOfWeekIso, sql.DayOfYear), ("this",)),
    **dict.fromkeys((sql.Hour, sql.Minute, sql.Second), ("this",)),
    sql.TimestampTrunc: ("this", "unit"),
    sql.DateTrunc: ("this", "unit"),
    sql.DateDiff: (*TWO, "unit", "date_part_boundary"),
    sql.DateAdd: TWO,
    # Aggregates.
    sql.Count: ("this", "big_int"),
    sql.Filter: TWO,
    **dict.fromkeys((sql.Sum, sql.Avg, sql.Min, sql.Max, sql.Median), ("this",)),
    **dict.fromkeys((sql.VariancePop, sql.Variance, sql.Stddev), ("this",)),
    **dict.fromkeys((sql.StddevPop, sql.StddevSamp), ("this",)),
    sql.Quantile: ("this", "quantile"),
    sql.ApproxQuantile: ("this", "quantile"),
    sql.PercentileCont: TWO,
    sql.PercentileDisc: TWO,
    sql.WithinGroup: TWO,
}
"""Each node that may stand in a question, with the names of its parts that may be there."""

WINDOW = "a window looks across people's rows: aggregate each person's rows in a subquery"
PATTERN = "such patterns can take endless time: use LIKE"
SHOWN = "would show people's values: COUNT, SUM, AVG, MIN, MAX, MEDIAN, QUANTILE and STDDEV do not"
NESTED = "is no value here: they are numbers, texts, dates and truths"
BITS = "is not offered: compute with +, -, *, //, %"
PICKED = "is not offered: list the columns that you need"
PART = "is not offered: EXTRACT(part FROM x), DATE_TRUNC(unit, x) and DATE_DIFF are"
NOW = "changes by itself: write the date, as DATE '2024-01-31'"
TABLES = "is no table: rows come from tables that the policy names"
ONE_BY_ONE = "is not offered: ask each grouping as a question of its own"
TEXTS = "is not offered: LOWER, UPPER, TRIM, LENGTH, LEFT, SUBSTRING, CONTAINS, LIKE and || are"
CURVED = "is not offered: +, -, *, /, POWER and SQRT are"
ENDS = "TRIM takes the spaces off both ends, and nothing else: TRIM(x)"
SCHEMAS = "tables are named as the policy names them, without a schema"
VALUES = "stands for a value: write the value itself"
PEOPLE = "compares people's rows with other people's: use EXISTS or NOT EXISTS in WHERE"
WRITES = "only questions are answered, and this would change something"

REASONS: dict[str, str] = {
    **dict.fromkeys(("window", "windows", "qualify", "rownumber", "rank", "denserank"), WINDOW),
    **dict.fromkeys(("regexplike", "regexpilike", "similarto", "glob"), PATTERN),
    **dict.fromkeys(("regexpreplace", "regexpextract", "regexpsplit"), PATTERN),
    **dict.fromkeys(("arrayagg", "groupconcat", "first", "last", "anyvalue", "mode"), SHOWN),
    **dict.fromkeys(("argmax", "argmin", "logicalor", "logicaland", "ignorenulls"), SHOWN),
    **dict.fromkeys(("array", "tuple", "struct", "bracket", "map", "explode", "dot"), NESTED),
    **dict.fromkeys(("jsonextract", "jsonextractscalar", "json", "columndef"), NESTED),
    **dict.fromkeys(("bitwiseand", "bitwiseor", "bitwisexor", "bitwisenot"), BITS),
    **dict.fromkeys(("bitwiseleftshift", "bitwiserightshift"), BITS),
    **dict.fromkeys(("week", "weekofyear", "lastday", "dayname", "monthname"), PART),
    **dict.fromkeys(("timetounix", "timetostr", "datefromparts", "todays"), PART),
    **dict.fromkeys(("currentdate", "currenttimestamp", "currenttime"), NOW),
    **dict.fromkeys(("table", "readcsv", "readparquet", "generateseries", "values"), TABLES),
    "unnest": TABLES,
    **dict.fromkeys(("groupingsets", "rollup", "cube", "grouping"), ONE_BY_ONE),
    **dict.fromkeys(("right", "reverse", "replace", "strposition", "repeat", "pad"), TEXTS),
    **dict.fromkeys(("md5", "sha", "sha2", "initcap", "chr", "ascii"), TEXTS),
    **dict.fromkeys(("trim.position", "trim.expression"), ENDS),
    **dict.fromkeys(("except_", "star.replace", "star.rename", "columns"), PICKED),
    **dict.fromkeys(("exp", "ln", "log", "sin", "cos", "tan", "pi"), CURVED),
    **dict.fromkeys(("db", "catalog"), SCHEMAS),
    **dict.fromkeys(("placeholder", "parameter"), VALUES),
    **dict.fromkeys(("intersect", "except"), PEOPLE),
    **dict.fromkeys(("into", "locks"), WRITES),
    "recursive": "could touch anybody's rows any number of times: name the query without it",
    "rand": "only the noise is random",
    "offset": "OFFSET is not offered: ORDER BY and LIMIT act on the noisy answer",
    "sample": "a sample is part of the policy, not of a question",
    "pivots": "use GROUP BY, or SUM(CASE WHEN ... END) for each column",
    "joins": "joins in parentheses are not offered: write one JOIN after the other",
    "method": "is not offered: name the columns, as JOIN t USING (x)",
    "lateral": "is not offered: use EXISTS, or a subquery with GROUP BY",
    "any": "is not offered: use IN (SELECT ...) or EXISTS",
    "all": "is not offered: use NOT EXISTS",
    "on": "DISTINCT ON is not offered: use GROUP BY",
    "countif": "is not offered: use COUNT(*) FILTER (WHERE ...)",
    "approxdistinct": "is not offered: use COUNT(DISTINCT x)",
    "attimezone": "is not offered: timestamps here have no zone",
    "isnan": "is not needed: NaN is NULL here, so use IS NULL",
    "isinf": "is not needed: infinities are NULL here, so use IS NULL",
    "trunc": "is not offered: use FLOOR or CEIL",
    "collate": "is not offered: texts are compared letter by letter; use LOWER",
    "bytestring": "is no plain text: write 'text'",
    "rawstring": "is no plain text: write 'text'",
}
"""What is refused most, by the name of its node or part: why, and what to write instead."""
