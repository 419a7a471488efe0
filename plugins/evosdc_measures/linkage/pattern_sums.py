"""Probabilities of all agreement patterns from those of attributes, and sums over patterns, by doubling and folding."""

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True)
def spread(p: NDArray[np.float64], first: int, last: int, factor: float, table: NDArray[np.float64]) -> None:
    """Write the probability of each pattern of some attributes, times a factor; doubled attribute by attribute."""
    table[0] = factor
    filled = 1
    for v in range(first, last):
        agree, disagree = p[v], 1.0 - p[v]
        for pattern in range(filled):
            table[filled + pattern] = table[pattern] * agree
            table[pattern] *= disagree
        filled *= 2


@njit(cache=True)
def fold(table: NDArray[np.float64], first: int, last: int, agreed: NDArray[np.float64]) -> None:
    """Write for some attributes the sum over patterns that agree on it; the sum of all is left at the first place."""
    filled = len(table)
    for v in range(last - 1, first - 1, -1):
        filled //= 2
        total = 0.0
        for pattern in range(filled):
            total += table[filled + pattern]
            table[pattern] += table[filled + pattern]
        agreed[v] = total
