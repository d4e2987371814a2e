"""From the tail of a noise to its error at a confidence, and back from an error to the noise."""

from collections.abc import Callable
from fractions import Fraction

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import Interval, Number, integer, log, open_probability, round_down

__all__ = ["least_covering", "least_whole", "widest_within"]

TINY = Fraction(1, 1 << 64)
HALVINGS = 60
"""Enough to find a scale to twelve digits, starting from within a factor of a million."""


def least_covering(
    confidence: Number, count: int, *, tail: Callable[[int], Interval], guess: int
) -> int:
    """The least whole t with (1 - tail(t))^count >= confidence: independent draws, none beyond.

    `tail` is the chance to be beyond t. Where enclosures cannot tell, the answer is one too large
    rather than too small.
    """
    sure = open_probability(confidence, "confidence")
    draws = integer(count, "count", least=1)

    def covers(t: int) -> bool:
        beyond = tail(t).high
        # The sum of the chances is enough, and where they are tiny it is all there is to tell.
        if draws * beyond <= 1 - sure:
            return True
        return TINY < beyond < 1 and (draws * log(1 - beyond)).low >= log(sure).high

    return least_whole(covers, guess=guess)


def least_whole(enough: Callable[[int], bool], *, guess: int) -> int:
    """The least whole number from 0 that is enough, where all larger ones are as well.

    >>> least_whole(lambda t: t * t >= 50, guess=100)
    8
    """
    low, high, step = -1, max(guess, 0), 1
    # The guess is usually a good one, so the search leaves it in growing steps, either way.
    while not enough(high):
        low, high, step = high, high + step, 2 * step
    while high - step > low:
        if not enough(high - step):
            low = high - step
            break
        high, step = high - step, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def widest_within(most: int, *, start: Fraction, error: Callable[[Fraction], int]) -> Fraction:
    """The largest parameter, to twelve digits, whose error is at most `most`."""
    low = high = start
    while error(low) > most:
        low /= 2
    while error(high) <= most:
        high *= 2
    for _ in range(HALVINGS):
        middle = round_down((low + high) / 2)
        if middle <= low:
            break
        low, high = (middle, high) if error(middle) <= most else (low, middle)
    if low <= 0:
        raise InvalidArgumentError("error", most, "is too small for any noise")
    return round_down(low)
