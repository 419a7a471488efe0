"""Kernels that detect records with a structural zero or a broken edit rule, and the cells to restore.

Records are rows of classes (`evosdc.table.record_rules.ColumnClasses`): those of the masked attributes, which change,
and those of the others, which do not.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.record_rules import Classes, Flags, RuleArrays

ALL: Any = np.int64(-1)  # in place of a column: the whole record is looked at; a plain -1 would compile kernels twice


@njit(cache=True)
def breaks(own: Classes, others: Classes, column: int, arrays: RuleArrays) -> bool:
    """Whether a record holds a structural zero or breaks a rule."""
    # own, others (V,) and (W,)
    masked = len(own)
    begin, end = (0, masked) if column < 0 else (column, column + 1)
    for v in range(begin, end):
        for p in range(arrays.first[v], arrays.first[v + 1]):
            w = arrays.pairs[p, 0]
            if column < 0 and w < v:
                continue  # was looked at from the other side
            k = own[w] if w < masked else others[w - masked]
            if arrays.flags[arrays.pairs[p, 1] + own[v] * arrays.pairs[p, 2] + k * arrays.pairs[p, 3]]:
                return True
    for rule in range(len(arrays.rule_first) - 1):
        met = True
        for p in range(arrays.rule_first[rule], arrays.rule_first[rule + 1]):
            w = arrays.conditions[p, 0]
            k = own[w] if w < masked else others[w - masked]
            if not arrays.flags[arrays.conditions[p, 1] + k]:
                met = False
                break
        if met:
            return True
    return False


@njit(cache=True)
def breaking_rows(own: Classes, others: Classes, rows: NDArray[np.intp], arrays: RuleArrays) -> Flags:
    """Return which of some records are not in order, shape (m,); `own` has these m rows only, `others` all."""
    found = np.zeros(len(rows), np.bool_)
    for place in range(len(rows)):
        found[place] = breaks(own[place], others[rows[place]], ALL, arrays)
    return found


@njit(cache=True)
def restorations(
    own: Classes, original: Classes, others: Classes, most: int, arrays: RuleArrays
) -> tuple[Flags, Flags]:
    """Return the cells to restore from the original so that no record is forbidden: as few as possible in each."""
    # Sets of cells are tried by size, columns in an order that begins elsewhere from record to record, so that none
    # goes back more often. After `most` sets cells go back one after the other. Also the records that the original
    # breaks.
    # own, original (n, V); others (n, W); returns (n, V); returns (n,)
    n, columns = own.shape
    restored = np.zeros((n, columns), np.bool_)
    hopeless = np.zeros(n, np.bool_)
    differing = np.empty(columns, np.int64)
    chosen = np.empty(columns, np.int64)
    trial = np.empty(columns, np.int32)
    for row in range(n):
        if not breaks(own[row], others[row], ALL, arrays):
            continue
        count = 0
        for step in range(columns):
            v = (row + step) % columns
            if own[row, v] != original[row, v]:
                differing[count] = v
                count += 1
        solved, tried, size = False, 0, 1
        while size <= count and not solved and tried < most:
            for place in range(size):
                chosen[place] = place
            while tried < most:
                tried += 1
                for v in range(columns):
                    trial[v] = own[row, v]
                for place in range(size):
                    v = differing[chosen[place]]
                    trial[v] = original[row, v]
                if not breaks(trial, others[row], ALL, arrays):
                    solved = True
                    break
                # The next set of this size, in lexicographic order.
                last = size - 1
                while last >= 0 and chosen[last] == count - size + last:
                    last -= 1
                if last < 0:
                    break
                chosen[last] += 1
                for place in range(last + 1, size):
                    chosen[place] = chosen[place - 1] + 1
            size += 1
        if not solved:
            for v in range(columns):
                trial[v] = own[row, v]
            place = 0
            while place < count and breaks(trial, others[row], ALL, arrays):
                v = differing[place]
                if breaks(trial, others[row], v, arrays):
                    trial[v] = original[row, v]
                place += 1
            if breaks(trial, others[row], ALL, arrays):
                for v in range(columns):
                    trial[v] = original[row, v]
                hopeless[row] = breaks(trial, others[row], ALL, arrays)
        for v in range(columns):
            restored[row, v] = trial[v] != own[row, v]
    return restored, hopeless
