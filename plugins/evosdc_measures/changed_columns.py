"""Which columns of numbers a change alters."""

import numpy as np
from numba import njit

from evosdc.table.table import Numbers, Rows
from evosdc_measures.domains import Integers


def columns_that_differ(before: Numbers, after: Numbers, rows: Rows) -> list[int]:
    """Return the columns in which some of the given rows differ, ascending; a missing value equals another one."""
    columns: list[int] = _columns_that_differ(before, after, rows).tolist()
    return columns


@njit(cache=True)
def _columns_that_differ(before: Numbers, after: Numbers, rows: Rows) -> Integers:
    columns, count = np.empty(before.shape[1], np.int64), 0
    for v in range(before.shape[1]):
        for row in rows:
            a, b = before[row, v], after[row, v]
            if a != b and not (np.isnan(a) and np.isnan(b)):
                columns[count] = v
                count += 1
                break
    return columns[:count]
