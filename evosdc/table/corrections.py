"""Corrections of masked files: labels put right, and rare values that stayed at their own records moved to others.

Labels are put right by the one-to-one relabelling under which most records read as they should: anyone who knows the
exchanged labels could do the same, so that it discloses nothing. Rare values that change places keep their counts.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc.secret import child_named
from evosdc.table.exact_values import ExactValues
from evosdc.table.schema import Schema
from evosdc.table.table import MISSING, Codes, Numbers, Rows, Table

WIDEST = 1000  # categories up to which the labels of an attribute are put right: a table of all pairs is made
# fewest people with the same value for it not to be rare: it identifies each of them with a chance of 8.3 % at most
COMMON = 12
# number of parts of kept values, within which they change places; least number of values in a part
PARTS, LEAST = 16, COMMON


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
    schema = _own_categories(original, masked, names, "right_labels")
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


def with_moved_values(original: Table, masked: Table, names: Sequence[str], rng: np.random.Generator) -> Table:
    """Return a masked table in which rare values of some attributes have moved to other records."""
    # Values that fewer than 12 people have change places at random within a sixteenth of them in their order, so that
    # counts stay and values are near. Nearer, with the next one, could be undone.
    schema = _own_categories(original, masked, names, "move_values")
    values = ExactValues(original, names)
    codes, numbers = masked.codes.copy(), masked.numbers.copy()
    for name in values.names:
        own = child_named(rng, name)
        rare = np.flatnonzero(values.chances(masked, name) > 1.0 / COMMON).astype(np.intp)
        if schema[name].categorical:
            _move(original.column(name), codes[:, schema.categorical.index(schema[name])], rare, own)
        else:
            _move(original.column(name), numbers[:, schema.numeric.index(schema[name])], rare, own)
    return Table(schema, codes, numbers)


def _move(own: Codes | Numbers, published: Codes | Numbers, kept: Rows, rng: np.random.Generator) -> None:
    """Exchange the values of kept records in place, each with one of another value."""
    missing = np.isnan(published) if published.dtype.kind == "f" else published == MISSING
    kept = kept[~missing[kept]]
    ordered = kept[np.argsort(published[kept], kind="stable")]
    for part in np.array_split(ordered, max(min(PARTS, len(ordered) // LEAST), 1)):
        published[part] = published[rng.permutation(part)]
    waiting: list[int] = []
    for row in ordered[published[ordered] == own[ordered]].tolist():
        if waiting and published[waiting[-1]] != published[row]:
            _exchange(published, waiting.pop(), row)
        else:
            waiting.append(row)
    for row in waiting:
        value = published[row]
        fitting = np.flatnonzero(~missing & (published != value) & (own != value))
        if fitting.size:
            _exchange(published, row, int(fitting[np.argmin(np.abs(published[fitting] - value))]))


def _exchange(published: Codes | Numbers, one: int, other: int) -> None:
    published[one], published[other] = published[other], published[one]


def _own_categories(original: Table, masked: Table, names: Sequence[str], where: str) -> Schema:
    """Return the schema of both files; raises `ParameterError` for generalised labels, `SchemaError` for a name."""
    original.schema.require(names, where)
    if masked.schema != original.schema:
        raise ParameterError(Fault(where, "generalised labels", "a file in the original's own categories"))
    return original.schema
