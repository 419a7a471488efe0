"""Binary searches in arrays whose numbers ascend."""

from typing import Any

from numba import njit
from numpy.typing import NDArray


@njit(cache=True)
def through_value(ordered: NDArray[Any], v: float) -> int:
    """Return how many of the values in order are at most v."""
    low, high = 0, len(ordered)
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] <= v:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True)
def below_value(ordered: NDArray[Any], v: float) -> int:
    """Return how many of the values in order are less than v."""
    low, high = 0, len(ordered)
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] < v:
            low = middle + 1
        else:
            high = middle
    return low
