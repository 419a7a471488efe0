"""Kernels that find equal numbers through a hash table, without putting them in order."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Reals = NDArray[np.float64]

_ODD, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)


class FirstPlaces:
    """The first place of each of some numbers.

    Parameters
    ----------
    values : ndarray of float, shape (k,)
        NaN counts for nothing.
    """

    def __init__(self, values: Reals) -> None:
        self.values = values
        self.table = np.zeros(1 << (2 * len(values) + 1).bit_length(), dtype=np.int32)
        enter(values, self.table)

    def of(self, wanted: Reals) -> NDArray[np.int32]:
        """Return the first place of each wanted number, -1 where there is none."""
        places = np.empty(len(wanted), dtype=np.int32)
        look_up(self.values, self.table, wanted, places)
        return places


@njit(cache=True)
def enter(values: Reals, table: NDArray[np.int32]) -> None:
    """Put the first place of each number, from 1 on, into an empty hash table, whose size is a power of two."""
    mask = len(table) - 1
    for place in range(len(values)):
        value = values[place]
        if value == value:
            slot = _slot(value) & mask
            while table[slot] != 0 and values[table[slot] - 1] != value:
                slot = (slot + 1) & mask
            if table[slot] == 0:
                table[slot] = place + 1


@njit(cache=True)
def look_up(values: Reals, table: NDArray[np.int32], wanted: Reals, places: NDArray[np.int32]) -> None:
    """Find the first place of each wanted number, -1 where there is none.

    Parameters
    ----------
    values, table : ndarray
        Of `enter`.
    wanted : ndarray of float, shape (m,)
    places : ndarray of int32, shape (m,)
        Takes the places.
    """
    mask = len(table) - 1
    for position in range(len(wanted)):
        value = wanted[position]
        places[position] = -1
        if value == value:
            slot = _slot(value) & mask
            while table[slot] != 0 and values[table[slot] - 1] != value:
                slot = (slot + 1) & mask
            places[position] = table[slot] - 1


@njit(cache=True)
def _slot(value: float) -> int:
    bits = np.float64(value + 0.0).view(np.uint64)  # nought has two signs
    mixed = (bits ^ (bits >> _HALF)) * _ODD
    return int(mixed >> _HALF)
