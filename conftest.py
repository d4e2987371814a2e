"""Every example in the docstrings and pages runs as a test, with the package's names at hand."""

from doctest import ELLIPSIS, NORMALIZE_WHITESPACE
from fractions import Fraction
from typing import Any

from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser
from sybil.parsers.rest import DocTestParser
from sybil.sybil import SybilCollection

import differential_privacy as dp
from differential_privacy import (
    accounting,
    curator,
    exact,
    ledger,
    mechanisms,
    privacy,
    queries,
    release,
    sampling,
    sources,
)

FLAGS = ELLIPSIS | NORMALIZE_WHITESPACE


def in_docstrings(namespace: dict[str, Any]) -> None:
    """Docstring examples use the names of every package as if they were imported."""
    core = (exact, privacy, accounting, sampling, mechanisms)
    for package in (*core, ledger, sources, queries, release, curator):
        namespace.update({name: getattr(package, name) for name in package.__all__})
    namespace.update(dp=dp, Fraction=Fraction)


pytest_collect_file = SybilCollection(
    [
        Sybil([DocTestParser(FLAGS)], path="src", pattern="*.py", setup=in_docstrings),
        Sybil([PythonCodeBlockParser(doctest_optionflags=FLAGS)], path="docs", pattern="*.md"),
        Sybil([PythonCodeBlockParser(doctest_optionflags=FLAGS)], pattern="README.md"),
    ]
).pytest()
