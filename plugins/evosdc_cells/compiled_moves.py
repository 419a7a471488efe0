"""Kernels that change files, each as a mutation or a move of a local search does, for `Batches`."""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.record_check import ALL
from evosdc_cells.compiled_rules import Rules, breaks_any
from evosdc_cells.compiled_values import Values, vary
from evosdc_cells.exchange import ATTEMPTS
from evosdc_cells.pcg64 import Words, below, unit

KINDS = ("value", "restoration", "adoption", "exchange")
_VALUE, _RESTORATION, _ADOPTION, _EXCHANGE = range(4)


@njit(cache=True)
def _taken_back(
    parent: NDArray[Any],
    file: NDArray[Any],
    touched: NDArray[np.int64],
    rows: NDArray[np.int64],
    records: NDArray[Any],
    found: int,
) -> int:
    """Note touched records, which are sorted, where they differ from the parent's; take them back, return the count."""
    for row in touched:
        differs = False  # a record that was touched twice is as before the second time
        for column in range(file.shape[1]):
            differs |= file[row, column] != parent[row, column]
        if differs:
            rows[found] = row
            for column in range(file.shape[1]):
                records[found, column] = file[row, column]
                file[row, column] = parent[row, column]
            found += 1
    return found


@njit(cache=True)
def move(
    files: NDArray[Any],
    plan: NDArray[np.int64],
    through: NDArray[np.float64],
    original: NDArray[Any],
    values: Values,
    rules: Rules,
    partners: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    words: Words,
) -> None:
    """Move copies of a small file, shape (k, n, V), in place.

    Parameters
    ----------
    files : ndarray
    plan : ndarray of int64, shape (3, k)
        Kind, repeats, and whether records are drawn by what they cost.
    through : ndarray of float64
        Running sums of that; empty where all records are as likely.
    original : ndarray
    values : Values
    rules : Rules
    partners : tuple of ndarray
        Of `evosdc_cells.exchange.Partners.ranks`.
    words : ndarray of uint64
        State of the generator, which goes on.
    """
    for child in range(len(files)):
        for _ in range(plan[1, child]):
            _moved(files[child], plan[0, child], plan[2, child], through, original, values, rules, partners, words)


@njit(cache=True)
def move_in_turn(
    parent: NDArray[Any],
    file: NDArray[Any],
    plan: NDArray[np.int64],
    through: NDArray[np.float64],
    original: NDArray[Any],
    values: Values,
    rules: Rules,
    partners: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    words: Words,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
    """Return what children change, as of `Sparse`; `file`, a copy of their parent, is left as it was."""
    most, found = 2 * plan[1].sum(), 0
    ends, rows = np.empty(plan.shape[1], np.int64), np.empty(most, np.int64)
    records, touched = np.empty((most, file.shape[1]), file.dtype), np.empty(2 * plan[1].max(), np.int64)
    for child in range(len(ends)):
        count = 0
        for _ in range(plan[1, child]):
            row, other = _moved(file, plan[0, child], plan[2, child], through, original, values, rules, partners, words)
            touched[count], touched[count + 1] = row, other
            count += 2
        touched[:count].sort()
        found = _taken_back(parent, file, touched[:count], rows, records, found)
        ends[child] = found
    return ends, rows[:found].copy(), records[:found].copy()


@njit(cache=True)
def _moved(
    file: NDArray[Any],
    kind: int,
    weighed: int,
    through: NDArray[np.float64],
    original: NDArray[Any],
    values: Values,
    rules: Rules,
    partners: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    words: Words,
) -> tuple[int, int]:
    """Change a record; return it and the one that was changed with it, itself where there is none."""
    free, records = values.free, len(file)
    if weighed:
        row = min(np.searchsorted(through, through[records - 1] * unit(words), "right"), records - 1)
    else:
        row = np.int64(unit(words) * records)
    if kind == _EXCHANGE:
        other = _exchanged(file, row, free, rules, partners, words)
        if other != row:
            return row, other
    if kind == _RESTORATION and _restored(file, row, original, rules, words):
        return row, row
    if kind == _ADOPTION and _adopted(file, row, rules, words):
        return row, row
    vary(file, row, below(words, len(free)), values, rules, words)
    return row, row


@njit(cache=True)
def _restored(file: NDArray[Any], row: int, original: NDArray[Any], rules: Rules, words: Words) -> bool:
    """Put one changed cell of a record back; return whether there was any, and rules allow it."""
    width, differing = file.shape[1], 0
    for column in range(width):
        differing += file[row, column] != original[row, column]
    if not differing:
        return False
    left, column = below(words, differing), 0
    while left or file[row, column] == original[row, column]:
        left -= file[row, column] != original[row, column]
        column += 1
    before = file[row, column]
    file[row, column] = original[row, column]
    if breaks_any(file, row, row, ALL, rules):
        file[row, column] = before
        return False
    return True


@njit(cache=True)
def _adopted(file: NDArray[Any], row: int, rules: Rules, words: Words) -> bool:
    """Make a record as another one is; return whether it was not yet, and rules allow it."""
    other, differs = below(words, len(file)), False
    for column in range(file.shape[1]):
        differs |= file[row, column] != file[other, column]
    if not differs or breaks_any(file, other, row, ALL, rules):
        return False
    for column in range(file.shape[1]):
        file[row, column] = file[other, column]
    return True


@njit(cache=True)
def _exchanged(
    file: NDArray[Any],
    row: int,
    free: NDArray[np.int64],
    rules: Rules,
    partners: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    words: Words,
) -> int:
    """Swap what a record and another one of the same original value publish; return that one, or itself for none."""
    order, first, count = partners
    attribute = free[np.int64(unit(words) * len(free))]
    begin, size = first[attribute, row], count[attribute, row]
    if size < 2:
        return row
    published = file[row, attribute]
    for _ in range(ATTEMPTS):
        other: int = order[attribute, begin + np.int64(unit(words) * size)]
        if file[other, attribute] != published:
            file[row, attribute] = file[other, attribute]
            file[other, attribute] = published
            if breaks_any(file, row, row, ALL, rules) or breaks_any(file, other, other, ALL, rules):
                file[other, attribute] = file[row, attribute]
                file[row, attribute] = published
                return row
            return other
    return row
