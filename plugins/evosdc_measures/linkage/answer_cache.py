"""A bounded memory of answers by record: each record has one place, and a newer answer takes an older one's.

What it answers is a pure function of the record, so what is remembered changes the time and never the result. Kernels
that use it hold the interpreter's lock, so threads do not meet in it.
"""

from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc_measures.domains import Counts, Integers

_UNKNOWN = -2
"""No code has this value, so no record is found at an empty place."""


class AnswerCache(NamedTuple):
    """Places of records, and what was answered for them.

    Parameters
    ----------
    factors : ndarray of int64, shape (V,)
        Factors of a record's digits in its place: mixed radix where all records have a place of their own, else odd
        numbers of 64 bits whose sum, with overflow, is a hash.
    shift : int
        Bits of that sum to drop.
    records : ndarray of int32, shape (2**b, V)
        The record at each place.
    answers : ndarray of int64, shape (2**b, 2)
        Least distance from that record to those that are searched, and how many are as near.
    """

    factors: Integers
    shift: int
    records: Counts
    answers: Integers


def memo_of(widths: NDArray[np.int64], most: int) -> AnswerCache:
    """Return an empty memory of at most about `most` places; smaller where all possible records fit."""
    sizes = [int(width) for width in widths]
    possible = prod(sizes)
    places = 1 << (min(possible, max(most, 1)) - 1).bit_length()
    if possible <= places:
        factors = np.array([prod(sizes[v + 1 :]) for v in range(len(sizes))], dtype=np.int64)
        shift = 0
    else:
        # Powers of a multiplier of good spectral quality (Knuth's MMIX), modulo 2**64.
        powers = [pow(6364136223846793005, v + 1, 1 << 64) for v in range(len(sizes))]
        factors = np.array(powers, dtype=np.uint64).view(np.int64)
        shift = 32
    records = np.full((places, len(sizes)), _UNKNOWN, dtype=np.int32)
    return AnswerCache(factors, shift, records, np.empty((places, 2), dtype=np.int64))
