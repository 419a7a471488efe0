"""Labels put right: the one-to-one relabelling under which most records of a masked attribute read as they should."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc.table.table import MISSING, Codes, Table

WIDEST = 1000  # categories up to which the labels of an attribute are put right: a table of all pairs is made


def joint_counts(original: Codes, masked: Codes, size: int) -> NDArray[np.int64]:
    """Return how many records of each original category are published as each category, shape (size, size)."""
    # original, masked (n,)
    both = (original != MISSING) & (masked != MISSING)
    cells = original[both].astype(np.int64) * size + masked[both]
    return np.bincount(cells, minlength=size * size).reshape(size, size)


def gain_at_most(joint: NDArray[np.int64]) -> int:
    """Return a number of records of which no more can read right under other labels than under their own."""
    return int(min(joint.max(axis=0).sum(), joint.max(axis=1).sum()) - np.trace(joint))


def best_labels(joint: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each original category the published one that it is best read as: a permutation, shape (size,)."""
    size = len(joint)
    if gain_at_most(joint) == 0:
        return np.arange(size)
    from scipy.optimize import linear_sum_assignment  # late: it takes a while, and most labels are right

    weights = joint * (size + 1) + np.eye(size, dtype=np.int64)
    return np.asarray(linear_sum_assignment(weights, maximize=True)[1], dtype=np.int64)


def with_right_labels(original: Table, masked: Table, names: Sequence[str]) -> Table:
    """Return a masked table in which some attributes are published under the labels that most of their records have."""
    # It neither loses nor discloses anything: anyone who knows the exchanged labels could do the same.
    schema = original.schema
    schema.require(names, "right_labels")
    if masked.schema != schema:
        raise ParameterError(Fault("right_labels", "generalised labels", "a file in the original's own categories"))
    codes = masked.codes.copy()
    for position, attribute in enumerate(schema.categorical):
        size = len(attribute.categories)
        if attribute.name not in names or not 1 < size <= WIDEST:
            continue
        published = best_labels(joint_counts(original.codes[:, position], masked.codes[:, position], size))
        meant = np.empty(size + 1, dtype=codes.dtype)
        meant[published] = np.arange(size, dtype=codes.dtype)
        meant[MISSING] = MISSING
        codes[:, position] = meant[masked.codes[:, position]]
    return Table(masked.schema, codes, masked.numbers)
