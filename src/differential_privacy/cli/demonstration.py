"""What `dp demo` asks: questions of all kinds, an attack, and more than the budget allows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from differential_privacy.cli.hospital import Hospital
from differential_privacy.cli.opening import account_names
from differential_privacy.cli.wording import told_refusal
from differential_privacy.curator import Session
from differential_privacy.errors import BudgetExceededError, QuestionError
from differential_privacy.ledger import Account
from differential_privacy.release import Answer

__all__ = [
    "GROUPED",
    "LAST",
    "PRICE",
    "QUESTIONS",
    "TIMES",
    "WHOLE",
    "Asked",
    "Attack",
    "Result",
    "answered",
    "attack",
    "refusals",
    "spent_out",
]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of the demo; `rest` acts on noisy values, so the truth is asked for without it."""

    about: str
    body: str
    rest: str = ""
    epsilon: str | None = None
    within: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """The whole question."""
        return f"{self.body} {self.rest}".strip()


GROUPED = Asked(
    "Counts and means of groups, in one purchase",
    "SELECT ward, COUNT(*) AS n, AVG(cost) AS mean_cost FROM visits GROUP BY ward",
    epsilon="0.2",
)
QUESTIONS = (
    Asked("A count", "SELECT COUNT(*) AS visits FROM visits", epsilon="0.05"),
    Asked(
        "People, not rows",
        "SELECT COUNT(DISTINCT patient) AS patients FROM visits WHERE age >= 65",
        epsilon="0.05",
    ),
    GROUPED,
    Asked(
        "Sums by month",
        "SELECT EXTRACT(MONTH FROM day) AS month, SUM(nights) AS nights FROM visits "
        "WHERE day >= DATE '2025-01-01' GROUP BY month",
        "ORDER BY month",
        epsilon="0.1",
    ),
    Asked(
        "A mean and its spread",
        "SELECT AVG(nights) AS mean, STDDEV_POP(nights) AS spread FROM visits "
        "WHERE ward = 'Surgery'",
        epsilon="0.1",
    ),
    Asked(
        "A median and a percentile",
        "SELECT MEDIAN(cost) AS half, QUANTILE(cost, 0.9) AS nine_in_ten FROM visits",
        epsilon="0.1",
    ),
    Asked(
        "A share",
        "SELECT AVG(CASE WHEN emergency THEN 1 ELSE 0 END) AS emergencies FROM visits "
        "WHERE age < 18",
        epsilon="0.05",
    ),
    Asked(
        "A histogram",
        "SELECT BIN(age, 20) AS from_age, COUNT(*) AS n FROM visits GROUP BY from_age",
        epsilon="0.1",
    ),
    Asked(
        "Groups that nobody has listed: rare ones are not shown",
        "SELECT diagnosis, COUNT(*) AS n FROM visits GROUP BY diagnosis",
        "ORDER BY n DESC LIMIT 5",
        epsilon="0.2",
    ),
    Asked(
        "A join with a public table",
        "SELECT building, SUM(cost) AS cost FROM visits JOIN wards USING (ward) GROUP BY building",
        epsilon="0.1",
    ),
    Asked(
        "What each person has, first",
        "SELECT AVG(visits) AS visits_each FROM (SELECT patient, LEAST(COUNT(*), 40) AS visits "
        "FROM visits GROUP BY patient)",
        epsilon="0.05",
    ),
    Asked(
        "Conditions and order on noisy values",
        "SELECT ward, COUNT(DISTINCT patient) AS patients FROM visits GROUP BY ward",
        "HAVING COUNT(DISTINCT patient) > 60000 ORDER BY patients DESC",
        epsilon="0.1",
    ),
    Asked(
        "The error is given, and the price is found",
        "SELECT COUNT(*) AS n FROM visits WHERE ward = 'Oncology' AND nights > 20",
        within=(("n", "1000"),),
    ),
)

REFUSED = (
    "SELECT ward, cost FROM visits",
    "SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient",
    "SELECT COUNT(*) AS n FROM visits a JOIN visits b ON a.ward = b.ward",
    "SELECT SUM(LENGTH(diagnosis)) AS s FROM visits",
    "DROP TABLE visits",
)

