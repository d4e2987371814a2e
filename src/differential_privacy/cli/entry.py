"""The command `dp`: loads a command when it is named, and tells what fails in one line.

Rule 1: nobody sees a traceback, and no error tells a private value.
"""

import json
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NoReturn

import click

from differential_privacy import errors
from differential_privacy.cli.lines import plain
from differential_privacy.cli.options import JSON, listed
from differential_privacy.cli.outcomes import FAULT, NOT_DONE, OUTCOMES, USAGE, outcome_of

__all__ = ["commands", "main"]

COMMANDS = {
    "init": "Write a policy from your tables.",
    "check": "Say what a policy protects, and what is wrong with it.",
    "prepare": "Rank the rows of tables once, so that questions are fast.",
    "plan": "Tell what a question would cost, and its error: free.",
    "ask": "Buy the answer of a question.",
    "ledger": "Show what was spent, verify it, export it.",
    "grant": "Give an analyst or a table a larger budget.",
    "revoke": "Let nothing more be spent by an analyst or from a table.",
    "demo": "See all of it at work on a made-up hospital.",
    "audit": "Attack your own policy on made-up rows, and report.",
    "attack": "Run the attacks that anonymizing does not survive.",
    "doctor": "Look at the installation, and say what to do.",
}

BEGIN = (
    "dp demo",
    "dp init visits.parquet --person patient",
    'dp plan "SELECT COUNT(*) FROM visits" --epsilon 0.1',
)
COMPLETION = (
    'eval "$(_DP_COMPLETE=bash_source dp)"',
    "zsh and fish alike: zsh_source, fish_source",
)
CLOSING = (
    ("Begin", BEGIN),
    ("Exit codes", [f"{code}  {meaning}" for code, meaning in OUTCOMES.items()]),
    ("Completion, in ~/.bashrc", COMPLETION),
)


class Commands(click.Group):
    """Commands by name; each is a module that is loaded when it is named."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which people need them."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name."""
        if cmd_name not in COMMANDS and ctx.resilient_parsing:
            return None
        if cmd_name not in COMMANDS:
            close = get_close_matches(cmd_name, COMMANDS, n=1)
            hint = f"did you mean {close[0]}?" if close else f"only {', '.join(COMMANDS)}"
            raise click.UsageError(f"{cmd_name} is no command, {hint}", ctx)
        found = import_module(f"differential_privacy.cli.{cmd_name}").command
        return found if isinstance(found, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """What each does, without loading it."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _show_version(ctx: click.Context, _: click.Parameter, wanted: object) -> None:
    if wanted and not ctx.resilient_parsing:
        click.echo(f"dp {import_module('differential_privacy').__version__}")
        ctx.exit()


commands = Commands(
    "dp",
    help="Private answers to SQL over real tables, under one durable budget.",
    epilog="\n\n".join(listed(name, *lines) for name, lines in CLOSING),
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            expose_value=False,
            is_eager=True,
            callback=_show_version,
            help="Show the version.",
        )
    ],
)


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Runs one command, and leaves with an exit code that says how it went."""
    for stream in (sys.stdout, sys.stderr):
        # What a terminal cannot show becomes a question mark, and not an error.
        getattr(stream, "reconfigure", dict)(errors="replace")
    given = list(sys.argv[1:] if args is None else args)
    try:
        code = commands.main(given, prog_name="dp", standalone_mode=False)
    except click.Abort:
        _leave(NOT_DONE, "stopped: what was paid before that stays paid", given)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        sys.exit(USAGE)
    except click.UsageError as error:
        _leave(USAGE, _usage(error), given)
    except click.ClickException as error:
        _leave(error.exit_code, error.format_message(), given)
    except errors.DifferentialPrivacyError as error:
        _leave(outcome_of(type(error)), str(error), given)
    except OSError as error:
        place = "" if error.filename is None else f"{error.filename}: "
        _leave(outcome_of(type(error)), f"{place}{error.strerror or 'cannot be used'}", given)
    except Exception as error:  # noqa: BLE001 - what an unforeseen error says may be private
        _leave(FAULT, f"a fault of this program, {_place(error)}: please report it", given)
    sys.exit(code if isinstance(code, int) else 0)


def _leave(code: int, message: str, args: Sequence[str]) -> NoReturn:
    """One line for people, or one object for machines."""
    line = plain(message)
    if JSON in args:
        line = json.dumps({"error": line, "code": code, "meaning": OUTCOMES[code]})
    else:
        line = f"dp: {line}"
    click.echo(line, err=True)
    sys.exit(code)


def _usage(error: click.UsageError) -> str:
    message = error.format_message().rstrip(".")
    if error.ctx is None:
        return message
    return f"{message}: see `{error.ctx.command_path} --help`"


def _place(error: BaseException) -> str:
    """Where an error arose: a line of code, which is public."""
    trace: Any = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    name = type(error).__name__
    if trace is None:
        return name
    return f"{name} at {trace.tb_frame.f_globals.get('__name__')}, line {trace.tb_lineno}"
