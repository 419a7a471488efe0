"""The credits of many children of one parent by the weights of agreement patterns, with nothing copied for any."""

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import EvaluationError
from evosdc.model import Changes
from evosdc.table.table import Codes
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.judged_children import UNKNOWN, judge_under
from evosdc_measures.linkage.linked_records import Model, judged, orders_by, slot_under
from evosdc_measures.linkage.links import Links
from evosdc_measures.linkage.ties_by_order import Credits

_UNUSED = np.empty(0, np.uint16)


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
    # Copies: what can be written to is another type, for which kernels would be compiled again.
    before, after, ends = changes.before.codes.copy(), changes.after.codes.copy(), changes.ends
    original, memory = model.original.take(changes.rows, 0), model.memory
    weights, credits = np.empty((len(ends), links.pairs.shape[1])), np.empty(len(ends))
    places = np.empty(2 * len(original), np.int32)
    asked = (original, before, after, ends, places)
    left = _judged(model, links, asked, weights, credits)
    if not left:
        return credits
    others = np.flatnonzero(np.isnan(credits))
    orders, ranks = orders_by(weights[others], links)
    alike: dict[bytes, list[int]] = {}
    for place in range(len(others)):
        alike.setdefault(ranks[place].tobytes(), []).append(place)
    links.keep_apart()
    for children in alike.values():
        forgotten = memory.filled[1]
        slot = slot_under(model, parent, links, orders[children[0]], ranks[children[0]])
        if memory.filled[1] != forgotten:
            _judged(model, links, asked, weights, np.empty(len(ends)))
        judge_under(
            others[children],
            slot,
            original,
            before,
            after,
            ends,
            model.originals.wildcard,
            memory.profiles,
            links.orders,
            links.ranks,
            links.kept,
            links.sizes,
            links.credits,
            places,
            credits,
        )
    return credits


def _judged(
    model: Model, links: Links, asked: tuple[Codes, Codes, Codes, Integers, Counts], weights: Credits, credits: Credits
) -> int:
    original, before, after, ends, places = asked
    left = judged(model, links, False, original, before, after, ends, places, _UNUSED, weights, credits)
    if left == UNKNOWN:
        raise EvaluationError("measure prl: the changed records are too many for the memory of profiles")
    return left
