"""Attacks in SQL that are answered: what comes out is as if one person made no difference.

Each is an idea and a text.
"""

RARE = "'rarest-of-all'"

HARMLESS = {
    # A rare key, asked for in every way.
    "a rare key in WHERE": f"SELECT COUNT(*) FROM visits WHERE code = {RARE}",
    "a rare key in CASE": f"SELECT SUM(CASE WHEN code = {RARE} THEN age ELSE 0 END) FROM visits",
    "a rare key in FILTER": f"SELECT AVG(cost) FILTER (WHERE code = {RARE}) FROM visits",
    "a rare key in HAVING": "SELECT code, COUNT(*) AS n FROM visits GROUP BY code "
    f"HAVING code = {RARE}",
    "a rare key first": "SELECT code, COUNT(*) AS n FROM visits GROUP BY code ORDER BY n LIMIT 1",
    "a rare key in a subquery": "SELECT n, COUNT(*) FROM (SELECT patient, COUNT(*) AS n "
    f"FROM visits WHERE code = {RARE} GROUP BY patient) AS t GROUP BY n",
    "a rare key by EXISTS": "SELECT COUNT(*) FROM visits AS v WHERE EXISTS (SELECT 1 FROM drugs "
    f"AS d WHERE d.patient = v.patient AND d.drug = {RARE})",
    "a rare key by IN": f"SELECT COUNT(*) FROM visits WHERE {RARE} IN (SELECT d.drug FROM drugs "
    "AS d WHERE d.patient = visits.patient)",
    "a rare key by LIKE": "SELECT COUNT(*) FROM visits WHERE code LIKE '%rarest%'",
    "rare keys": "SELECT code, COUNT(*) FROM visits GROUP BY code",
    "rare keys of a join": "SELECT d.drug, COUNT(*) FROM visits AS v JOIN drugs AS d "
    "ON v.patient = d.patient GROUP BY d.drug",
    "rare pairs": "SELECT note, code, COUNT(*) FROM visits GROUP BY note, code",
    "rare lengths": "SELECT LENGTH(code), COUNT(*) FROM visits GROUP BY 1",
    "rare beginnings": "SELECT LEFT(note, 1), COUNT(*) FROM visits GROUP BY 1",
    "rare numbers": "SELECT size, COUNT(*) FROM visits GROUP BY size",
    "rare times": "SELECT at, COUNT(*) FROM visits GROUP BY at",
    "rare years": "SELECT YEAR(at), COUNT(*) FROM visits GROUP BY 1",
    "people as groups of one": "SELECT patient % 1000000, COUNT(*) FROM visits GROUP BY 1",
    "different rare keys": "SELECT COUNT(DISTINCT code), COUNT(DISTINCT note) FROM visits",
    "the text of NULL": "SELECT code IS NULL, ward IS NULL, COUNT(*) FROM visits GROUP BY 1, 2",
    # Values that break expressions, in one row.
    "division by zero": "SELECT SUM(1 / cost), SUM(1 / (age - age)) FROM visits",
    "division of whole numbers by zero": "SELECT SUM(7 // age), SUM(7 % age) FROM visits",
    "division by zero in a branch": f"SELECT SUM(CASE WHEN code = {RARE} THEN 1 / (age - age) "
    "ELSE 0 END) FROM visits",
    "roots of negative numbers": "SELECT SUM(SQRT(age - 100)) FROM visits",
    "casts of texts": "SELECT COUNT(CAST(code AS INTEGER)), COUNT(CAST(note AS DOUBLE)) "
    "FROM visits",
    "casts of texts to times": "SELECT COUNT(CAST(code AS DATE)), COUNT(CAST(note AS TIMESTAMP)), "
    "COUNT(CAST(code AS TIME)), COUNT(CAST(note AS BOOLEAN)) FROM visits",
    "sums of texts": "SELECT SUM(CLAMP(CAST(code AS INTEGER), 0, 9)) FROM visits",
    "years that overflow": "SELECT COUNT(*) FROM visits WHERE at + INTERVAL '100' DAY > "
    "TIMESTAMP '9999-12-31 00:00:00'",
    "days that overflow": "SELECT DATE_TRUNC('month', day - INTERVAL '9999' DAY), COUNT(*) "
    "FROM visits GROUP BY 1",
    "infinities": "SELECT SUM(cost), AVG(cost), STDDEV(cost), MEDIAN(cost), MAX(cost) FROM visits",
    "huge whole numbers": "SELECT SUM(CLAMP(size, 0, 9)), SUM(age), MIN(age) FROM visits",
    "powers": "SELECT SUM(POWER(age, 8)) FROM visits",
    "a long pattern": "SELECT COUNT(*) FROM visits WHERE code LIKE '%a%a%a%a%a%a%a%a%a%a%a%b'",
    "a pattern of escapes": r"SELECT COUNT(*) FROM visits WHERE code LIKE '\%\_%' ESCAPE '\'",
    "a long text, joined": "SELECT COUNT(*) FROM visits WHERE code || note || code = ''",
    "letters of all kinds": "SELECT COUNT(*) FROM visits WHERE UPPER(TRIM(code)) = 'É'",
    "categories that are none": "SELECT ward, COUNT(*) FROM visits GROUP BY ward",
    "ages that are none": "SELECT age, COUNT(*) FROM visits GROUP BY age",
    "days that are none": "SELECT day, COUNT(*) FROM visits GROUP BY day",
    "truths that are none": "SELECT urgent, COUNT(*), AVG(age) FROM visits GROUP BY urgent",
    "a constant as a key of rare rows": f"SELECT 50, COUNT(*) FROM visits WHERE code = {RARE} "
    "GROUP BY 1",
    "constants of all kinds as keys": "SELECT 50, 'x', TRUE, DATE '2024-01-01', 1.5, COUNT(*), "
    f"SUM(7), MEDIAN(8), COUNT(DISTINCT 9) FROM visits WHERE code = {RARE} GROUP BY 1, 2, 3, 4, 5",
    "a number that is never there as a key": "SELECT 0.5 + CAST(dose AS INTEGER) % 0, "
    f"NULLIF(7, 7), COUNT(*), COUNT(DISTINCT patient) FROM drugs WHERE drug = {RARE} GROUP BY 1, 2",
    # Rows beyond every bound.
    "many rows": "SELECT COUNT(*), COUNT(DISTINCT patient) FROM visits",
    "many rows in one group": "SELECT ward, COUNT(*), SUM(age) FROM visits GROUP BY ward",
    "many rows of a person": "SELECT AVG(CLAMP(n, 0, 50)) FROM (SELECT patient, COUNT(*) AS n "
    "FROM visits GROUP BY patient) AS t",
    "many rows, joined": "SELECT COUNT(*) FROM visits AS v JOIN visits AS w "
    "ON v.patient = w.patient",
    "many rows, twice": "SELECT COUNT(*) FROM (SELECT * FROM visits UNION ALL SELECT * "
    "FROM visits) AS t",
    "many rows by a public table": "SELECT COUNT(*) FROM visits AS v CROSS JOIN wards AS w",
    "many percentiles": "SELECT MEDIAN(cost), MEDIAN(age), MIN(day), MAX(day) FROM visits",
    "few rows, and the rest": "SELECT region, COUNT(*) FROM visits AS v LEFT JOIN wards AS w "
    "ON v.ward = w.ward GROUP BY region",
    # What is computed afterwards.
    "HAVING of one person": "SELECT age, COUNT(*) AS n FROM visits GROUP BY age HAVING "
    "COUNT(*) = 1",
    "ORDER BY an aggregate that is not shown": "SELECT ward FROM visits GROUP BY ward "
    "ORDER BY SUM(cost) DESC",
    "LIMIT to the largest": "SELECT day, SUM(cost) AS s FROM visits GROUP BY day ORDER BY s DESC "
    "LIMIT 1",
    "zero over zero": "SELECT AVG(cost) FILTER (WHERE FALSE), SUM(age) / (COUNT(*) - COUNT(*)) "
    "FROM visits",
    "names that collide": "SELECT COUNT(*) AS n, SUM(age) AS n_low, SUM(cost) AS n_sd FROM visits",
    "a name with a formula": 'SELECT COUNT(*) AS "=cmd|calc" FROM visits',
    "an alias over a column": "SELECT COUNT(*) AS patient, SUM(age) AS ward FROM visits "
    "ORDER BY ward",
    "a table under another's name": "WITH drugs AS (SELECT * FROM visits) SELECT COUNT(*) "
    "FROM drugs",
    "a table under its own name": "WITH visits AS (SELECT * FROM visits) SELECT COUNT(*) "
    "FROM visits",
    "an inner name as an alias": 'SELECT "_owner", COUNT(*) FROM (SELECT patient, ward AS "_owner" '
    "FROM visits) AS t GROUP BY 1",
    "a comment with a statement": "SELECT COUNT(*) /* ; DROP TABLE visits */ FROM visits -- '",
    "quotes in quotes": "SELECT COUNT(*) FROM visits WHERE code = '''; DROP TABLE visits; --'",
    "a slow CASE": f"SELECT COUNT(*) FROM visits WHERE CASE WHEN code = {RARE} THEN EXISTS "
    "(SELECT 1 FROM visits AS w WHERE w.patient = visits.patient AND w.note LIKE '%a%b%c%') "
    "ELSE FALSE END",
    "a condition on rows that are people": "SELECT post, COUNT(*), MAX(salary) FROM staff "
    "GROUP BY post",
}
