"""The credits of many children of one parent by the weights of agreement patterns, with nothing copied for any."""

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import EvaluationError
from evosdc.kernel import kernel
from evosdc.model import Changes
from evosdc.table.table import Codes
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.linked_records import Links, Model, orders_by_weight, ties_under
from evosdc_measures.linkage.profile_cache import known_places, places_of
from evosdc_measures.linkage.ties_by_order import credits_under

ATTEMPTS = 3
"""How often records are entered into the memory of profiles that forgets some of them before all are there."""


def credits_of_children(model: Model, parent: Codes, changes: Changes, links: Links) -> NDArray[np.float64]:
    """Return the sum of all records' credits for each child, as `linked_records.follow` leads to it.

    Parameters
    ----------
    model : Model
    parent : ndarray of int32, shape (n, V)
    changes : Changes
        Of k children.
    links : Links
        Of the parent; altered where it comes to an order of patterns that was not followed.

    Raises
    ------
    EvaluationError
        The memory of profiles does not hold all changed records at once.
    """
    before, after, rows, ends = changes.before.codes, changes.after.codes, changes.rows, changes.ends
    memory, wildcard = model.memory, model.originals.wildcard
    asked = np.concatenate([before, after])
    places = _entered(model, asked)
    n, attributes = model.original.shape
    moved = _moved_pairs(links.pairs, ends, places, memory.profiles)
    orders, ranks = orders_by_weight(moved, attributes, n, model.known, *model.estimates)
    alike: dict[bytes, list[int]] = {}
    for child in range(len(ends)):
        alike.setdefault(ranks[child].tobytes(), []).append(child)
    credits = np.empty(len(ends))
    for children in alike.values():
        forgotten = memory.filled[1]
        ties = ties_under(model, parent, links, orders[children[0]], ranks[children[0]])
        if memory.filled[1] != forgotten:
            places = _entered(model, asked)
        own = np.array(children, dtype=np.int64)
        credits_under(model.original, before, after, rows, ends, own, places, memory.profiles, wildcard, *ties, credits)
    return credits


def _entered(model: Model, asked: Codes) -> Counts:
    """Return the places of records in the memory of profiles, all of which are there at once."""
    memory, every = model.memory, np.arange(len(asked))
    places = np.empty(len(asked), np.int32)
    for _ in range(ATTEMPTS):
        if known_places(asked, every, memory, places):
            return places
        for begin in range(0, len(every), memory.batch):
            places_of(asked, every[begin : begin + memory.batch], model.originals, memory)
    raise EvaluationError("measure prl: the changed records are too many for the memory of profiles")


@kernel
def _moved_pairs(pairs: Integers, ends: Integers, places: Counts, profiles: Counts) -> Integers:
    """Return the numbers of pairs by pattern of all children, shape (k, 2**V)."""
    changed, patterns = len(places) // 2, len(pairs)
    moved, begin = np.empty((len(ends), patterns), np.int64), 0
    for child in range(len(ends)):
        for pattern in range(patterns):
            moved[child, pattern] = pairs[pattern]
        for i in range(begin, ends[child]):
            for pattern in range(patterns):
                moved[child, pattern] += profiles[places[changed + i], pattern] - profiles[places[i], pattern]
        begin = ends[child]
    return moved
