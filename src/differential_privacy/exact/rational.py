"""Numbers as people write them, taken as exact rationals.

Rule 1: a float means its shortest decimal, so 0.1 is one tenth.
Rule 2: what is no finite number, or is too long to compute with, is refused by name.
"""

import re
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real

from differential_privacy.errors import InvalidArgumentError

Number = int | float | str | Decimal | Fraction
"""What a public parameter may be given as."""

LONGEST = 4096
"""Bits above or below the line: far beyond any use, and cheap to compute with."""

LARGEST_EXPONENT = 1000
DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e(?P<exponent>[+-]?\d{1,5}))?", re.IGNORECASE)
RATIO = re.compile(r"[+-]?\d+/\d+")


def rational(value: Number, name: str) -> Fraction:
    """The exact rational that `value` is written as.

    >>> rational(0.1, "epsilon"), rational("1/3", "epsilon"), rational(2, "epsilon")
    (Fraction(1, 10), Fraction(1, 3), Fraction(2, 1))
    """
    exact = _read(value)
    if exact is None:
        rule = "must be a finite number: an int, a float, a Fraction, a Decimal, or text like '1/3'"
        raise InvalidArgumentError(name, value, rule)
    if max(exact.numerator.bit_length(), exact.denominator.bit_length()) > LONGEST:
        raise InvalidArgumentError(
            name, value, f"must fit in {LONGEST} bits above and below the line"
        )
    return exact


def positive(value: Number, name: str) -> Fraction:
    """A rational above zero."""
    exact = rational(value, name)
    if exact <= 0:
        raise InvalidArgumentError(name, value, "must be positive")
    return exact


def nonnegative(value: Number, name: str) -> Fraction:
    """A rational that is zero or more."""
    exact = rational(value, name)
    if exact < 0:
        raise InvalidArgumentError(name, value, "must not be negative")
    return exact


def probability(value: Number, name: str) -> Fraction:
    """A rational from zero to one, both allowed."""
    exact = rational(value, name)
    if not 0 <= exact <= 1:
        raise InvalidArgumentError(name, value, "must be from 0 to 1")
    return exact


def open_probability(value: Number, name: str) -> Fraction:
    """A rational strictly between zero and one."""
    exact = rational(value, name)
    if not 0 < exact < 1:
        raise InvalidArgumentError(name, value, "must be above 0 and below 1")
    return exact


def small_probability(value: Number, name: str) -> Fraction:
    """A rational from zero, allowed, to one, not allowed: what a delta may be."""
    exact = rational(value, name)
    if not 0 <= exact < 1:
        raise InvalidArgumentError(name, value, "must be at least 0 and below 1")
    return exact


def integer(value: object, name: str, *, least: int | None = None) -> int:
    """A whole number, at least `least` where one is given."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InvalidArgumentError(name, value, "must be a whole number")
    whole = int(value)
    if least is not None and whole < least:
        raise InvalidArgumentError(name, value, f"must be at least {least}")
    return whole


def boolean(value: object, name: str) -> bool:
    """True or False, and not what only stands for them."""
    if not isinstance(value, bool):
        raise InvalidArgumentError(name, value, "must be True or False")
    return value


def shown(value: Fraction) -> str:
    """The shortest text that reads back as `value`: a decimal where there is one, else a Fraction.

    >>> shown(Fraction(1, 10)), shown(Fraction(1, 3)), shown(Fraction(2))
    ('0.1', 'Fraction(1, 3)', '2')
    """
    if value.denominator == 1 and abs(value.numerator) < 10**15:
        return str(value.numerator)
    try:
        text = repr(float(value))
    except OverflowError:
        return repr(value)
    return text if Fraction(text) == value else repr(value)


def _read(value: object) -> Fraction | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, float):
        return _read_text(float.__repr__(value))
    # The text of a number of another width, as numpy has, is its shortest decimal as well.
    return _read_text(str(value).strip()) if isinstance(value, str | Decimal | Real) else None


def _read_text(text: str) -> Fraction | None:
    if len(text) > LONGEST:
        return None
    decimal = DECIMAL.fullmatch(text)
    if decimal is not None:
        small_enough = abs(int(decimal["exponent"] or 0)) <= LARGEST_EXPONENT
        return Fraction(text) if small_enough else None
    if RATIO.fullmatch(text) and int(text.split("/")[1]) != 0:
        return Fraction(text)
    return None
