"""Groups of users by any method that groups records, on their semantic distance: the one adapter to such methods."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evosdc.table.schema import Attribute, Role, Scale
from evosdc.table.table import Rows, Table
from evosdc_social.graph import Neighbours
from evosdc_social.publication import Publication
from evosdc_social.space import SemanticSpace

Group = Callable[[Table], NDArray[np.int64]]
"""Returns the number of each record's group, from 0 without gaps, of a table of at least k records."""


def partition(
    original: Table,
    publication: Publication,
    k: int,
    group: Group,
    neighbours: Neighbours | None = None,
    hashes: int = 0,
    rng: np.random.Generator | None = None,
) -> NDArray[np.int32]:
    """Return the number of each user's group, shape (n,), from 0 without gaps.

    The method is given the attributes with their trees, each as often as it counts beside the others, so that a method
    which adds up distances of attributes adds up the semantic distance. Where values are bounded (`Publication`), the
    users who have the same values at the bounds are grouped by themselves; those of whom there are fewer than k are
    grouped together, with the smallest other ones where they are still too few.

    Parameters
    ----------
    original : Table
        Shape (n, V), n >= k.
    publication : Publication
    k : int
    group : callable
    neighbours : Neighbours, optional
        Given for a structural term: the Jaccard distance of neighbourhoods, estimated by so many min-wise `hashes`,
        as nominal attributes (Broder 1997). It counts as one attribute.
    hashes : int
    rng : numpy.random.Generator, optional
        Draws the hashes.
    """
    places = np.empty((0, len(original)), dtype=np.int64)
    if neighbours is not None and hashes and rng is not None:
        places = np.stack([rng.permutation(len(original)) for _ in range(hashes)])
    table = _weighted(original, publication.space, neighbours, places)
    result = np.empty(len(original), dtype=np.int32)
    taken = 0
    for rows in parts_within(original, publication, k):
        classes = group(table.take(rows))
        result[rows] = taken + classes
        taken += int(classes.max()) + 1
    return result


def parts_within(original: Table, publication: Publication, k: int) -> list[Rows]:
    """Return the positions of the users that are grouped by themselves, at least k in each part."""
    trees, leaves = publication.space.trees, publication.leaves(original)
    bounded = [v for v, tree in enumerate(trees) if publication.bounds[v] < tree.height]
    if not bounded:
        return [np.arange(len(original), dtype=np.intp)]
    keys = np.stack([trees[v].up[leaves[:, v], publication.bounds[v]] for v in bounded], axis=1)
    _, of, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(counts, kind="stable").tolist()
    small = [part for part in order if counts[part] < k]
    held = int(counts[small].sum())
    while 0 < held < k and len(small) < len(order):
        small.append(order[len(small)])
        held += int(counts[small[-1]])
    together = set(small)
    members = [np.flatnonzero(of.reshape(-1) == part) for part in range(len(counts)) if part not in together]
    rest = np.flatnonzero(np.isin(of.reshape(-1), small))
    return [*members, rest] if rest.size else members


def _weighted(original: Table, space: SemanticSpace, neighbours: Neighbours | None, hashes: NDArray[np.int64]) -> Table:
    """Return the attributes with their trees, each as often as it counts, and behind them columns of neighbourhoods.

    Parameters
    ----------
    hashes : ndarray of int64, shape (h, n)
        A permutation of the users for each column of neighbourhoods.
    """
    whole = [int(cost) * max(tree.height, 1) for cost, tree in zip(space.costs.tolist(), space.trees, strict=True)]
    common = int(np.gcd.reduce([*whole, space.unit]))
    attributes: list[Attribute] = []
    columns: list[NDArray[np.int32]] = []

    # A list's members have their share of its weight already: under names of their own they are no list again.
    def add(attribute: Attribute, column: NDArray[np.int32], times: int, listed: bool = False) -> None:
        for number in range(times):
            name = attribute.name if number == 0 and not listed else f"{attribute.name} ({number + 1})"
            attributes.append(replace(attribute, name=name, role=Role.QUASI_IDENTIFIER))
            columns.append(column)

    for v, (tree, weight) in enumerate(zip(space.trees, whole, strict=True)):
        add(tree.attribute, original.codes[:, v], weight // common * max(len(hashes), 1), bool(space.members[v]))
    if neighbours is not None:
        labels = tuple(map(str, range(2 * len(original))))
        for number, places in enumerate(hashes):
            kind = Attribute(f"neighbourhood {number + 1}", Role.QUASI_IDENTIFIER, Scale.NOMINAL, labels)
            add(kind, _least_neighbour(neighbours, places), space.unit // common)
    schema = replace(original.schema, attributes=tuple(attributes), edit_rules=())
    return Table(schema, np.stack(columns, axis=1), np.empty((len(original), 0)))


def _least_neighbour(neighbours: Neighbours, places: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the least place of a neighbour of each user; for the lonely a place that nobody else has."""
    found = np.arange(len(places), 2 * len(places))
    np.minimum.at(found, neighbours.users, places[neighbours.ends])
    return found.astype(np.int32)
