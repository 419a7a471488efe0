"""Fewer suppressions by ruin and recreate (Schrimpf et al. 2000, Journal of Computational Physics 159(2)).

Relieving rare records one after the other depends on the order. A few suppressed records that are alike get their
values back, and all that are rare then are relieved anew, in a random order; what costs more is undone. In other
rounds a suppressed record loses one value more, so that it is like more records, and what these do not need then is
taken back.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc_masking.suppression.agreement import agreements
from evosdc_masking.suppression.keys import Counts, Values
from evosdc_masking.suppression.relief import Weights, give_back, relieve, take_back

ROUNDS_EACH, MOST_ROUNDS = 20, 2000
"""Rounds for each suppressed record, and at most."""

MOST_WORK = 1 << 30
"""Values looked at, about: a second of a core."""

AT_ONCE = 12
"""Records at most that get their values back in a round."""

WIDER = 0.25
"""Share of the rounds in which a record loses one value more. It keeps half of its values, rounded up: k - 1 records
without any value would serve all others, and tell nothing."""

DRAWS = 64
SEED = 2000
"""The rounds are the same for the same file, whatever the seed of a run."""

Draws = NDArray[np.float64]


def exchanged(values: Values, original: Values, counts: Counts, found: Counts, weights: Weights, k: int) -> None:
    """Suppress at most as much as before, at less cost where a round finds it; `values` and `found` are changed.

    Parameters
    ----------
    values, original : ndarray of int32, shape (V, u)
        Values of units, with suppressions that make all compatible with k records, and before them.
    counts, found : ndarray of int64, shape (u,)
        Records in each unit, and records that are compatible with it.
    weights : ndarray of float64, shape (V,)
        Cost of suppressing one value of each attribute, positive.
    k : int
    """
    suppressed = int(((values < 0) & (original >= 0)).any(axis=0).sum())
    rounds = min(MOST_ROUNDS, ROUNDS_EACH * suppressed, MOST_WORK // (60 * values.size))
    if suppressed > 1 and rounds:
        draws = np.random.default_rng(SEED).random((rounds, DRAWS))
        _exchange(_State(values, original, counts, found, weights, k), draws)


@dataclass(frozen=True, eq=False)
class _State:
    """Units and their suppressions, as `exchanged` has them."""

    values: Values
    original: Values
    counts: Counts
    found: Counts
    weights: Weights
    k: int

    def agreeing(self, values: Values, unit: int) -> Counts:
        """Return the attributes on which a unit agrees with each, as bits, shape (u,)."""
        masks = np.empty_like(self.counts)
        agreements(values, unit, masks)
        return masks

    @property
    def full(self) -> int:
        """Return the set of all attributes, as bits."""
        return (1 << len(self.values)) - 1

    def cost(self) -> float:
        """Return what all suppressions cost, added in the order of the attributes."""
        suppressed = ((self.values < 0) & (self.original >= 0)).sum(axis=1)
        return float(np.repeat(self.weights, suppressed).cumsum()[-1]) if suppressed.any() else 0.0

    def take_back(self, order: Counts) -> None:
        """Take back what is needless of some units."""
        take_back(self.values, self.original, self.counts, self.found, self.weights, self.k, order)


def _exchange(state: _State, draws: Draws) -> None:
    """Do a round for each row of draws from [0, 1)."""
    cost = state.cost()
    for drawn in draws:
        values, found = state.values.copy(), state.found.copy()
        holes = np.flatnonzero(((values < 0) & (state.original >= 0)).any(axis=0))
        if holes.size < 2:
            return
        if drawn[-1] < WIDER:
            _widen(state, holes, drawn)
        else:
            _recreate(state, holes, drawn)
        cost_now = state.cost()
        if cost_now <= cost:
            cost = cost_now
        else:
            state.values[:], state.found[:] = values, found


def _recreate(state: _State, holes: Counts, drawn: Draws) -> None:
    """Give some units that are alike their values back, relieve those that are rare then, and take back."""
    alike = state.agreeing(state.original, int(holes[int(drawn[0] * holes.size)]))[holes]
    near = np.bitwise_count(alike) + 2.0 * drawn[2 + np.arange(holes.size) % (DRAWS - 2)]
    nearest = np.argsort(-near, kind="stable")[: 2 + int(drawn[1] * (AT_ONCE - 1))]
    give_back(state.values, state.original, state.counts, state.found, holes[nearest])
    rare = np.flatnonzero(state.found < state.k)
    _shuffle(rare, drawn, DRAWS - 2)
    relieve(state.values, state.counts, state.found, state.weights, state.k, rare)
    state.take_back(rare[::-1].copy())


def _widen(state: _State, holes: Counts, drawn: Draws) -> None:
    """Suppress one value more of a record, and take back what those that it is like do not need any more."""
    width = len(state.values)
    unit, attribute = int(holes[int(drawn[0] * holes.size)]), int(drawn[1] * width)
    gone = int((state.values[:, unit] < 0).sum())
    if state.values[attribute, unit] < 0 or 2 * (gone + 1) > width:
        return
    state.values[attribute, unit] = -1
    alike = state.agreeing(state.values, unit) == state.full
    column = state.values[attribute]
    fresh = alike & (column >= 0) & (column != state.original[attribute, unit])
    state.found[fresh] += state.counts[unit]
    state.found[unit] += state.counts[fresh].sum()
    others = holes[alike[holes] & (holes != unit)]
    _shuffle(others, drawn, DRAWS - 3)
    state.take_back(others)


def _shuffle(order: Counts, drawn: Draws, usable: int) -> None:
    """Put units in a random order, by as many of the draws from the third on."""
    for i in range(order.size - 1, 0, -1):
        j = int(drawn[2 + i % usable] * (i + 1))
        order[i], order[j] = order[j], order[i]
