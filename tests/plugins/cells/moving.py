"""Moves of files, made singly and in compiled code."""

import numpy as np

from evosdc_cells.cells import Cells


def moved(cells, parent, kind, rng, costs=None):
    """Return the file after one move; with `costs` its records are drawn by these."""
    through = None if costs is None else np.cumsum(costs, dtype=np.float64)
    return cells.changed(parent, cells.moved(parent, [kind], [costs is not None], through, rng))


def children(cells, parent, change):
    """Return the files of several children."""
    return [cells.changed(parent, change.part(place, place + 1)) for place in range(len(change.ends))]


def one_by_one(cells):
    """Return the same genotype, whose moves are not made in compiled code."""
    slow = Cells(cells.params, cells.microdata)
    slow.__dict__["_batches"] = None
    return slow


def assert_same_changes(one, other):
    for a, b in zip(one[:2], other[:2], strict=True):
        assert a.tolist() == b.tolist()
    for a, b in zip(one[2:], other[2:], strict=True):
        assert a.same_records(b)
