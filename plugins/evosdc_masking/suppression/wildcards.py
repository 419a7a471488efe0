"""Local suppression where a missing value may be anything.

Relieving rare records one after the other depends on the order. A few suppressed records that are alike get their
values back, and all that are rare then are relieved again, in a random order; what costs more is undone. In other
rounds a suppressed record loses one value more, so that it is like more records, and what these do not need then is
taken back.

A suppressed value makes its record like more records and no record like fewer, so records are relieved one after the
other. Each that is like fewer than k records loses the values that cost least among all choices that make it like k.
Among equally cheap choices those are taken that bring most other such records nearer to k. Later suppressions may make
earlier ones needless; these are taken back at the end, dearest values first, as long as every record stays like k. At
last some are given back and chosen again in other orders (`exchange`).
"""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.equivalence import equivalence_classes, summed

Values = NDArray[np.int32]
Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Units:
    """Records taken together: equal ones are one unit, unless they are rare; rare records are units of their own."""

    rows: Counts  # positions of all records, unit by unit
    values: Values  # shape (V, u); values of each unit, attribute by attribute
    counts: Counts  # shape (u,); records in each unit


def units_of(values: Values, rarer_than: int) -> Units:
    """Return the units of records, shape (n, V) with n >= 1; those of fewer than `rarer_than` records are divided."""
    classes = equivalence_classes(values)
    few = classes.counts < rarer_than
    counts = np.repeat(np.where(few, 1, classes.counts), np.where(few, classes.counts, 1))
    first = classes.members[np.cumsum(counts) - counts]
    return Units(classes.members, np.ascontiguousarray(values[first].T), counts.astype(np.int64))


Masks = NDArray[np.int64]


def alike(values: Values, wildcard: bool) -> Counts:
    """Return how many records each record is like, itself included, shape (n,)."""
    # With `wildcard` a missing value is like any value, otherwise like missing ones only.
    if len(values) == 0:
        return np.empty(0, dtype=np.int64)
    if not wildcard:
        classes = equivalence_classes(values)
        return classes.counts[classes.of]
    units = units_of(values, 0)
    result = np.empty(len(values), dtype=np.int64)
    result[units.rows] = np.repeat(compatible(units.values, units.counts), units.counts)
    return result


@njit(cache=True)
def agreements(values: Values, unit: int, masks: Masks) -> None:
    """Set bit a of ``masks[s]`` where `unit` and unit s agree on attribute a, or either has no value of it."""
    for s in range(masks.size):
        masks[s] = 0
    for a in range(values.shape[0]):
        value, bit = values[a, unit], 1 << a
        for s in range(masks.size):
            if value < 0 or values[a, s] == value or values[a, s] < 0:
                masks[s] |= bit


def compatible(values: Values, counts: Counts) -> Counts:
    """Return how many records agree with each unit on all attributes on which both have values, shape (u,)."""
    # Only units with missing values are compared with all.
    classes = equivalence_classes(np.ascontiguousarray(values.T))
    found = summed(classes.of, counts, len(classes))[classes.of]
    complete = (values >= 0).all(axis=0)
    masks, full = np.empty(counts.size, dtype=np.int64), (1 << len(values)) - 1
    for unit in np.flatnonzero(~complete).tolist():
        agreements(values, unit, masks)
        agreeing = masks == full
        found[agreeing & complete] += counts[unit]
        found[unit] = counts[agreeing].sum()
    return found


Weights = NDArray[np.float64]

WIDEST = 12  # number of attributes up to which all subsets of them are weighed; beyond it they are chosen one by one


@njit(cache=True)
def relieve(values: Values, counts: Counts, found: Counts, weights: Weights, k: int, order: Counts) -> None:
    """Suppress values of the units in `order` until all are compatible with k records; `found` is kept up to date."""
    width, size = values.shape
    full = (1 << width) - 1
    masks = np.empty(size, dtype=np.int64)
    small = width <= WIDEST
    subsets = 1 << width if small else 1
    costs = np.zeros(subsets)
    for kept in range(subsets):
        for a in range(width):
            if small and not kept >> a & 1:
                costs[kept] += weights[a]
    # Records, and rare ones, that agree on each subset; or that would be gained by dropping each attribute.
    several, scarce = np.empty(max(subsets, width), dtype=np.int64), np.empty(max(subsets, width), dtype=np.int64)
    for unit in order:
        if found[unit] >= k:
            continue
        agreements(values, unit, masks)
        best = 0
        if small:
            several[:] = 0
            scarce[:] = 0
            for s in range(size):
                several[masks[s]] += counts[s]
                if found[s] < k:
                    scarce[masks[s]] += counts[s]
            empty = 0
            for a in range(width):
                bit = 1 << a
                empty |= bit * (values[a, unit] < 0)
                for kept in range(subsets):
                    if not kept & bit:
                        several[kept] += several[kept | bit]
                        scarce[kept] += scarce[kept | bit]
            least, most = np.inf, -1
            for kept in range(subsets - 1, -1, -1):
                if kept & empty != empty or several[kept] < k:
                    continue
                if costs[kept] < least or (costs[kept] == least and scarce[kept] > most):
                    best, least, most = kept, costs[kept], scarce[kept]
        else:
            # Attributes are dropped one by one, the most records gained for the cost first.
            best = full
            while True:
                total = 0
                several[:] = 0
                scarce[:] = 0
                for s in range(size):
                    lacking = best & ~masks[s]
                    if lacking == 0:
                        total += counts[s]
                        continue
                    single = lacking & (lacking - 1) == 0
                    for a in range(width):
                        if lacking >> a & 1:
                            scarce[a] += counts[s] * single
                            several[a] += counts[s]
                if total >= k:
                    break
                dropped, value, near = -1, -1.0, -1.0
                for a in range(width):
                    if best >> a & 1 and values[a, unit] >= 0:
                        here, there = min(scarce[a], k - total) / weights[a], several[a] / weights[a]
                        if here > value or (here == value and there > near):
                            dropped, value, near = a, here, there
                best &= ~(1 << dropped)
            # What an attribute dropped early was for, a later one may do alone; the dearest are tried first.
            wanted = full & ~best
            while wanted:
                a = -1
                for other in range(width):
                    if wanted >> other & 1 and (a < 0 or weights[other] > weights[a]):
                        a = other
                wanted &= ~(1 << a)
                total = 0
                for s in range(size):
                    if masks[s] & (best | 1 << a) == best | 1 << a:
                        total += counts[s]
                if total >= k and values[a, unit] >= 0:
                    best |= 1 << a
        total = 0
        for s in range(size):
            if masks[s] & best == best:
                total += counts[s]
                if masks[s] != full:
                    found[s] += counts[unit]
        found[unit] = total
        for a in range(width):
            if not best >> a & 1:
                values[a, unit] = -1


