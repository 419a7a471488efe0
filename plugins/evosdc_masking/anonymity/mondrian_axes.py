"""The axes along which Mondrian cuts: the values of each attribute by rank, and the trees above them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.table.hierarchy import Hierarchy
from evosdc.table.schema import Attribute
from evosdc.table.spread import Spread, Spreads
from evosdc.table.table import MISSING, Numbers, Table

Ranks = NDArray[np.int64]


class Axes(NamedTuple):
    """All attributes as axes; a tuple of flat arrays, since compiled loops take it as it is.

    Parameters
    ----------
    ranks : ndarray of int64, shape (n, V)
        Rank of each value among the distinct ones of its attribute.
    first : ndarray of int64, shape (V + 1,)
        Where each attribute's entries begin in `places` and, times its levels, in `nodes`.
    places : ndarray of float64
        By attribute and rank: where the value lies, 0 to 1 over the file; NaN for a missing value.
    heights : ndarray of int64, shape (V,)
        Height of the attribute's hierarchy, -1 where values are compared by rank.
    tree : ndarray of int64, shape (V + 1,)
        Where each attribute's entries begin in `nodes`.
    nodes : ndarray of int64
        By attribute, rank and level: number of the node, counted over all levels of the attribute.
    broad : ndarray of int64, shape (V + 1,)
        Where each attribute's entries begin in `widths`.
    widths : ndarray of float64
        By attribute and node: (leaves below it - 1) / (all leaves - 1).
    """

    ranks: Ranks
    first: Ranks
    places: Numbers
    heights: Ranks
    tree: Ranks
    nodes: Ranks
    broad: Ranks
    widths: Numbers


def axes_of(table: Table, by_hierarchy: bool, spreads: Spreads | None = None) -> Axes:
    """Return the axes of a table, n >= 1.

    Numbers lie where they are, ordinal categories by their order, nominal ones by the order of their codes, and a
    missing value stands behind all others.

    Parameters
    ----------
    table : Table
    by_hierarchy : bool
        Whether an attribute of categories with a hierarchy is cut along it; its values are then ranked so that
        siblings are neighbours.
    spreads : mapping of str to Spread, optional
        Of the numbers of the file that the table is a part of: widths are parts of its ranges. By default its own.

    Raises
    ------
    HierarchyError
        A category that the attribute's hierarchy lacks.
    """
    ranks, places, heights, nodes, widths = [], [], [], [], []
    for attribute in table.schema.attributes:
        values = np.asarray(table.column(attribute.name), dtype=np.float64)
        absent = values == MISSING if attribute.categorical else np.isnan(values)
        hierarchy = attribute.hierarchy if by_hierarchy and attribute.categories else None
        key, above, broad = (values, _NONE, _NOWHERE) if hierarchy is None else _along(attribute, hierarchy, values)
        distinct, rank = np.unique(np.where(absent, np.inf, key), return_inverse=True)
        ranks.append(rank.reshape(-1))
        whole = None if spreads is None else spreads.get(attribute.name)
        places.append(_places(distinct, attribute.categorical, whole))
        heights.append(-1 if hierarchy is None else hierarchy.height)
        if hierarchy is not None:
            nodes.append(above[np.where(np.isinf(distinct), len(above) - 1, distinct).astype(np.int64)].ravel())
            widths.append(broad)
        else:
            nodes.append(_NONE)
            widths.append(_NOWHERE)
    return Axes(
        np.stack(ranks, axis=1).astype(np.int64),
        _starts(places),
        np.concatenate(places),
        np.array(heights, dtype=np.int64),
        _starts(nodes),
        np.concatenate(nodes),
        _starts(widths),
        np.concatenate(widths),
    )


_NONE = np.empty(0, dtype=np.int64)
_NOWHERE = np.empty(0)


def _starts(parts: Sequence[NDArray[Any]]) -> Ranks:
    return np.concatenate(([0], np.cumsum([part.size for part in parts]))).astype(np.int64)


def _places(distinct: Numbers, categorical: bool, whole: Spread | None) -> Numbers:
    present = np.isfinite(distinct)
    # only values that occur count, so that an unused category does not make a part narrower than it is
    at = np.arange(distinct.size, dtype=np.float64) if categorical else distinct
    places = np.full(distinct.size, np.nan)
    if present.any():
        least, greatest = at[present].min(), at[present].max()
        width = greatest - least if whole is None else whole.width
        places[present] = (at[present] - least) / width if width > 0 else 0.0
    return places


def _along(attribute: Attribute, hierarchy: Hierarchy, values: Numbers) -> tuple[Numbers, Ranks, Numbers]:
    """Return where values stand in the order of the tree, the nodes above each such place, and widths of the nodes.

    The last place is that of a missing value, which is a child of the root.
    """
    codes, labels = hierarchy.nodes(attribute.categories)
    order = np.lexsort(codes.T)  # the last key, the root's, comes first
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    sizes = np.array([len(names) for names in labels])
    offsets = np.cumsum(sizes) - sizes
    lone = np.append(np.full(hierarchy.height, sizes.sum()), offsets[-1])
    above = np.vstack([codes[order] + offsets, lone]).astype(np.int64)
    leaves = len(hierarchy.leaves)
    widths = []
    for level, names in enumerate(labels):
        below = dict.fromkeys(names, 0)
        for label in hierarchy.generalise(hierarchy.leaves, level):
            if label in below:
                below[label] += 1
        widths += [(below[name] - 1) / max(leaves - 1, 1) for name in names]
    widths[offsets[-1]] = 1.0  # the root holds missing values too, also where it has a single leaf
    positions = np.append(place, -1)[values.astype(np.int64)].astype(np.float64)
    return positions, above, np.array([*widths, 0.0])
