"""What a column may hold, and dates and times as whole numbers.

Rule 1: each kind of value is a truth, a text or a whole number, the same on each engine.
"""

import datetime as dt
from enum import Enum
from fractions import Fraction

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import shown

__all__ = [
    "DAY_SECONDS",
    "EPOCH",
    "FIRST_DAY",
    "LAST_DAY",
    "Kind",
    "Physical",
    "day",
    "instant",
    "number_text",
    "second",
    "written",
]

EPOCH = dt.date(1970, 1, 1)
MIDNIGHT = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - timestamps here have no zone
FIRST_DAY = (dt.date.min - EPOCH).days
LAST_DAY = (dt.date.max - EPOCH).days
DAY_SECONDS = 86400


class Kind(Enum):
    """What a column holds, and as which whole numbers or texts questions see it.

    A boolean is true or false; an integer is itself; a number is its index on a grid; a text is its
    first 65,536 characters; a date is its day since 1970, a timestamp its second since then, a time
    its second of the day. What is no such value (NaN, infinities, text in a column of numbers) is
    NULL.
    """

    BOOLEAN = "boolean"
    INTEGER = "integer"
    NUMBER = "number"
    TEXT = "text"
    DATE = "date"
    TIMESTAMP = "timestamp"
    TIME = "time"


class Physical(Enum):
    """What an engine stores; wide numbers are decimals and integers that 64 bits may not hold."""

    BOOLEAN = "boolean"
    WHOLE = "whole number"
    WIDE = "wide number"
    REAL = "float"
    TEXT = "text"
    DATE = "date"
    TIMESTAMP = "timestamp"
    TIME = "time"
    OTHER = "other"


def day(value: object, name: str) -> int:
    """The day since 1970 of a date or its text.

    >>> day("1970-01-02", "lower")
    1
    """
    if isinstance(value, dt.datetime) or not isinstance(value, dt.date | str):
        raise InvalidArgumentError(name, value, "must be a date, as 2024-01-31")
    try:
        date = dt.date.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        raise InvalidArgumentError(name, value, "must be a date, as 2024-01-31") from None
    return (date - EPOCH).days


def instant(value: object, name: str) -> int:
    """The second since 1970 of a timestamp or its text; no time zone is meant, or UTC.

    >>> instant("1970-01-02 00:00:01", "lower")
    86401
    """
    rule = "must be a timestamp without a zone, as 2024-01-31 12:30:00"
    if isinstance(value, str):
        try:
            value = dt.datetime.fromisoformat(value)
        except ValueError:
            raise InvalidArgumentError(name, value, rule) from None
    if isinstance(value, dt.datetime):
        if value.tzinfo is not None:
            value = value.astimezone(dt.UTC).replace(tzinfo=None)
        return (value - MIDNIGHT) // dt.timedelta(seconds=1)
    if isinstance(value, dt.date):
        return (value - EPOCH).days * DAY_SECONDS
    raise InvalidArgumentError(name, value, rule)


def second(value: object, name: str) -> int:
    """The second of the day of a time or its text.

    >>> second("00:01:01", "lower")
    61
    """
    rule = "must be a time of day, as 12:30:00"
    if isinstance(value, str):
        try:
            value = dt.time.fromisoformat(value)
        except ValueError:
            raise InvalidArgumentError(name, value, rule) from None
    if not isinstance(value, dt.time):
        raise InvalidArgumentError(name, value, rule)
    return value.hour * 3600 + value.minute * 60 + value.second


def written(kind: Kind, index: int, step: Fraction = Fraction(1)) -> str:
    """A whole number as people write the value that it stands for.

    >>> written(Kind.DATE, 19723), written(Kind.NUMBER, 25, Fraction(1, 100))
    ('2024-01-01', '0.25')
    """
    if kind is Kind.DATE:
        return (EPOCH + dt.timedelta(days=index)).isoformat()
    if kind is Kind.TIMESTAMP:
        return (MIDNIGHT + dt.timedelta(seconds=index)).isoformat(sep=" ")
    if kind is Kind.TIME:
        return (MIDNIGHT + dt.timedelta(seconds=index)).time().isoformat()
    return number_text(index * step)


def number_text(number: Fraction) -> str:
    """A number as a text that reads back as it.

    >>> number_text(Fraction(1, 100)), number_text(Fraction(1, 3))
    ('0.01', '1/3')
    """
    text = shown(number)
    return text if text[0] != "F" else str(number)
