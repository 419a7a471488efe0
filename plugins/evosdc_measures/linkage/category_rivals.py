"""Whether an original of one category is likelier behind a record than its own: those that a change brings nearer."""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from evosdc.table.table import Codes
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.category_members import leaves_of, members_of
from evosdc_measures.linkage.rivals import Originals

NODES = 128
"""Nodes of the tree of which a search looks at one, about: of a category with more originals it takes less time."""

UNKNOWN = -2
"""Instead of a place where an original is exactly as likely, or the category is not listed."""


class Listing(NamedTuple):
    """Distinct originals by category.

    Parameters
    ----------
    distinct : ndarray of int32, shape (D, V)
        Places of their categories.
    begins : ndarray of int64
        Where those of each category begin in `members`, laid out as the margins of
        `evosdc_measures.linkage.likelihood.Frequencies`, and where the last ones end. All 0 where none are listed.
    members : ndarray of int32
        Which of the distinct ones they are.
    places : ndarray of int32, shape (D,)
        Position of one record of each.
    """

    distinct: Codes
    begins: Integers
    members: Counts
    places: Counts


def listing_of(originals: Originals) -> Listing:
    """Return the distinct originals by category."""
    model, tree = originals
    distinct, _, begins, members = members_of(model.own, tree, model.strides)
    return Listing(distinct, begins, members, leaves_of(tree)[:, 2].copy())


@njit(cache=True)
def rival_in_category(
    published: Codes,
    row: int,
    limit: int,
    v: int,
    category: int,
    first: int,
    near: int,
    originals: Originals,
    listing: Listing,
    costs: Integers,
    paths: Integers,
) -> tuple[int, int]:
    """Return the place of an original that costs less than the limit, -1 without one or `UNKNOWN`.

    The second figure is how much less it costs, or else how much more the next ones cost, `near` at most.

    Parameters
    ----------
    published : ndarray of int32, shape (n, V)
    row : int
    limit : int
        What the record's own original costs.
    v, category : int
        Only originals with this place of category in this attribute are looked at.
    first : int
        Where its categories begin among `begins` of the listing.
    near, originals, costs, paths
        As of `evosdc_measures.linkage.rivals.rival_of`.
    listing : Listing
    """
    (own, strides, offsets), order = originals.model, originals.tree.order
    distinct, begins, members, places = listing
    room: Any = np.int64(near)
    ahead = limit - costs[offsets[v] + (published[row, v] + 1) * strides[v] + category]
    if ahead < -room:
        return -1, int(room)
    begin, end = begins[first + category], begins[first + category + 1]
    if end == begin or NODES * (end - begin) > len(originals.tree.nodes):
        return UNKNOWN, 0
    last = len(order) - 1
    for level in range(last + 1):
        w = order[level]
        paths[3, level] = offsets[w] + (published[row, w] + 1) * strides[w]
    for place in range(begin, end):
        member, left = members[place], np.int64(ahead)
        # Attributes of many categories, which tell most, are the last levels of the tree.
        for level in range(last, -1, -1):
            w = order[level]
            if w != v:
                left -= costs[paths[3, level] + distinct[member, w]]
                if left < -room:
                    break
        if left > 0:
            return int(places[member]), int(left)
        if left == 0:
            for w in range(last + 1):
                if distinct[member, w] != own[row, w]:
                    return UNKNOWN, 0
        elif left >= -room:
            room = -left
    return -1, int(room)
