"""The policy file, analysts and their budgets, sessions, previews."""

from differential_privacy.curator.accounts import Accounts
from differential_privacy.curator.builder import Query
from differential_privacy.curator.catalog import Catalog
from differential_privacy.curator.curator import Curator
from differential_privacy.curator.policy import Analyst, EngineChoice, LedgerPlace, Policy
from differential_privacy.curator.reading import read_policy
from differential_privacy.curator.session import Session

__all__ = [
    "Accounts",
    "Analyst",
    "Catalog",
    "Curator",
    "EngineChoice",
    "LedgerPlace",
    "Policy",
    "Query",
    "Session",
    "read_policy",
]
