"""What the measures are expected to give for tables drawn by transition matrices, from the matrices alone."""

import numpy as np
from numpy.typing import NDArray

from evosdc.randomisation.transition import Matrix
from evosdc.table.table import Codes

Numbers = NDArray[np.float64]


def counts_of(codes: Codes, v: int, size: int) -> Numbers:
    """Return how often each of `size` categories of attribute `v` occurs; missing values are not counted."""
    column = codes[:, v]
    return np.bincount(column[column >= 0], minlength=size).astype(np.float64)


def mean_kept(counts: Numbers, matrix: Matrix) -> float:
    """Return the expected number of unchanged values, ``sum_k T_k p_kk``: exact."""
    return float(counts @ matrix.diagonal())


def mean_inside(counts: Numbers, matrix: Matrix, order: NDArray[np.int64], percents: NDArray[np.int64]) -> float:
    """Return the hits (records and per cents inside the interval) at the expected published counts."""
    flows = (counts[:, None] * matrix)[np.ix_(order, order)]
    through = np.concatenate(([0.0], np.cumsum(flows.sum(axis=0))))
    behind = np.concatenate((np.zeros((1, len(order))), np.cumsum(flows, axis=0)))
    inside = 0.0
    for place in np.flatnonzero(through[1:] > through[:-1]).tolist():
        centre, reach = 0.5 * (through[place] + 1.0 + through[place + 1]), percents * (counts.sum() / 100.0)
        low = np.searchsorted(through, centre - reach) - 1
        high = np.searchsorted(through + 1.0, centre + reach, side="right") - 1
        ends = behind[np.clip(high, place, len(order) - 1) + 1, place], behind[np.clip(low, 0, place), place]
        inside += float((ends[0] - ends[1]).sum())
    return inside
