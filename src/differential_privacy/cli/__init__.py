"""The curator, typed: `dp init | check | prepare | plan | ask | ledger | grant | revoke | ...`."""

from differential_privacy.cli.entry import main

__all__ = ["main"]