def dearest_first(weights: Weights) -> Counts:
    """Return the attributes, the dearest first."""
    return np.argsort(-weights, kind="stable")


@njit(cache=True)
def take_back(
    values: Values, original: Values, counts: Counts, found: Counts, dearest_first: Counts, k: int, order: Counts
) -> None:
    """Take back suppressions that no record needs any more, dearest attributes first."""
    width, size = values.shape
    full = (1 << width) - 1
    masks = np.empty(size, dtype=np.int64)
    for a in dearest_first:
        for unit in order:
            if values[a, unit] >= 0 or original[a, unit] < 0:
                continue
            agreements(values, unit, masks)
            total, needed = 0, False
            for s in range(size):
                if masks[s] == full:
                    if values[a, s] < 0 or values[a, s] == original[a, unit]:
                        total += counts[s]
                    elif found[s] - counts[unit] < k:
                        needed = True
                        break
            if needed or total < k:
                continue
            for s in range(size):
                if masks[s] == full and values[a, s] >= 0 and values[a, s] != original[a, unit]:
                    found[s] -= counts[unit]
            values[a, unit] = original[a, unit]
            found[unit] = total


@njit(cache=True)
def give_back(values: Values, original: Values, counts: Counts, found: Counts, units: Counts) -> None:
    """Give some units their values back, and count those with which they are compatible then."""
    width, size = values.shape
    full = (1 << width) - 1
    masks = np.empty(size, dtype=np.int64)
    for unit in units:
        for sign in (-1, 1):
            agreements(values, unit, masks)
            total = 0
            for s in range(size):
                if masks[s] == full:
                    total += counts[s]
                    found[s] += sign * counts[unit]
            for a in range(width):
                values[a, unit] = original[a, unit]
        found[unit] = total


ROUNDS_EACH, MOST_ROUNDS = 20, 2000  # rounds for each suppressed record, and at most
MOST_WORK = 1 << 30  # values looked at, about: a second of a core
AT_ONCE = 12  # records at most that get their values back in a round

# Share of the rounds in which a record loses one value more. It keeps half of its values, rounded up: k - 1 records
# without any value would serve all others, and tell nothing.
WIDER = 0.25

DRAWS = 64
SEED = 2000  # the rounds are the same for the same file, whatever the seed of a run

Draws = NDArray[np.float64]


def exchanged(values: Values, original: Values, counts: Counts, found: Counts, weights: Weights, k: int) -> None:
    """Suppress at most as much as before, at less cost where a round finds it; `values` and `found` are changed."""
    # values, original (V, u): units with suppressions and before them; counts, found (u,): records in each unit, and
    # those that are compatible with it; weights (V,): cost of suppressing a value.
    suppressed = int(((values < 0) & (original >= 0)).any(axis=0).sum())
    rounds = min(MOST_ROUNDS, ROUNDS_EACH * suppressed, MOST_WORK // (60 * values.size))
    if suppressed < 2 or not rounds:
        return
    state = _State(values, original, counts, found, weights, k)
    cost = state.cost()
    for drawn in np.random.default_rng(SEED).random((rounds, DRAWS)):
        before = values.copy(), found.copy()
        holes = np.flatnonzero(((values < 0) & (original >= 0)).any(axis=0))
        if holes.size < 2:
            return
        (_widen if drawn[-1] < WIDER else _recreate)(state, holes, drawn)
        cost_now = state.cost()
        if cost_now <= cost:
            cost = cost_now
        else:
            values[:], found[:] = before


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
        """Take back needless suppressions of some units."""
        take_back(self.values, self.original, self.counts, self.found, dearest_first(self.weights), self.k, order)


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


def suppressed_for_wildcards(values: Values, k: int, weights: Weights) -> Values:
    """Return the values with some suppressed, so that every record is compatible with k records, itself included."""
    # values (n, V); k: at most n; weights (V,): cost of suppressing one value of each attribute, positive.
    units = units_of(values, k)
    state, found = units.values.copy(), compatible(units.values, units.counts)
    order = np.argsort(found, kind="stable")
    order = order[found[order] < k]
    relieve(state, units.counts, found, weights, k, order)
    take_back(state, units.values, units.counts, found, dearest_first(weights), k, order[::-1].copy())
    exchanged(state, units.values, units.counts, found, weights, k)
    result = np.empty_like(values)
    result[units.rows] = np.repeat(state.T, units.counts, axis=0)
    return result
