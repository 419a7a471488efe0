"""Values that are as they were, counted through changes of one table or of many that differ from it in few records."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Codes, Numbers, Rows

Integers = NDArray[np.int64]


@njit(cache=True)
def follow_kept(
    original: Codes | Numbers,
    judged: Integers,
    groups: NDArray[np.int32],
    firsts: Integers,
    frequencies: Integers,
    before: Codes | Numbers,
    after: Codes | Numbers,
    rows: Rows,
    fresh: bool,
    counts: Integers,
    found: Numbers,
) -> None:
    """Count what rows keep that they did not, and the reverse; then sum up attributes where anything changed."""
    for place in range(len(judged)):
        v, changed = judged[place], fresh
        for row in rows:
            value = original[row, v]
            kept = after[row, v] == value
            known = not fresh and before[row, v] == value
            if kept != known:
                counts[groups[place, row]] += 1 if kept else -1
                changed = True
        if changed:
            found[place] = _total(counts, frequencies, firsts[place], firsts[place + 1])


@njit(cache=True)
def found_of_children(
    original: Codes | Numbers,
    judged: Integers,
    groups: NDArray[np.int32],
    firsts: Integers,
    frequencies: Integers,
    before: Codes | Numbers,
    after: Codes | Numbers,
    rows: Rows,
    ends: Integers,
    counts: Integers,
    found: Numbers,
) -> Numbers:
    """Return how many people the attribute finds that finds most, by child; counts are as before in the end."""
    greatest = np.zeros(len(ends))
    for place in range(len(judged)):
        v, begin = judged[place], 0
        for child in range(len(ends)):
            end, total, moved = ends[child], found[place], False
            for change in range(begin, end):
                step = _step(original[rows[change], v], before[change, v], after[change, v])
                counts[groups[place, rows[change]]] += step
                moved |= step != 0
            if moved:
                total = _total(counts, frequencies, firsts[place], firsts[place + 1])
                for change in range(begin, end):
                    step = _step(original[rows[change], v], before[change, v], after[change, v])
                    counts[groups[place, rows[change]]] -= step
            greatest[child] = max(greatest[child], total)
            begin = end
    return greatest


@njit(cache=True)
def _step(value: float, before: float, after: float) -> int:
    """Return 1 where a record keeps its value that it did not keep before, -1 where it is the other way round, or 0."""
    return int(after == value) - int(before == value)


@njit(cache=True)
def _total(counts: Integers, frequencies: Integers, begin: int, end: int) -> float:
    """Return the expected number of people found by the kept values of some groups."""
    total = 0.0
    for group in range(begin, end):
        total += counts[group] / frequencies[group]
    return total
