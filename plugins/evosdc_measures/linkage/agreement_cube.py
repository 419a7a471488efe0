"""How many originals agree with a record on each subset of the attributes, counted once for all records there can be.

A data cube (Gray et al., 1997): the table of counts with one more place along each attribute, for all categories
together. Where it is small against the originals, a profile is a count for each subset of the attributes, of which
Moebius inversion leaves the exact patterns, whatever the number of originals.
"""

from math import prod
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Codes
from evosdc_measures.domains import Counts, Integers

MOST_CELLS = 1 << 22
"""Greatest cube, of 16 MiB: looking up cells of larger ones takes as long as other roads."""
CELLS_BY_ORIGINAL = 64
"""A cube has at most so many cells for each distinct original, so that making it pays for a few hundred profiles."""


class Cube(NamedTuple):
    """Counts of originals that agree on the attributes of a subset.

    Parameters
    ----------
    counts : ndarray of int32, shape (prod(widths + 1),)
        Flat, the last attribute the fastest: by missing value, category, and last everyone. Empty where the cube would
        be too large.
    widths : ndarray of int64, shape (V,)
        Number of categories plus one.
    """

    counts: Counts
    widths: Integers


def cube_of(records: Codes, numbers: Counts, widths: Integers, wildcard: bool) -> Cube:
    """Return the cube of distinct originals, shape (D, V), of which there are so many each, shape (D,).

    Parameters
    ----------
    records : ndarray of int32, shape (D, V)
    numbers : ndarray of int32, shape (D,)
    widths : ndarray of int64, shape (V,)
        Number of categories plus one.
    wildcard : bool
        Whether a missing value agrees with everything.
    """
    shape = tuple(widths.tolist())
    if prod(width + 1 for width in shape) > min(MOST_CELLS, CELLS_BY_ORIGINAL * len(records)):
        return Cube(np.empty(0, np.int32), widths)
    places = np.ravel_multi_index(tuple(records.T.astype(np.int64) + 1), shape)
    counts: NDArray[np.int32] = np.zeros(shape, np.int32)
    counts.reshape(-1)[places] = numbers
    for axis in range(len(shape)):
        everyone = counts.sum(axis=axis, keepdims=True, dtype=np.int32)
        if wildcard:
            unknown, known = np.split(counts, [1], axis=axis)
            counts = np.concatenate((everyone, known + unknown, everyone), axis=axis)
        else:
            counts = np.concatenate((counts, everyone), axis=axis)
    return Cube(counts.reshape(-1), widths)


@njit(cache=True)
def look_up(records: Codes, cube: Counts, widths: Integers, profiles: Counts) -> None:
    """Write the profiles of records by a cube that is not empty.

    Parameters
    ----------
    records : ndarray of int32, shape (k, V)
    cube, widths
        As of `Cube`.
    profiles : ndarray of int32, shape (k, 2**V)
        Written.
    """
    count, attributes = records.shape
    patterns = 1 << attributes
    places = np.empty(patterns, np.int64)
    for i in range(count):
        places[0] = len(cube) - 1
        filled, stride = 1, len(cube)
        for v in range(attributes):
            stride //= widths[v] + 1
            step = (widths[v] - 1 - records[i, v]) * stride
            for pattern in range(filled):
                places[filled + pattern] = places[pattern] - step
            filled *= 2
        own = profiles[i]
        for pattern in range(patterns):
            own[pattern] = cube[places[pattern]]
        bit = 1
        while bit < patterns:
            for begin in range(0, patterns, 2 * bit):
                for pattern in range(begin, begin + bit):
                    own[pattern] -= own[pattern + bit]
            bit *= 2
