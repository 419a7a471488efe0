"""What the best group of each kind is worth at given prices of records, and what must cost too much to be needed."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc_masking.suppression.choices import Choices, Weights
from evosdc_masking.suppression.keys import Counts

TOLERANCE = 1e-7
"""Amount up to which costs count as equal."""


@dataclass(frozen=True, eq=False)
class Priced:
    """The best group of each kind at given prices: who is in it, and what it costs beyond the prices of its members.

    Parameters
    ----------
    order : ndarray of int64, shape (c,)
        Choices of the kinds that were priced, kind by kind, the cheapest member first.
    starts : ndarray of int64, shape (g,)
        Where each kind begins in `order`.
    members : ndarray of int64, shape (c,)
        How many members each of these choices has.
    costs : ndarray of float64, shape (g,)
        What the group costs, less the prices.
    """

    order: Counts
    starts: Counts
    members: Counts
    costs: Weights


def priced(choices: Choices, sizes: Counts, prices: Weights, k: int, kinds: Counts | None = None) -> Priced:
    """Return the best group of each kind, or of some: all members below their price, and others until they are k."""
    starts = choices.starts
    lengths = np.diff(starts, append=choices.owner.size)
    if kinds is None:
        kinds = np.arange(starts.size)
    lengths, starts = lengths[kinds], starts[kinds]
    first = np.cumsum(lengths) - lengths
    positions = np.repeat(starts - first, lengths) + np.arange(lengths.sum())
    reduced = choices.costs[positions] - prices[choices.owner[positions]]
    order = np.lexsort((reduced, np.repeat(np.arange(kinds.size), lengths)))
    positions, reduced = positions[order], reduced[order]
    own = sizes[choices.owner[positions]]
    before = np.cumsum(own) - own
    before -= np.repeat(before[first], lengths)
    members = np.where(reduced < 0, own, np.clip(k - before, 0, own))
    costs = np.add.reduceat(members * reduced, first) if first.size else np.zeros(0)
    return Priced(positions, first, members, costs)


def floors(choices: Choices, sizes: Counts, prices: Weights) -> Weights:
    """Return at most what the best group of each kind costs, shape (g,): its members below their price alone."""
    reduced = np.minimum(choices.costs - prices[choices.owner], 0.0) * sizes[choices.owner]
    result: Weights = np.add.reduceat(reduced, choices.starts)
    return result


def within(choices: Choices, sizes: Counts, prices: Weights, k: int, slack: float) -> NDArray[np.bool_]:
    """Return which choices a solution can have that costs at most `slack` more than the prices' bound, shape (c,).

    A group with a member who is not in the best one costs at least as much more as that member is dearer than the
    dearest one there who is no gain, for whose place it comes.
    """
    best = priced(choices, sizes, prices, k)
    reduced = choices.costs[best.order] - prices[choices.owner[best.order]]
    lengths = np.diff(best.starts, append=best.order.size)
    taken = best.members > 0
    dearest = np.maximum.reduceat(np.where(taken, np.maximum(reduced, 0.0), 0.0), best.starts)
    more = np.where(taken, 0.0, np.maximum(reduced - np.repeat(dearest, lengths), 0.0))
    possible = np.repeat(np.maximum(best.costs, 0.0), lengths) + more <= slack + TOLERANCE
    result = np.zeros(choices.owner.size, dtype=np.bool_)
    result[best.order[possible]] = True
    return result
