"""Kept values moved to others: rare values that a masked file publishes at their own records change places."""

from collections.abc import Sequence

import numpy as np

from evosdc.errors import Fault, ParameterError
from evosdc.secret import child_named
from evosdc.table.exact_values import ExactValues
from evosdc.table.table import MISSING, Codes, Numbers, Rows, Table

# fewest people with the same value for it not to be rare: it identifies each of them with a chance of 8.3 % at most
COMMON = 12
# number of parts of kept values, within which they change places; least number of values in a part
PARTS, LEAST = 16, COMMON


def with_moved_values(original: Table, masked: Table, names: Sequence[str], rng: np.random.Generator) -> Table:
    """Return a masked table in which rare values of some attributes have moved to other records."""
    # Values that fewer than 12 people have change places at random within a sixteenth of them in their order, so that
    # counts stay and values are near. Nearer, with the next one, could be undone.
    schema = original.schema
    schema.require(names, "move_values")
    if masked.schema != schema:
        raise ParameterError(Fault("move_values", "generalised labels", "a file in the original's own categories"))
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
