"""Other values of single cells in compiled code, within the rules in force where there are any."""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import MISSING
from evosdc_cells.compiled_rules import Rules, breaks_any, fitting_places
from evosdc_cells.mutation import ATTEMPTS
from evosdc_cells.pcg64 import Words, below, unit


class Values(NamedTuple):
    """Which values cells may take.

    Parameters
    ----------
    free : ndarray of int64
        Attributes that can change.
    sizes, present : ndarray of int64, shape (V,)
        Valid values of each attribute, and those that are not missing.
    reach : ndarray of int64, shape (Q,)
        Range of each numeric attribute, which come last (`evosdc_cells.domain.NumberCoding`).
    absent : ndarray of float64, shape (Q,)
        Share of its values that are missing in the original.
    """

    free: NDArray[np.int64]
    sizes: NDArray[np.int64]
    present: NDArray[np.int64]
    reach: NDArray[np.int64]
    absent: NDArray[np.float64]


@njit(cache=True)
def vary(file: NDArray[Any], row: Any, place: Any, values: Values, rules: Rules, words: Words) -> None:
    """Give a cell of the attribute at a place of those free another value; by rules, where it has one, else the next.

    Any category is as likely, a number is one bit of its Gray code away.
    """
    if len(rules.own) == 0:
        attribute = values.free[place]
        file[row, attribute] = _other(np.int64(file[row, attribute]), attribute, values, words)
        return
    for step in range(len(values.free)):
        if _varied_within(file, row, values.free[(place + step) % len(values.free)], values, rules, words):
            return


@njit(cache=True)
def _other(code: Any, attribute: Any, values: Values, words: Words) -> Any:
    """Return another value of a cell."""
    absent, number = values.present[attribute], attribute - len(values.sizes) + len(values.reach)
    if number >= 0:
        return _other_number(code, values.reach[number], values.absent[number], words)
    before = absent if code == MISSING else code
    drawn = np.int64(unit(words) * (values.sizes[attribute] - 1))
    if drawn >= before:
        drawn += 1
    return MISSING if drawn == absent else drawn


@njit(cache=True)
def _varied_within(file: NDArray[Any], row: Any, attribute: Any, values: Values, rules: Rules, words: Words) -> bool:
    """Do what `evosdc_cells.mutation.Mutation.within` does."""
    before, absent = np.int64(file[row, attribute]), values.present[attribute]
    if attribute < len(values.sizes) - len(values.reach):
        kept = absent if before == MISSING else before
        count = fitting_places(file, row, attribute, values.sizes[attribute], kept, rules)
        if count == 0:
            return False
        drawn = rules.fitting[np.int64(unit(words) * count)]
        file[row, attribute] = MISSING if drawn == absent else drawn
        return True
    for _ in range(ATTEMPTS):
        file[row, attribute] = _other(before, attribute, values, words)
        if not breaks_any(file, row, row, attribute, rules):
            return True
    file[row, attribute] = before
    return False


@njit(cache=True)
def _other_number(code: Any, reach: Any, absent: float, words: Words) -> Any:
    """Return what `evosdc_cells.mutation.Mutation.mutant` does of a number that is in Gray code."""
    if code == MISSING:
        return reach + below(words, reach + 1)
    if reach == 0 or (absent > 0.0 and unit(words) < absent):
        return MISSING if absent > 0.0 else code
    inside, bits, count = min(max(code - reach, 0), reach), 0, 0
    while reach >> bits:
        count += (inside ^ ((2 << bits) - 1)) <= reach
        bits += 1
    left = below(words, count)
    for bit in range(bits):
        other = inside ^ ((2 << bit) - 1)
        if other <= reach:
            if left == 0:
                return reach + other
            left -= 1
    return code
