"""Random subsets and orders of 0, 1, ..., population - 1, as index arrays."""

import numpy as np
from numpy.typing import NDArray

from differential_privacy.errors import InvalidArgumentError
from differential_privacy.exact import Number, integer, probability
from differential_privacy.sampling.bits import Bits, words
from differential_privacy.sampling.coins import bernoulli
from differential_privacy.sampling.keystream import secure_bits
from differential_privacy.sampling.shape import chunks
from differential_privacy.sampling.uniform import uniform

__all__ = ["fixed_subset", "poisson_subset", "shuffle"]

WORD = 64
LARGEST_POPULATION = 1 << 40
"""Far more than memory holds, so that a shuffle's keys keep at least 24 random bits."""

FEW = 64
"""Below one in so many, a subset is found by its members; else by a mark for everyone."""


def poisson_subset(population: int, rate: Number, *, bits: Bits | None = None) -> NDArray[np.int64]:
    """A subset, in rising order, that each index joins on its own with probability exactly `rate`.

    >>> poisson_subset(5, 1), poisson_subset(5, 0)
    (array([0, 1, 2, 3, 4]), array([], dtype=int64))
    """
    count = _population(population)
    return np.flatnonzero(bernoulli(probability(rate, "rate"), count, bits=bits)).astype(np.int64)


def fixed_subset(population: int, size: int, *, bits: Bits | None = None) -> NDArray[np.int64]:
    """A subset of `size` indices, in rising order, each such subset equally likely.

    Theorem: members are drawn uniformly with repetition, again and again as many as are still
    missing. This treats all indices alike, so subsets that a renaming of indices turns into each
    other are equally likely; those of one size all are.

    >>> fixed_subset(3, 3), fixed_subset(10**6, 10).shape
    (array([0, 1, 2]), (10,))
    """
    count = _population(population)
    wanted = integer(size, "size", least=0)
    if wanted > count:
        raise InvalidArgumentError("size", size, f"must be at most population = {count}")
    source = secure_bits() if bits is None else bits
    left_out = 2 * wanted > count
    chosen = _some(count, count - wanted if left_out else wanted, source)
    if not left_out:
        return chosen
    kept = np.ones(count, dtype=np.bool_)
    kept[chosen] = False
    return np.flatnonzero(kept)


def shuffle(population: int, *, bits: Bits | None = None) -> NDArray[np.int64]:
    """All indices in an order of which each is equally likely.

    Theorem: sorting by independent random keys of endless bits gives a uniform order, for they
    are exchangeable and never equal. Their first bits decide unless they are equal, and then the
    rest, independent of all that was read, orders the equal ones uniformly among themselves.

    >>> shuffle(1), sorted(shuffle(4).tolist())
    (array([0]), [0, 1, 2, 3])
    """
    count = _population(population)
    place_bits = max(count - 1, 0).bit_length()
    return _sorted_by_keys(count, WORD - place_bits, secure_bits() if bits is None else bits)


def _some(count: int, wanted: int, bits: Bits) -> NDArray[np.int64]:
    if wanted * FEW < count:
        chosen = np.empty(0, dtype=np.int64)
        while chosen.size < wanted:
            fresh = uniform(count, wanted - chosen.size, bits=bits)
            chosen = np.sort(np.concatenate([chosen, fresh]))
            chosen = chosen[np.append(True, chosen[1:] != chosen[:-1])]
        return chosen
    marked = np.zeros(count, dtype=np.bool_)
    missing = wanted
    while missing:
        marked[uniform(count, missing, bits=bits)] = True
        missing = wanted - int(np.count_nonzero(marked))
    return np.flatnonzero(marked)


def _sorted_by_keys(count: int, key_bits: int, bits: Bits) -> NDArray[np.int64]:
    """The order of so many random keys; equal keys are put in order by keys of their own."""
    place_bits = np.uint64(WORD - key_bits)
    # A key stands above its index in one word, because sorting words is faster than sorting places.
    keyed = np.arange(count, dtype=np.uint64)
    for part in chunks(count):
        fresh = words(bits, np.uint64, part.stop - part.start) >> place_bits
        keyed[part] |= fresh << place_bits
    keyed.sort()
    order = (keyed & np.uint64((1 << int(place_bits)) - 1)).astype(np.int64)
    keyed >>= place_bits
    equal = np.flatnonzero(keyed[1:] == keyed[:-1])
    for run in np.split(equal, np.flatnonzero(np.diff(equal) > 1) + 1):
        if run.size:
            tied = slice(int(run[0]), int(run[-1]) + 2)
            order[tied] = order[tied][_sorted_by_keys(run.size + 1, key_bits, bits)]
    return order


def _population(population: int) -> int:
    count = integer(population, "population", least=0)
    if count > LARGEST_POPULATION:
        raise InvalidArgumentError("population", population, "must be at most 2**40")
    return count
