"""Earth mover's distance between the sensitive values of classes and those of the whole file: t-closeness.

Source: Li, Li and Venkatasubramanian (2007); the three ground distances are theirs.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc.table.hierarchy import Hierarchy

Counts = NDArray[np.int32]
Shares = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ground:
    """How far the values of a sensitive attribute are apart.

    Parameters
    ----------
    ordered : bool
        Whether values i and j are ``|i - j| / (m - 1)`` apart; two different values are 1 apart otherwise.
    above : ndarray of int32, shape (height, m)
        With a hierarchy: row l has, for each node of level l, its node at level l + 1, filled up with -1. Values are as
        far apart as the level of their lowest common ancestor over the height. Of shape (0, m) without a hierarchy.
    """

    ordered: bool
    above: NDArray[np.int32]


def nominal_ground(m: int) -> Ground:
    """Return the ground distance of nominal values: 1 between two different ones."""
    return Ground(False, np.empty((0, m), dtype=np.int32))


def ordinal_ground(m: int) -> Ground:
    """Return the ground distance of ordered values: by rank."""
    return Ground(True, np.empty((0, m), dtype=np.int32))


def hierarchical_ground(hierarchy: Hierarchy, labels: tuple[str, ...], missing: bool = False) -> Ground:
    """Return the ground distance of values in a hierarchy.

    Parameters
    ----------
    labels : tuple of str
        The values, leaves of the hierarchy.
    missing : bool
        Whether one more value stands for a missing one; it lies below the root alone (a reconstruction).

    Raises
    ------
    HierarchyError
        A value that is no leaf.
    """
    m, height = len(labels) + missing, hierarchy.height
    codes, _ = hierarchy.nodes(labels)
    if missing:
        own = codes.max(axis=0, initial=-1) + 1
        own[-1] = 0
        codes = np.concatenate([codes, own[None, :]]).astype(np.int32)
    above = np.full((height, m), -1, dtype=np.int32)
    for level in range(height):
        above[level, codes[:, level]] = codes[:, level + 1]
    return Ground(False, above)


def distances(
    counts: Counts, begin: int, end: int, overall: Shares, ordered: bool, above: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return each class's distance from the whole file, in [0, 1].

    Parameters
    ----------
    counts : ndarray of int32, shape (classes, S)
        Records of each class by value, in columns `begin` to `end`; each class has at least one.
    overall : ndarray of float64, shape (end - begin,)
        Shares of the values in the whole file.
    ordered, above
        As in `Ground`.

    Returns
    -------
    ndarray of float64, shape (classes,)
    """
    own, height = counts[:, begin:end], above.shape[0]
    extra = own / own.sum(axis=1, keepdims=True) - overall
    if height == 0 and ordered:
        distance: Shares = np.abs(extra.cumsum(axis=1)).sum(axis=1) / max(own.shape[1] - 1, 1)
        return distance
    apart = np.abs(extra).sum(axis=1)
    # Values whose common ancestor is at level l are 2 l edges apart, each of length 1 / (2 height); on a tree what an
    # edge carries is the excess of all that lies below it.
    for level in range(height - 1):
        higher = np.zeros_like(extra)
        for node in np.flatnonzero(above[level] >= 0).tolist():
            higher[:, above[level, node]] += extra[:, node]
        extra = higher
        apart += np.abs(extra).sum(axis=1)
    moved: Shares = apart / (2 * max(height, 1))
    return moved
