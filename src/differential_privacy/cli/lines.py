"""Text of others as one line that a terminal only shows.

Rule 1: what an analyst wrote, or a row holds, never steers the terminal of who reads it.
"""

__all__ = ["plain"]

HIDDEN = "\N{REPLACEMENT CHARACTER}"


def plain(text: str) -> str:
    r"""The text in one line, without control characters.

    >>> from differential_privacy.cli.lines import plain
    >>> plain("SELECT 1\n  FROM \x1b[2Jvisits")
    'SELECT 1 FROM �[2Jvisits'
    """
    line = " ".join(text.split())
    return "".join(one if one.isprintable() else HIDDEN for one in line)
