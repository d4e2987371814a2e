"""Which texts are numbers, dates and times: the same patterns gate every engine.

Rule 1: what a pattern lets through, an engine reads without failing.
"""

__all__ = ["CLOCK", "DATE", "NUMBER", "WHOLE", "in_format"]

WHOLE = r"[ ]*[+-]?[0-9]{1,18}[ ]*"
"""Below 2^63."""

LONG = r"([0-9]{1,30}([.][0-9]{0,30})?|[.][0-9]{1,30})([eE][+-]?[0-9]{1,2})?"
FAR = r"[1-9]([.][0-9]{0,30})?[eE][+-]?([12][0-9]{2}|30[0-7])"
NUMBER = rf"[ ]*[+-]?({LONG}|{FAR})[ ]*"
"""No float overflows or vanishes: below 10^30 times 10^99, or from 10^-307 to 10^308."""

DATE = r"(0[1-9]|[1-9][0-9])[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])([ T].*)?"
"""Engines match the first eleven characters. Years from 100 on; the month may lack the day."""

CLOCK = r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{0,30})?"


def in_format(pattern: str) -> str:
    """A pattern as it stands in a text that is formatted: its braces doubled."""
    return pattern.replace("{", "{{").replace("}", "}}")
