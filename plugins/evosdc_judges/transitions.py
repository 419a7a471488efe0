"""How an attribute was masked, as an intruder learns it from pairs of original and published values."""

import numpy as np
from numpy.typing import NDArray

from evosdc.table.table import Numbers
from evosdc_judges.classes import Codes

Joint = NDArray[np.int64]


def joint_counts(original: Codes, published: Codes, size: int) -> Joint:
    """Return the number of pairs by original class (rows) and published class (columns), shape (size, size)."""
    cells = original.astype(np.int64) * size + published
    return np.bincount(cells, minlength=size * size).reshape(size, size)


def reading(joint: Joint) -> Codes:
    """Return how each published class is read: the original class that a one-to-one relabelling gives it.

    The relabelling is the one under which most pairs agree (Kuhn's assignment). For an honest file it changes next to
    nothing; a file whose labels were exchanged reads as before. A class that no pair shows, or that the relabelling
    gives to one with which it has no pair, reads as none of the classes: the number of classes.
    """
    from scipy.optimize import linear_sum_assignment

    size = len(joint)
    read = np.full(size, size, dtype=np.int32)
    rows, columns = linear_sum_assignment(joint, maximize=True)
    seen = joint[rows, columns] > 0
    read[columns[seen]] = rows[seen]
    return read


def surprise(joint: Joint) -> Numbers:
    """Return ``-log`` of the probability with which an original class (rows) is published as another (columns).

    Estimated from pairs: the counts of a row, with one further record spread over the columns like all records are.
    So nothing is impossible, and a class that no pair shows is published like the file as a whole.
    """
    size = len(joint)
    overall = (joint.sum(axis=0) + 1.0) / (joint.sum() + size)
    result: Numbers = -np.log((joint + overall[None, :]) / (joint.sum(axis=1, keepdims=True) + 1.0))
    return result


def apart(distances: Numbers, read: Codes) -> Numbers:
    """Return the distance of each original class (rows) to each published one (columns) as it is read.

    A class that reads as none is at distance 1 from all.
    """
    widened = np.hstack((distances, np.ones((len(distances), 1))))
    result: Numbers = widened[:, read]
    return result
