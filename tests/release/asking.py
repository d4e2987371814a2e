"""Answers without a curator: a question, a price, and a ledger that ends with the test."""

from fractions import Fraction

from tests.plans.worlds import read

from differential_privacy.curator.catalog import Catalog
from differential_privacy.ledger import Ledger
from differential_privacy.privacy import ApproximateLoss, ConcentratedLoss
from differential_privacy.queries import Plan, Price
from differential_privacy.release import Answer, Door, Payers

SURE = Price(Fraction(10**9))
"""So much that noise of anything that one row adds is zero."""

FOUND = Price(Fraction(10**9), None, Fraction(1, 10))
"""The same where groups must be found; groups of very few people are still withheld."""

TABLE, ADA = "table", "ada"
PAYERS = Payers((TABLE,), ADA, ADA)


def purse() -> Ledger:
    """A ledger that pays for anything."""
    ledger = Ledger.in_memory()
    for name in (TABLE, ADA):
        ledger.open_account(name, ApproximateLoss(10**15, "0.9"))
    return ledger


def purse_in_rho() -> Ledger:
    """The same in rho."""
    ledger = Ledger.in_memory()
    for name in (TABLE, ADA):
        ledger.open_account(name, ConcentratedLoss(10**15, "0.9"))
    return ledger


def bought(catalog: Catalog, plan: Plan, ledger: Ledger | None = None) -> Answer:
    """The answer of a plan."""
    door = Door(ledger or purse(), catalog.scanner.engine)
    released = door.release(plan, PAYERS, data=lambda: "data")
    return Answer(plan, released.noisy, released.receipt, repeated=released.repeated)


def asked(catalog: Catalog, text: str, price: Price = SURE) -> Answer:
    """The answer of a question."""
    return bought(catalog, read(catalog, text).plan(price))
