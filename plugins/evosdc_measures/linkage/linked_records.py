"""How the records of a masked file are linked by the weights of agreement patterns; followed through its changes."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numba import njit

from evosdc.table.table import Codes, Rows
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.derived_ties import changed_ties
from evosdc_measures.linkage.estimate_memory import EstimateMemory, remembered_weights
from evosdc_measures.linkage.judged_children import UNKNOWN, judge
from evosdc_measures.linkage.kept_ties import asked
from evosdc_measures.linkage.links import NEVER, SPARE, Links, unlinked
from evosdc_measures.linkage.pattern_order import descending, descending_like, ranks_of
from evosdc_measures.linkage.profile_cache import ProfileCache, places_of
from evosdc_measures.linkage.profiles import Originals
from evosdc_measures.linkage.ties_by_order import Credits, Patterns, ties_by_order, ties_of, ties_of_all

ATTEMPTS = 2
"""How often records are entered into the memory of profiles that forgets some of them before all are there."""
FAR = 8
"""Ties are followed where at most the records divided by this change; beyond, they are counted anew when needed."""
_ALONE = np.zeros(1, np.int64)


class Model(NamedTuple):
    """All that a file is linked by, besides its own records.

    Parameters
    ----------
    original : ndarray of int32, shape (n, V)
    originals : Originals
    memory : ProfileCache
    known : bool
        Whether the share of matches is known.
    estimates : EstimateMemory
    """

    original: Codes
    originals: Originals
    memory: ProfileCache
    known: bool
    estimates: EstimateMemory


def link(model: Model, masked: Codes) -> tuple[Links, float]:
    """Return how the records of a file are linked, and the sum of their credits."""
    n, attributes = masked.shape
    links = unlinked(n, 1 << attributes)
    forgotten = int(model.memory.filled[1])
    for part, places in _in_parts(model, masked, np.arange(n)):
        _add_pairs(places, model.memory.profiles, 1, links.pairs[0])
        links.places[part] = places
    if model.memory.filled[1] == forgotten:
        links.valid = forgotten
    return links, credit_of(model, masked, links, *order_of(model, links))


def follow(model: Model, before: Codes, after: Codes, rows: Rows, links: Links) -> float:
    """Follow how the records are linked through a change, and return the sum of their credits.

    Parameters
    ----------
    model : Model
    before, after : ndarray of int32, shape (n, V)
    rows : ndarray of intp, shape (m,)
        The changed records.
    links : Links
        Before the change; altered.
    """
    memory, changed = model.memory, len(rows)
    forgotten = int(memory.filled[1])
    if changed * FAR > len(after):
        links.forget()
    old, new = before.take(rows, 0), after.take(rows, 0)
    places, best = np.empty(2 * changed, np.int32), np.empty(changed, np.uint16)
    weights, found = np.empty(links.pairs.shape), np.empty(1)
    left = judged(model, links, True, model.original.take(rows, 0), old, new, _ALONE, places, best, weights, found)
    if left == UNKNOWN:
        _follow_in_parts(model, before, after, rows, links)
    else:
        links.places[rows], links.best[rows] = places[changed:], best
    if memory.filled[1] != forgotten:
        links.valid = NEVER
    if left == 0:
        return float(found[0])
    order = order_of(model, links) if left == UNKNOWN else order_by(weights, links)
    return credit_of(model, after, links, *order, True)


def judged(
    model: Model,
    links: Links,
    moving: bool,
    original: Codes,
    before: Codes,
    after: Codes,
    ends: Integers,
    places: Counts,
    best: Patterns,
    weights: Credits,
    found: Credits,
) -> int:
    """Call `judge` until all records are known and there is room; return `UNKNOWN` if they cannot be known at once."""
    (factors, shift, hashed, records, profiles, _, batch), attempts = model.memory, 0
    while True:
        left = judge(
            moving,
            original,
            before,
            after,
            ends,
            len(links.places),
            model.originals.wildcard,
            model.known,
            factors,
            shift,
            hashed,
            records,
            profiles,
            links.pairs,
            links.orders,
            links.ranks,
            links.kept,
            links.sizes,
            links.credits,
            links.reference,
            places,
            best,
            weights,
            found,
            *model.estimates,
        )
        if left >= 0 or (left == UNKNOWN and attempts == ATTEMPTS):
            return int(left)
        if left == UNKNOWN:
            attempts += 1
            for asked_for in (before, after):
                for begin in range(0, len(asked_for), batch):
                    part = asked_for[begin : begin + batch]
                    places_of(part, np.arange(len(part)), model.originals, model.memory)
        else:
            links.provide(0, SPARE - left)


def _follow_in_parts(model: Model, before: Codes, after: Codes, rows: Rows, links: Links) -> None:
    """Follow a change of records that the memory of profiles does not hold all at once."""
    memory, nothing = model.memory, np.empty((len(links.kept), 0), np.int32)
    own: list[list[Counts]] = [[nothing], [nothing]]
    for entering, codes in enumerate((before, after)):
        for part, places in _in_parts(model, codes, rows):
            _add_pairs(places, memory.profiles, 1 if entering else -1, links.pairs[0])
            wildcard, orders = model.originals.wildcard, (links.orders, links.ranks)
            own[entering].append(ties_by_order(model.original, codes, part, places, memory.profiles, wildcard, *orders))
            if entering:
                links.places[part] = places
    removed, added = (np.concatenate(ties, axis=1) for ties in own)
    links.move(removed, added)
    links.reference = NEVER


def slot_under(model: Model, masked: Codes, links: Links, order: Integers, ranks: Counts, lasting: bool = False) -> int:
    """Return the slot of an order of the patterns in a file's ties, counted unless they are followed; then they are.

    Parameters
    ----------
    model : Model
    masked : ndarray of int32, shape (n, V)
    links : Links
        Of the file; altered, and kept apart (`Links.keep_apart`).
    order : ndarray of int64, shape (2**V,)
    ranks : ndarray of int32, shape (2**V,)
    lasting : bool
        Whether the file itself has that order, so that its further ones will be like it.
    """
    slot, _ = asked(ranks, links.ranks, links.kept, links.sizes, links.credits)
    if slot >= 0:
        return slot
    if links.reference < 0 or links.valid != model.memory.filled[1]:
        ties = ties_of_file(model, masked, links, order, ranks, links.best)
        links.reference = NEVER  # whose best patterns are written over
        links.reference = links.enter_counted(order, ranks, ties)
        return links.reference
    reference = links.orders[links.reference], links.ranks[links.reference]
    profiles, wildcard = model.memory.profiles, model.originals.wildcard
    rows, best, before, after = changed_ties(
        model.original, masked, links.places, profiles, wildcard, links.best, *reference, order, ranks
    )
    slot = links.enter_derived(order, ranks, before, after)
    if lasting:
        links.best[rows], links.reference = best, slot
    return slot


def credit_of(
    model: Model, masked: Codes, links: Links, order: Integers, ranks: Counts, lasting: bool = False
) -> float:
    """Return the sum of the credits of all records of a file under an order of the patterns; see `slot_under`."""
    links.keep_apart()
    slot_under(model, masked, links, order, ranks, lasting)
    return float(asked(ranks, links.ranks, links.kept, links.sizes, links.credits)[1])


def ties_of_file(model: Model, masked: Codes, links: Links, order: Integers, ranks: Counts, best: Patterns) -> Counts:
    """Return the tie of each record under an order of the patterns, shape (n,), and write its best pattern there.

    The places in `links` are renewed.
    """
    memory, forgotten = model.memory, int(model.memory.filled[1])
    profiles, wildcard = memory.profiles, model.originals.wildcard
    if links.valid == forgotten:
        known = int(memory.filled[0])
        return ties_of_all(model.original, masked, links.places, profiles, known, wildcard, order, ranks, best)
    ties = np.empty(len(masked), np.int32)
    for part, places in _in_parts(model, masked, np.arange(len(masked))):
        links.places[part] = places
        ties[part] = ties_of(model.original, masked, part, places, profiles, wildcard, order, ranks, best)
    links.valid = forgotten if memory.filled[1] == forgotten else NEVER
    return ties


def order_of(model: Model, links: Links) -> tuple[Integers, Counts]:
    """Return the patterns in descending order of their weights in a file, and their ranks."""
    n, attributes = model.original.shape
    return order_by(remembered_weights(links.pairs, attributes, n, model.known, *model.estimates), links)


def order_by(weights: Credits, links: Links) -> tuple[Integers, Counts]:
    """Return the patterns in descending order of these weights, shape (1, 2**V), and their ranks."""
    orders, ranks = orders_by(weights, links)
    return orders[0], ranks[0]


def orders_by(weights: Credits, links: Links) -> tuple[Integers, Counts]:
    """Return for each child the patterns in descending order of its weights, shape (k, 2**V), and their ranks."""
    return _ordered(weights, links.orders[: links.reference + 1])


@njit(cache=True)
def _ordered(weights: Credits, near: Integers) -> tuple[Integers, Counts]:
    """Return orders and ranks; those are like the last one that is given, if any."""
    orders, ranks = np.empty(weights.shape, np.int64), np.empty(weights.shape, np.int32)
    for table in range(len(weights)):
        own = weights[table]
        orders[table] = descending_like(own, near[-1]) if len(near) > 0 else descending(own)
        ranks[table] = ranks_of(own, orders[table])
    return orders, ranks


def _in_parts(model: Model, codes: Codes, rows: Rows) -> Iterator[tuple[Rows, Counts]]:
    """Yield rows in parts that the memory of profiles has room for, with the places of their records there."""
    batch = model.memory.batch
    for begin in range(0, len(rows), batch):
        part = rows[begin : begin + batch]
        yield part, places_of(codes, part, model.originals, model.memory)


@njit(cache=True)
def _add_pairs(places: Counts, profiles: Counts, sign: int, pairs: Integers) -> None:
    for place in places:
        profile = profiles[place]
        for pattern in range(len(pairs)):
            pairs[pattern] += sign * profile[pattern]