REPEATED = "SELECT COUNT(DISTINCT patient) AS n FROM visits WHERE diagnosis = 'R001'"
REWORDED = "select count(distinct PATIENT) as who from Visits where (diagnosis='R001')"
PRICE, WHOLE, TIMES = "0.05", "0.5", 100
LAST = "0.3"
TOO_MANY = "SELECT AVG(cost) AS mean FROM visits WHERE age < {age}"


@dataclass(frozen=True, slots=True)
class Result:
    """A question, its answer, and for each row of the answer the row of the truth."""

    asked: Asked
    answer: Answer
    truth: list[tuple[object, ...]]

    @property
    def held(self) -> list[bool]:
        """Of each value that has an error bar, whether that holds the truth."""
        found = []
        for place, column in enumerate(self.answer.plan.columns):
            if not column.public:
                ends = (self.answer.columns[f"{column.name}_{end}"] for end in ("low", "high"))
                told = zip(*ends, (row[place] for row in self.truth), strict=True)
                found += [_between(*one) for one in told if None not in one[:2]]
        return found


@dataclass(frozen=True, slots=True)
class Attack:
    """What came of asking again and again.

    At one price the answers were all the `same`, also when `reworded`. At others `bought` of them
    were had, before the `refusal`; their mean is `averaged`, and the best that the whole budget can
    buy at once is within `bound`.
    """

    same: bool
    reworded: bool
    bought: int
    averaged: float
    bound: float
    truth: object
    refusal: str


def answered(session: Session, asked: Asked, hospital: Hospital) -> Result:
    """Asks a question, of the session and of the truth."""
    answer = session.sql(asked.text, epsilon=asked.epsilon, within=dict(asked.within) or None)
    public = [place for place, column in enumerate(answer.plan.columns) if column.public]
    exact = {_key(row, public): row for row in hospital.truth(asked.body)}
    nothing = (0,) * len(answer.plan.columns)
    return Result(asked, answer, [exact.get(_key(row, public), nothing) for row in answer.rows])


def refusals(session: Session) -> Iterator[tuple[str, str]]:
    """Questions that would show people's rows, and why they are refused."""
    for text in REFUSED:
        try:
            session.plan(text, epsilon=PRICE)
        except QuestionError as error:
            yield text, str(error)


def attack(session: Session, hospital: Hospital) -> Attack:
    """Asks one question again and again, then at slightly other prices until none is left."""
    first = session.sql(REPEATED, epsilon=PRICE)
    again = [session.sql(REPEATED, epsilon=PRICE) for _ in range(TIMES - 1)]
    other = session.sql(REWORDED, epsilon=PRICE)
    values = [_value(first)]
    names = account_names(session.accounts)
    refusal = ""
    while not refusal:
        try:
            values.append(_value(session.sql(REPEATED, epsilon=f"{PRICE}{len(values):02d}")))
        except BudgetExceededError as error:
            refusal = told_refusal(error, names)
    ((truth,),) = hospital.truth(REPEATED)
    return Attack(
        same=all(_value(one) == values[0] and one.repeated for one in again),
        reworded=_value(other) == values[0] and other.repeated,
        bought=len(values),
        averaged=fmean(values),
        bound=session.plan(REPEATED, epsilon=WHOLE).expected()[0].error,
        truth=truth,
        refusal=refusal,
    )


def spent_out(session: Session) -> Iterator[tuple[str, Account | str]]:
    """Asks on until the budget refuses: each question with the account after it, or the refusal."""
    names = account_names(session.accounts)
    for age in range(10, 120, 10):
        text = TOO_MANY.format(age=age)
        try:
            session.sql(text, epsilon=LAST)
        except BudgetExceededError as error:
            yield text, told_refusal(error, names)
            return
        yield text, session.account


def _value(answer: Answer) -> float:
    return float(str(answer.value))


def _key(row: Sequence[object], public: Sequence[int]) -> tuple[str, ...]:
    return tuple(str(row[place]) for place in public)


def _between(low: object, high: object, exact: object) -> bool:
    return float(str(low)) <= float(str(exact)) <= float(str(high))
