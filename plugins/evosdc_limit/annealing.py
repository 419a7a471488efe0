"""Numbers of records by original and published category, changed little by little by annealing.

Numbers of records are moved at random while the temperature falls (Kirkpatrick, Gelatt and Vecchi 1983).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc_limit.objective import Floats, Integers, Objective

MOVES = 200_000  # moves that are tried for each attribute, whatever its domain
HOT, COLD = 0.2, 0.0005  # first and last temperature, in points of the fitness
_STEP = 256  # moves at one temperature
_AT_ONCE = 32 * _STEP  # moves that nothing can interrupt: some milliseconds

# Uniform numbers of a move. They choose an attribute, two published categories, a record of the first one, whether and
# which record of the second one is exchanged for it, how many records move, and whether worse numbers are kept
_DRAWS = 8

# First and last cost of a point by which IL and DR differ, where the greater of both is minimised. From one end to the
# other their weighted sum becomes their maximum. At first a point of one can be had for a point of the other, which the
# maximum alone forbids wherever both are equal.
LOOSE, TIGHT = 0.05, 0.5


class Costs(NamedTuple):
    """What numbers of records cost; all arrays are padded to the greatest numbers of categories A and B."""

    distances: Floats  # shape (V, B, A); IL of a record
    entropies: Floats  # shape (V,); IL of a bit of uncertainty about a record
    guesses: Floats  # shape (V,); DR of a record that is guessed right
    # Shape (V, V); IL of a record that leaves a table's cell, for each attribute alone and for each pair, which is
    # named once
    tables: Floats
    bits: Floats  # shape (n + 1,); ``x log2 x``
    loss: float  # IL and DR that are always there
    risk: float
    t: float  # weight of IL
    greatest: bool  # whether max(IL, DR) is minimised; t is then the weight of IL while the maximum is not yet strict


def costs_of(
    objective: Objective, records: int, t: float, greatest: bool, beside: tuple[float, float] = (0.0, 0.0)
) -> Costs:
    """Return what each number of records costs; tables of three and more attributes count as their pairs do."""
    attributes = objective.attributes
    number = len(attributes)
    wide = (max(len(a.published) for a in attributes), max(len(a.originals) for a in attributes))
    distances = np.zeros((number, *wide))
    entropies, guesses = np.zeros(number), np.zeros(number)
    for v, terms in enumerate(attributes):
        distances[v, : len(terms.published), : len(terms.originals)] = terms.distances
        entropies[v] = objective.entropy_cost(v) / records
        guesses[v] = float(objective.set_risks(v)[0]) / records
    tables = np.zeros((number, number))
    for table in objective.tables:
        pairs = [(v, w) for i, v in enumerate(table) for w in table[i + 1 :]] or [(table[0], table[0])]
        for v, w in pairs:
            tables[v, w] += objective.table_cost / records / len(pairs)
    whole = np.arange(records + 1, dtype=np.float64)
    return Costs(
        distances * (objective.distance_cost / records),
        entropies,
        guesses,
        tables,
        whole * np.log2(np.maximum(whole, 1.0)),
        beside[0],
        objective.constant + beside[1],
        t,
        greatest,
    )


def costs_of_one(costs: Costs, v: int, shape: tuple[int, int], t: float) -> Costs:
    """Return the costs of one attribute by itself, at weight t of IL; its tables count as if no other one changed."""
    pairs = costs.tables[v].sum() + costs.tables[:v, v].sum()
    return Costs(
        np.ascontiguousarray(costs.distances[v : v + 1, : shape[0], : shape[1]]),
        costs.entropies[v : v + 1].copy(),
        costs.guesses[v : v + 1].copy(),
        np.array([[pairs]]),
        costs.bits,
        0.0,
        0.0,
        t,
        False,
    )


class _Walk(NamedTuple):
    """Where annealing stands, and the best numbers of records met; arrays are padded as those of `Costs`."""

    entropy: Floats  # shape (V, B); IL and DR of each published category
    guess: Floats
    number: Integers  # shape (V, B); its records
    moved: Floats  # shape (V,); records by which published categories exceed those of the original
    best: Integers  # shape (V, B, A)
    sums: Floats  # shape (5,); IL without tables and DR of the present numbers; fitness, IL and DR of the best


class Channels(NamedTuple):
    """Numbers of records by attribute, shape (B, A) by published and original category, and what they cost."""

    counts: tuple[Integers, ...]
    il: float
    dr: float

    def cost(self, costs: Costs) -> float:
        """Return what is minimised."""
        return fitness(self.il, self.dr, costs)


def fitness(il: float, dr: float, costs: Costs) -> float:
    """Return what is minimised."""
    if costs.greatest:
        # A little of the mean beside the maximum: where one of both is greater, the other should not be wasted.
        return max(il, dr) + 0.02 * (il + dr)
    return costs.t * il + (1.0 - costs.t) * dr


def annealed(
    costs: Costs,
    counts: Sequence[Integers],
    unchanged: Sequence[Integers],
    rng: np.random.Generator,
    moves: int = MOVES,
    hot: float = HOT,
) -> Channels:
    """Return better numbers of records, with the same of each original category."""
    state = np.zeros((len(counts), *costs.distances.shape[1:]), dtype=np.int64)
    originals = np.zeros(state.shape[:2], dtype=np.int64)
    for v, (one, own) in enumerate(zip(counts, unchanged, strict=True)):
        state[v, : one.shape[0], : one.shape[1]] = one
        originals[v, : len(own)] = own
    shapes = np.array([one.shape for one in counts], dtype=np.int64)
    walk = _walk_from(state, shapes, originals, costs)
    moves *= len(counts)
    for done in range(0, moves, _AT_ONCE):
        # The kernel draws nothing itself: it would begin at a seed, and could be replayed from it.
        uniforms = rng.random((min(_AT_ONCE, moves - done), _DRAWS))
        tables = _table_losses(costs, walk.moved)
        _anneal(state, shapes, originals, costs, walk, uniforms, tables, done / moves, 1.0 / moves, hot)
    _, _, _, il, dr = walk.sums.tolist()
    return Channels(tuple(walk.best[v, : one.shape[0], : one.shape[1]].copy() for v, one in enumerate(counts)), il, dr)


def _table_losses(costs: Costs, moved: Floats) -> float:
    """Return IL of all tables, added one after the other."""
    losses = costs.tables * np.maximum(moved[:, None], moved)
    return float(losses.cumsum()[-1])


def _walk_from(state: Integers, shapes: Integers, originals: Integers, costs: Costs) -> _Walk:
    """Return where annealing begins."""
    wide = state.shape[:2]
    entropy, guess, number, moved = np.zeros(wide), np.zeros(wide), np.zeros(wide, np.int64), np.zeros(wide[0])
    risk, loss = costs.risk, costs.loss
    for v, (published, original) in enumerate(shapes.tolist()):
        for b in range(published):
            counts = state[v, b]
            number[v, b] = counts.sum()
            entropy[v, b] = (costs.bits[number[v, b]] - costs.bits[counts].cumsum()[-1]) * costs.entropies[v]
            guess[v, b] = counts.max() * costs.guesses[v]
            loss += float(entropy[v, b])
            risk += float(guess[v, b])
            moved[v] += 0.5 * abs(number[v, b] - originals[v, b])
            for cost in (costs.distances[v, b, :original] * counts[:original]).tolist():
                loss += cost
    whole = loss + _table_losses(costs, moved)
    sums = np.array([loss, risk, fitness(whole, risk, costs), whole, risk])
    return _Walk(entropy, guess, number, moved, state.copy(), sums)


@njit(cache=True)
def _anneal(
    state: NDArray[np.int64],
    shapes: NDArray[np.int64],
    originals: NDArray[np.int64],
    costs: Costs,
    walk: _Walk,
    uniforms: Floats,
    tables: float,
    begun: float,
    share: float,
    hot: float,
) -> None:
    """Try a move with each row of uniform numbers; a share of all moves each, of which one was done before."""
    attributes, _, widest = state.shape
    entropy, guess, number, moved, best, sums = walk
    loss, risk, least, best_loss, best_risk = sums[0], sums[1], sums[2], sums[3], sums[4]
    apart, now, temperature = 0.0, 0.0, hot
    new_entropy, new_guess, new_number = np.zeros(2), np.zeros(2), np.zeros(2, dtype=np.int64)
    for move in range(len(uniforms)):
        if move % _STEP == 0:
            done = begun + move * share
            temperature = hot * (COLD / hot) ** done
            if costs.greatest:
                apart = LOOSE * (TIGHT / LOOSE) ** done
            now = costs.t * (loss + tables) + (1.0 - costs.t) * risk + apart * abs(loss + tables - risk)
        drawn = uniforms[move]
        v = int(drawn[0] * attributes)
        width = shapes[v, 0]
        if width < 2 or shapes[v, 1] < 2:
            continue
        b, c = int(drawn[1] * width), int(drawn[2] * width)
        if b == c or number[v, b] == 0:
            continue
        # The original category of a record that is moved, and of one that may be exchanged for it.
        a, other = -1, -1
        for side in range(2 if number[v, c] > 0 and drawn[4] < 0.6 else 1):
            counts = state[v, b] if side == 0 else state[v, c]
            left = int(drawn[3 + 2 * side] * number[v, b if side == 0 else c])
            place = 0
            while place < widest - 1 and left >= counts[place]:
                left -= counts[place]
                place += 1
            if side == 0:
                a = place
            else:
                other = place
        if other == a:
            continue
        count = state[v, b, a] if other < 0 else min(state[v, b, a], state[v, c, other])
        if drawn[6] < 0.5:
            count = int(count ** (2.0 * drawn[6]))
        change = (costs.distances[v, c, a] - costs.distances[v, b, a]) * count
        state[v, b, a] -= count
        state[v, c, a] += count
        if other >= 0:
            change += (costs.distances[v, b, other] - costs.distances[v, c, other]) * count
            state[v, b, other] += count
            state[v, c, other] -= count
        for side in range(2):
            counts = state[v, b] if side == 0 else state[v, c]
            together, most, uncertain = 0, 0, 0.0
            for place in range(widest):
                together += counts[place]
                uncertain += costs.bits[counts[place]]
                most = max(most, counts[place])
            new_entropy[side] = (costs.bits[together] - uncertain) * costs.entropies[v]
            new_guess[side], new_number[side] = most * costs.guesses[v], together
        new_loss = loss + change + new_entropy[0] + new_entropy[1] - entropy[v, b] - entropy[v, c]
        new_risk = risk + new_guess[0] + new_guess[1] - guess[v, b] - guess[v, c]
        before = moved[v]
        new_tables = tables
        if other < 0:
            for side in range(2):
                place = b if side == 0 else c
                own = originals[v, place]
                moved[v] += 0.5 * (abs(new_number[side] - own) - abs(number[v, place] - own))
            new_tables = 0.0
            for one in range(attributes):
                for two in range(attributes):
                    new_tables += costs.tables[one, two] * max(moved[one], moved[two])
        whole = new_loss + new_tables
        then = costs.t * whole + (1.0 - costs.t) * new_risk + apart * abs(whole - new_risk)
        if then <= now or drawn[7] < np.exp((now - then) / temperature):
            loss, risk, tables, now = new_loss, new_risk, new_tables, then
            entropy[v, b], guess[v, b], number[v, b] = new_entropy[0], new_guess[0], new_number[0]
            entropy[v, c], guess[v, c], number[v, c] = new_entropy[1], new_guess[1], new_number[1]
            # As `fitness` has it.
            reached = costs.t * whole + (1.0 - costs.t) * risk
            if costs.greatest:
                reached = max(whole, risk) + 0.02 * (whole + risk)
            if reached < least - 1e-9:
                least, best_loss, best_risk = reached, whole, risk
                for one in range(attributes):
                    for place in range(shapes[one, 0]):
                        for two in range(widest):
                            best[one, place, two] = state[one, place, two]
        else:
            moved[v] = before
            state[v, b, a] += count
            state[v, c, a] -= count
            if other >= 0:
                state[v, b, other] -= count
                state[v, c, other] += count
    sums[0], sums[1], sums[2], sums[3], sums[4] = loss, risk, least, best_loss, best_risk
