"""`dp doctor`: looks at the installation and at a policy's own files, and says what to do."""

import click
from rich.text import Text

from differential_privacy.audit.installation import BAD, FINE, MISSING, environment, of_policy
from differential_privacy.cli import options
from differential_privacy.cli.outcomes import NOT_DONE
from differential_privacy.cli.showing import columns, show, show_json

__all__ = ["command"]


@click.command("doctor", epilog=options.examples("dp doctor", "dp doctor --json"))
@options.policy
@options.as_json
def command(
    *,
    policy: str,
    in_json: bool,
) -> None:
    """Look at versions, engines, and the ledger, key and disk of a policy; say what to do.

    Where nothing is to be mended its exit code is 0.
    """
    findings = [*environment(), *of_policy(policy)]
    if in_json:
        show_json(
            [{"subject": one.subject, "state": one.state, "told": one.told} for one in findings]
        )
    else:
        styles = {FINE: "green", MISSING: "dim", BAD: "red"}
        show(
            columns(
                ("", "", ""),
                (
                    (Text(one.state, style=styles[one.state]), one.subject, one.told)
                    for one in findings
                ),
            )
        )
    if any(one.state == BAD for one in findings):
        click.get_current_context().exit(NOT_DONE)
