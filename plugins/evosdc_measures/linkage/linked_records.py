"""How the records of a masked file are linked by the weights of agreement patterns; followed through its changes."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import kernel
from evosdc.table.table import Codes, Rows
from evosdc_measures.domains import Counts, Integers
from evosdc_measures.linkage.estimate_memory import EstimateMemory, remembered_weights
from evosdc_measures.linkage.pattern_order import descending, ranks_of
from evosdc_measures.linkage.profile_cache import ProfileCache, places_of
from evosdc_measures.linkage.profiles import Originals
from evosdc_measures.linkage.ties_by_order import Ties, counted, ties_by_order, ties_of, ties_of_all

ORDERS, RANKS = 16, 1 << 15
"""So many orders of patterns are followed, but no more than so many ranks."""
FAR = 8
"""Ties are followed where at most the records divided by this change; beyond, they are counted anew when needed."""
_UNKNOWN = -1


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


class Links(NamedTuple):
    """How masked records are linked.

    Parameters
    ----------
    pairs : ndarray of int64, shape (2**V,)
        Pairs of a masked and an original record, by pattern.
    places : ndarray of int32, shape (n,)
        Where the memory of profiles has each record.
    valid : ndarray of int64, shape (1,)
        How often that memory had forgotten all when the places were found; they hold until it does so again.
    ties : dict of bytes to Ties
        By the ranks of the patterns; those that were asked for last stand last.
    """

    pairs: Integers
    places: Counts
    valid: Integers
    ties: dict[bytes, Ties]

    def copy(self) -> "Links":
        """Return a copy that shares nothing which changes."""
        return Links(self.pairs.copy(), self.places.copy(), self.valid.copy(), self.ties.copy())


def link(model: Model, masked: Codes) -> tuple[Links, float]:
    """Return how the records of a file are linked, and the sum of their credits."""
    n, patterns = len(masked), 1 << masked.shape[1]
    links = Links(np.zeros(patterns, np.int64), np.empty(n, np.int32), np.full(1, _UNKNOWN, np.int64), {})
    forgotten = int(model.memory.filled[1])
    for part, places in _in_parts(model, masked, np.arange(n)):
        _add_pairs(places, model.memory.profiles, 1, links.pairs)
        links.places[part] = places
    if model.memory.filled[1] == forgotten:
        links.valid[0] = forgotten
    return links, _credit(model, masked, links)


def follow(model: Model, before: Codes, after: Codes, rows: Rows, links: Links) -> tuple[Links, float]:
    """Return how the records are linked after a change, and the sum of their credits.

    Parameters
    ----------
    model : Model
    before, after : ndarray of int32, shape (n, V)
    rows : ndarray of intp, shape (m,)
        The changed records.
    links : Links
        Before the change; altered.
    """
    pairs, memory = links.pairs.copy(), model.memory
    forgotten = int(memory.filled[1])
    followed = links.ties if len(rows) * FAR <= len(after) else {}
    kept = list(followed.values())
    orders = np.array([ties.order for ties in kept], dtype=np.int64).reshape(len(kept), len(pairs))
    ranks = np.array([ties.ranks for ties in kept], dtype=np.int32).reshape(len(kept), len(pairs))
    lost: list[Counts] = [np.empty((len(kept), 0), np.int32)]
    won = lost.copy()
    found = []
    for codes, sign, own in ((before, -1, lost), (after, 1, won)):
        for part, places in _in_parts(model, codes, rows):
            _add_pairs(places, memory.profiles, sign, pairs)
            own.append(
                ties_by_order(
                    model.original, codes, part, places, memory.profiles, model.originals.wildcard, orders, ranks
                )
            )
            if sign > 0:
                found.append((part, places))
    removed, added = (np.sort(np.concatenate(ties, axis=1), axis=1) for ties in (lost, won))
    others = (removed != added).any(axis=1).tolist()
    moved = {
        key: ties.moved(removed[i], added[i]) if others[i] else ties for i, (key, ties) in enumerate(followed.items())
    }
    for part, places in found:
        links.places[part] = places
    if memory.filled[1] != forgotten:
        links.valid[0] = _UNKNOWN
    links = Links(pairs, links.places, links.valid, moved)
    return links, _credit(model, after, links)


def ties_under(model: Model, masked: Codes, links: Links, order: Integers, ranks: Counts) -> Ties:
    """Return the ties of a file under an order of the patterns, counted unless they are followed; then they are.

    Parameters
    ----------
    model : Model
    masked : ndarray of int32, shape (n, V)
    links : Links
        Of the file; altered.
    order : ndarray of int64, shape (2**V,)
    ranks : ndarray of int32, shape (2**V,)
    """
    key = ranks.tobytes()
    ties = links.ties.pop(key, None)
    if ties is None:
        if len(links.ties) >= max(1, min(ORDERS, RANKS // len(ranks))):
            del links.ties[next(iter(links.ties))]
        ties = counted(order.copy(), ranks.copy(), ties_of_file(model, masked, links, order, ranks))
    links.ties[key] = ties
    return ties


def ties_of_file(model: Model, masked: Codes, links: Links, order: Integers, ranks: Counts) -> Counts:
    """Return the tie of each record under an order of the patterns, shape (n,); the places in `links` are renewed."""
    memory, forgotten = model.memory, int(model.memory.filled[1])
    if links.valid[0] == forgotten:
        known = int(memory.filled[0])
        wildcard = model.originals.wildcard
        return ties_of_all(model.original, masked, links.places, memory.profiles, known, wildcard, order, ranks)
    ties = np.empty(len(masked), np.int32)
    for part, places in _in_parts(model, masked, np.arange(len(masked))):
        links.places[part] = places
        ties[part] = _ties(model, masked, part, places, order, ranks)
    links.valid[0] = forgotten if memory.filled[1] == forgotten else _UNKNOWN
    return ties


def order_of(model: Model, links: Links) -> tuple[Integers, Counts]:
    """Return the patterns in descending order of their weights in a file, and their ranks."""
    n, attributes = model.original.shape
    orders, ranks = orders_by_weight(links.pairs[None], attributes, n, model.known, *model.estimates)
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


def _credit(model: Model, masked: Codes, links: Links) -> float:
    return ties_under(model, masked, links, *order_of(model, links)).credit


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
