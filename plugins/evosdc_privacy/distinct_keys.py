"""Files cut down to their distinct keys, for models that look at many sets of the quasi-identifiers.

A set of quasi-identifiers tells records apart by the distinct keys of all of them: a million records are gone through
once, and not once for each of a hundred sets.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evosdc.model import IntruderView, MissingMatch


def distinct_keys(view: IntruderView) -> tuple[IntruderView, NDArray[np.int64]]:
    """Return a view with one record for each key and its count, and the place of each record's key, shape (n,).

    Frequencies of keys, and of keys of some of the quasi-identifiers, are those of the whole file. Weights are left
    out. Where missing values are equal to nothing, records stay as they are.
    """
    if view.missing is MissingMatch.NEVER or view.counts is not None:
        return view, np.arange(len(view.table))
    classes = view.classes
    table = view.table.select(view.quasi_identifiers).take(classes.first)
    kept = replace(view, table=table, sensitive=(), weights=None, household=None, population=None, transitions=None)
    return replace(kept, counts=classes.counts), classes.of


def part_of(view: IntruderView, names: Sequence[str]) -> IntruderView:
    """Return a view of some of the quasi-identifiers; numbers are not ranked again, which takes longest."""
    part = replace(view, quasi_identifiers=tuple(names))
    if view.missing is not MissingMatch.NEVER:
        places = [view.quasi_identifiers.index(name) for name in names]
        vars(part)["codes"] = np.ascontiguousarray(view.codes[:, places])
    return part
