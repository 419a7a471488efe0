"""Shares of records as whole numbers: their sums are exact, and do not depend on the order in which they are added."""

import numpy as np
from numpy.typing import NDArray


def unit_of(records: int) -> int:
    """Return the whole number that stands for one record; those of all records add up to less than 2**62."""
    return 1 << (62 - int(records).bit_length())


def shares_of(sizes: NDArray[np.integer], unit: int) -> NDArray[np.int64]:
    """Return one record divided by each size, to the nearest whole number; 0 where the size is 0."""
    divisors = np.maximum(sizes, 1).astype(np.int64)
    return np.where(sizes > 0, (unit + divisors // 2) // divisors, 0)


def sums_of_parts(steps: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sums of consecutive parts along the first axis, each given by its end; a part may be empty."""
    running = np.zeros((len(steps) + 1, *steps.shape[1:]), dtype=np.int64)
    np.cumsum(steps, axis=0, out=running[1:])
    sums: NDArray[np.int64] = running[ends]
    sums[1:] -= running[ends[:-1]]
    return sums
