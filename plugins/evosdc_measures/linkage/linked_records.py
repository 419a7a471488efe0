"""How the records of a masked file are linked by the weights of agreement patterns; followed through its changes."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import kernel
from evosdc.table.table import Codes, Rows
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.estimate_memory import EstimateMemory, remembered_weights
from evosdc_measures.linkage.judged_children import UNKNOWN, judge
from evosdc_measures.linkage.kept_ties import asked, move_ties
from evosdc_measures.linkage.links import NEVER, SPARE, Links, unlinked
from evosdc_measures.linkage.pattern_order import descending, ranks_of
from evosdc_measures.linkage.profile_cache import ProfileCache, places_of
from evosdc_measures.linkage.profiles import Originals
from evosdc_measures.linkage.ties_by_order import Credits, ties_by_order, ties_of, ties_of_all

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
        links.kept[:] = NEVER
    old, new = before.take(rows, 0), after.take(rows, 0)
    places, found = np.empty(2 * changed, np.int32), np.empty(1)
    left = judged(model, links, True, model.original.take(rows, 0), old, new, _ALONE, places, links.pairs, found)
    if left == UNKNOWN:
        _follow_in_parts(model, before, after, rows, links)
        found[0] = np.nan
    else:
        links.places[rows] = places[changed:]
    if memory.filled[1] != forgotten:
        links.valid = NEVER
    credit = float(found[0])
    return credit if credit == credit else credit_of(model, after, links, *order_of(model, links))


def judged(
    model: Model,
    links: Links,
    moving: bool,
    original: Codes,
    before: Codes,
    after: Codes,
    ends: Integers,
    places: Counts,
    moved: Integers,
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
            places,
            moved,
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
    wanted = move_ties(removed, added, links.kept, links.sizes)
    if wanted:
        links.provide(0, SPARE + wanted)
        move_ties(removed, added, links.kept, links.sizes)


def slot_under(model: Model, masked: Codes, links: Links, order: Integers, ranks: Counts) -> int:
    """Return the slot of an order of the patterns in a file's ties, counted unless they are followed; then they are.

    Parameters
    ----------
    model : Model
    masked : ndarray of int32, shape (n, V)
    links : Links
        Of the file; altered.
    order : ndarray of int64, shape (2**V,)
    ranks : ndarray of int32, shape (2**V,)
    """
    slot, _ = asked(ranks, links.ranks, links.kept, links.sizes, links.credits)
    return slot if slot >= 0 else links.enter(order, ranks, ties_of_file(model, masked, links, order, ranks))


def credit_of(model: Model, masked: Codes, links: Links, order: Integers, ranks: Counts) -> float:
    """Return the sum of the credits of all records of a file under an order of the patterns; see `slot_under`."""
    slot_under(model, masked, links, order, ranks)
    return float(asked(ranks, links.ranks, links.kept, links.sizes, links.credits)[1])


def ties_of_file(model: Model, masked: Codes, links: Links, order: Integers, ranks: Counts) -> Counts:
    """Return the tie of each record under an order of the patterns, shape (n,); the places in `links` are renewed."""
    memory, forgotten = model.memory, int(model.memory.filled[1])
    if links.valid == forgotten:
        known = int(memory.filled[0])
        wildcard = model.originals.wildcard
        return ties_of_all(model.original, masked, links.places, memory.profiles, known, wildcard, order, ranks)
    ties = np.empty(len(masked), np.int32)
    for part, places in _in_parts(model, masked, np.arange(len(masked))):
        links.places[part] = places
        ties[part] = _ties(model, masked, part, places, order, ranks)
    links.valid = forgotten if memory.filled[1] == forgotten else NEVER
    return ties


def order_of(model: Model, links: Links) -> tuple[Integers, Counts]:
    """Return the patterns in descending order of their weights in a file, and their ranks."""
    n, attributes = model.original.shape
    orders, ranks = orders_by_weight(links.pairs, attributes, n, model.known, *model.estimates)
    return orders[0], ranks[0]


@kernel
def orders_by_weight(
    pairs: Integers,
    attributes: int,
    n: int,
    known: bool,
    remembered: Integers,
    weights: NDArray[np.float64],
    following: Integers,
) -> tuple[Integers, Counts]:
    """Return for each table of pairs by pattern the patterns in descending order of their weights, and their ranks.

    The arguments are those of `remembered_weights`.
    """
    estimated = remembered_weights(pairs, attributes, n, known, remembered, weights, following)
    orders, ranks = np.empty(pairs.shape, np.int64), np.empty(pairs.shape, np.int32)
    for table in range(len(pairs)):
        orders[table] = descending(estimated[table])
        ranks[table] = ranks_of(estimated[table], orders[table])
    return orders, ranks


def _in_parts(model: Model, codes: Codes, rows: Rows) -> Iterator[tuple[Rows, Counts]]:
    """Yield rows in parts that the memory of profiles has room for, with the places of their records there."""
    batch = model.memory.batch
    for begin in range(0, len(rows), batch):
        part = rows[begin : begin + batch]
        yield part, places_of(codes, part, model.originals, model.memory)


def _ties(model: Model, codes: Codes, rows: Rows, places: Counts, order: Integers, ranks: Counts) -> Counts:
    return ties_of(model.original, codes, rows, places, model.memory.profiles, model.originals.wildcard, order, ranks)


@kernel
def _add_pairs(places: Counts, profiles: Counts, sign: int, pairs: Integers) -> None:
    for place in places:
        for pattern in range(len(pairs)):
            pairs[pattern] += sign * profiles[place, pattern]
