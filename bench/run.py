"""Every bar of the project, measured beside its peers in one run: `make bench`.

Times are CPU time of the process that does the work, ours and the peers' in turns, best of several.
"""

import argparse
import json
import sys
from contextlib import ExitStack
from pathlib import Path

import accounting
import audit
import audit_one_run
import curator
import noise
import tpch
from line import Line, table
from peer import Peer

RESULTS = Path(__file__).with_name("results.json")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--peers", type=Path, required=True, help="the Python that has the peers of peers.txt"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, not a table")
    parser.add_argument(
        "--only",
        metavar="SUBSTRING",
        default="",
        help=f"measure only what has this in its name, and leave {RESULTS.name} as it is",
    )
    asked = parser.parse_args()
    lines = measured(asked.peers, asked.only)
    written = json.dumps([line.as_json() for line in lines], indent=2)
    if not asked.only:
        RESULTS.write_text(written + "\n")
    print(written if asked.json else table(lines))
    missed = [line.name for line in lines if not line.met]
    print(f"{len(missed)} of {len(lines)} lines miss their bar", file=sys.stderr)
    return 1 if missed else 0


def measured(peers: Path, only: str) -> list[Line]:
    with ExitStack() as opened:
        opendp = opened.enter_context(Peer(peers, "peer_opendp.py"))
        dp_accounting = opened.enter_context(Peer(peers, "peer_dp_accounting.py"))
        everything = [
            *noise.measures(opendp),
            *accounting.measures(dp_accounting),
            *curator.measures(peers),
            *tpch.measures(),
            *audit_one_run.measures(),
            *audit.measures(),
        ]
        wanted = [measure for measure in everything if only in measure.name]
        lines = []
        for place, measure in enumerate(wanted, start=1):
            print(f"{place} of {len(wanted)}: {measure.name}", file=sys.stderr, flush=True)
            lines += measure.run()
        return lines


if __name__ == "__main__":
    sys.exit(main())
