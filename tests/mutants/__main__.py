"""Plants every mutant in the package, and tells which test kills it: all must be killed."""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.markup import escape
from rich.progress import track
from rich.table import Table
from tests.mutants.mutant import SOURCE, Mutant, copied
from tests.mutants.planted import MUTANTS
from tests.mutants.running import Outcome, passes, tried

AT_ONCE = 2


def main() -> int:
    """Zero where all were killed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--only", default="", help="those that have this text in name or file")
    only = parser.parse_args().only
    chosen = [one for one in MUTANTS if only in one.name or only in one.file]
    # All see the package as it is now, whoever works on it meanwhile.
    with TemporaryDirectory() as place:
        return judged(chosen, copied(SOURCE, Path(place)), Console())


def judged(chosen: Sequence[Mutant], source: Path, console: Console) -> int:
    """Runs the tests without a mistake, then with each."""
    strangers = [one for one in chosen if not one.fits(source)]
    if strangers or not chosen:
        named = "; ".join(f"{one.name} ({one.file})" for one in strangers) or "nothing was chosen"
        console.print(escape(f"what a mutant replaces must be in its file once: {named}"))
        return 1
    tests = sorted({test for one in chosen for test in one.tests})
    console.print(f"{len(chosen)} mutants; first the {len(tests)} tests of theirs without any")
    fine, said = passes(tests, source)
    if not fine:
        console.print(escape(said[-5000:]))
        return 1
    with ThreadPoolExecutor(AT_ONCE) as pool:
        running = pool.map(partial(tried, source=source), chosen)
        outcomes = list(track(running, total=len(chosen), console=console))
    console.print(table(outcomes))
    alive = sum(one.killer is None for one in outcomes)
    console.print(f"{len(outcomes) - alive} of {len(outcomes)} mutants were killed")
    return 1 if alive else 0


def table(outcomes: Sequence[Outcome]) -> Table:
    """A row for each mutant."""
    drawn = Table("mutant", "in", "killed by", "seconds")
    # A name without spaces is folded, where it would be cut.
    drawn.columns[2].overflow = "fold"
    for one in outcomes:
        killer = f"[bold red]{escape(one.fault)}[/]" if one.killer is None else escape(one.killer)
        drawn.add_row(escape(one.mutant.name), one.mutant.file, killer, f"{one.seconds:.0f}")
    return drawn


if __name__ == "__main__":
    sys.exit(main())
