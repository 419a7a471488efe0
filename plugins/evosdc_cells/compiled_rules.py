"""Rules of records over the genes of `cells` in compiled code, for changes of many files at once."""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.record_check import breaks
from evosdc.table.record_classes import Classes, RuleArrays


class GeneClasses(NamedTuple):
    """How genes become the classes that rules are over, V attributes of which the categorical ones come first.

    Parameters
    ----------
    first : ndarray of int64, shape (V + 1,)
        Classes of attribute v are at ``first[v]`` to ``first[v + 1] - 1`` of `classes`: one for each category or
        interval, the last for a missing value.
    classes : ndarray of int32
    starts : ndarray of int64, shape (e,)
        The least gene of every interval but the first, number by number.
    first_start : ndarray of int64, shape (Q + 1,)
        Those of number j are at ``first_start[j]`` to ``first_start[j + 1] - 1`` of `starts`.
    """

    first: NDArray[np.int64]
    classes: NDArray[np.int32]
    starts: NDArray[np.int64]
    first_start: NDArray[np.int64]


class Rules(NamedTuple):
    """The rules in force for a file of n records and V attributes, and room for what kernels find out.

    Parameters
    ----------
    coding : GeneClasses
    arrays : RuleArrays
    others : ndarray of int32, shape (n, W)
        Classes of what is not masked.
    own : ndarray of int32, shape (V,)
        Room for the classes of a record; empty where there is no rule.
    fitting : ndarray of int64
        Room for the values that a cell may have.
    """

    coding: GeneClasses
    arrays: RuleArrays
    others: Classes
    own: Classes
    fitting: NDArray[np.int64]


def no_rules() -> Rules:
    """Return what kernels take where there is no rule."""
    none, pairs, classes = np.zeros(1, np.int64), np.empty((0, 4), np.int64), np.empty(0, np.int32)
    coding = GeneClasses(none, classes, none, none)
    arrays = RuleArrays(none, pairs, none, np.empty((0, 2), np.int64), np.empty(0, np.bool_))
    return Rules(coding, arrays, np.empty((0, 0), np.int32), classes, np.empty(0, np.int64))


@njit(cache=True)
def set_classes(record: NDArray[Any], coding: GeneClasses, own: Classes) -> None:
    """Write the classes of one record, shape (V,), to `own`, of the same shape."""
    categorical = len(own) - (len(coding.first_start) - 1)
    for v in range(len(own)):
        gene = record[v]
        if gene < 0:
            own[v] = coding.classes[coding.first[v + 1] - 1]
            continue
        place = coding.first[v]
        if v < categorical:
            place += gene
        else:
            for start in range(coding.first_start[v - categorical], coding.first_start[v - categorical + 1]):
                place += gene >= coding.starts[start]
        own[v] = coding.classes[place]


@njit(cache=True)
def breaks_any(file: NDArray[Any], source: int, row: int, column: int, rules: Rules) -> bool:
    """Whether the genes that stand at `source` break a rule in record `row`; with a column, as `breaks` tells."""
    if len(rules.own) == 0:
        return False
    set_classes(file[source], rules.coding, rules.own)
    return breaks(rules.own, rules.others[row], column, rules.arrays)


@njit(cache=True)
def fitting_places(file: NDArray[Any], row: int, column: int, size: Any, kept: Any, rules: Rules) -> int:
    """Find which other categories a cell may have, the last of a size for a missing value; return how many."""
    own, first, count = rules.own, rules.coding.first[column], 0
    set_classes(file[row], rules.coding, own)
    for place in range(size):
        own[column] = rules.coding.classes[first + place]
        if place != kept and not breaks(own, rules.others[row], column, rules.arrays):
            rules.fitting[count] = place
            count += 1
    return count
