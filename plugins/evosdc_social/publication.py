"""What a group of users publishes: for each attribute the lowest common ancestor of its members' values."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Codes, Table
from evosdc_social.space import SemanticSpace
from evosdc_social.tree import Nodes

Labels = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Publication:
    """How groups are published.

    The lowest common ancestor stands for the values of all members. Members of a list, topics for one, publish the most
    frequent value of the group where only the root is common to all, the first of several, if `aggregated`. A value
    coarser than the bound of its attribute is not published at all: the root stands in its place (both
    rules are reconstructions).

    Parameters
    ----------
    space : SemanticSpace
    bounds : ndarray of int64, shape (V,)
        The highest level of each attribute that is published, besides the root.
    frequent : ndarray of bool, shape (V,)
        Whether the most frequent value is published in place of the root.
    """

    space: SemanticSpace
    bounds: NDArray[np.int64]
    frequent: NDArray[np.bool_]

    @property
    def roots(self) -> Nodes:
        """The root of each tree, shape (V,)."""
        return np.array([tree.root for tree in self.space.trees], dtype=np.int32)

    def nodes(self, original: Table, groups: Labels) -> Nodes:
        """Return the nodes that records publish, shape (n, V).

        Parameters
        ----------
        original : Table
            Shape (n, V).
        groups : ndarray of int, shape (n,)
            Number of each record's group, from 0 without gaps.
        """
        return self.nodes_of(self.leaves(original), groups)

    def leaves(self, original: Table) -> Nodes:
        """Return an original's values as nodes, shape (n, V), missing values the last node of each tree."""
        last = np.array([len(tree.labels) for tree in self.space.trees], dtype=np.int32)
        codes: Codes = original.codes
        return np.ascontiguousarray(np.where(codes < 0, last, codes))

    def nodes_of(self, leaves: Nodes, groups: Labels) -> Nodes:
        """Return `nodes` of an original whose values are nodes already."""
        order = np.argsort(groups, kind="stable")
        starts = np.concatenate(([0], np.cumsum(np.bincount(groups)))).astype(np.int64)
        space = self.space
        return _published(space.padded, space.heights, self.bounds, self.frequent, self.roots, leaves, order, starts)


def publication_of(space: SemanticSpace, coarsest: Mapping[str, str | int], aggregated: bool = True) -> Publication:
    """Return how groups are published.

    Parameters
    ----------
    space : SemanticSpace
    coarsest : mapping of str to str or int
        By attribute the coarsest level that is published, by name or number.
    aggregated : bool
        Whether members of a list publish the most frequent value in place of the root.

    Raises
    ------
    SchemaError, ParameterError
        Attributes or levels that there are not.
    """
    space.schema.require(coarsest, "coarsest")
    bounds = [t.level_called(coarsest[t.name]) if t.name in coarsest else t.height for t in space.trees]
    return Publication(space, np.array(bounds, dtype=np.int64), space.members & aggregated)


@njit(cache=True)
def _published(
    up: NDArray[np.int32],
    heights: NDArray[np.int64],
    bounds: NDArray[np.int64],
    frequent: NDArray[np.bool_],
    roots: Nodes,
    leaves: Nodes,
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
) -> Nodes:
    result = np.empty(leaves.shape, dtype=np.int32)
    for group in range(starts.size - 1):
        begin, end = starts[group], starts[group + 1]
        for v in range(leaves.shape[1]):
            first = leaves[order[begin], v]
            level = 0
            for place in range(begin + 1, end):
                other = leaves[order[place], v]
                while up[v, first, level] != up[v, other, level]:
                    level += 1
            node = up[v, first, level]
            if level == heights[v] and frequent[v] and level > 0:
                best = 0
                for place in range(begin, end):
                    count = 0
                    value = leaves[order[place], v]
                    for again in range(begin, end):
                        count += leaves[order[again], v] == value
                    if count > best or (count == best and value < node):
                        best = count
                        node = value
            elif level > bounds[v]:
                node = roots[v]
            for place in range(begin, end):
                result[order[place], v] = node
    return result
