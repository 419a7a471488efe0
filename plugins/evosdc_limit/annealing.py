"""From the program's solution to channels of a file: numbers of records, changed little by little by annealing.

In the program different sets of originals may stand apart behind one published category. In a file they are one: its
published category tells less, so that the loss is greater and the risk less than the program's. What the program found
is therefore a start, from which numbers of records are moved at random while the temperature falls (Kirkpatrick,
Gelatt and Vecchi 1983).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import kernel
from evosdc_limit.attribute import Floats, Integers
from evosdc_limit.objective import Objective

_MOVES = 200_000
"""Moves that are tried for each attribute, whatever its domain."""

_HOT, _COLD = 0.2, 0.0005
"""First and last temperature, in points of the fitness."""


class Costs(NamedTuple):
    """What numbers of records cost; all arrays are padded to the greatest numbers of categories A and B.

    Parameters
    ----------
    distances : ndarray of float64, shape (V, B, A)
        IL of a record.
    entropies : ndarray of float64, shape (V,)
        IL of a bit of uncertainty about a record.
    guesses : ndarray of float64, shape (V,)
        DR of a record that is guessed right.
    tables : ndarray of float64, shape (V, V)
        IL of a record that leaves a table's cell, for each attribute alone and for each pair, which is named once.
    bits : ndarray of float64, shape (n + 1,)
        ``x log2 x``.
    constant : float
        DR that is always there.
    t : float
        Weight of IL; below 0 for max(IL, DR).
    """

    distances: Floats
    entropies: Floats
    guesses: Floats
    tables: Floats
    bits: Floats
    constant: float
    t: float


def costs_of(objective: Objective, records: int, t: float | None) -> Costs:
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
        objective.constant,
        -1.0 if t is None else t,
    )


def annealed(
    objective: Objective, counts: Sequence[Integers], t: float | None, rng: np.random.Generator, moves: int = _MOVES
) -> list[Integers]:
    """Return better numbers of records by published and original category, with the same of each original.

    Parameters
    ----------
    objective : Objective
    counts : sequence of ndarray of int64, shape (B, A)
        By attribute.
    t : float, optional
        Weight of IL in what is minimised, ``t IL + (1 - t) DR``; None for max(IL, DR).
    rng : numpy.random.Generator
    moves : int
        How many are tried for each attribute.
    """
    costs = costs_of(objective, int(counts[0].sum()), t)
    state = np.zeros(costs.distances.shape, dtype=np.int64)
    for v, one in enumerate(counts):
        state[v, : one.shape[0], : one.shape[1]] = one
    shapes = np.array([one.shape for one in counts], dtype=np.int64)
    originals = np.zeros(state.shape[:2], dtype=np.int64)
    for v, terms in enumerate(objective.attributes):
        originals[v, np.searchsorted(terms.published, terms.originals)] = counts[v].sum(axis=0)
    best = _anneal(state, shapes, originals, costs, moves * len(counts), int(rng.integers(2**31)))
    return [best[v, : one.shape[0], : one.shape[1]].copy() for v, one in enumerate(counts)]


@kernel
def _fitness(il: float, dr: float, t: float) -> float:
    # A little of the mean beside the maximum: where one of both is greater, the other should not be wasted.
    return t * il + (1.0 - t) * dr if t >= 0.0 else max(il, dr) + 0.02 * (il + dr)


@kernel
def _column(counts: NDArray[np.int64], costs: Costs, v: int) -> tuple[float, float, int]:
    """Return the entropy, the right guesses and the number of the records of one published category."""
    together = 0
    apart = 0.0
    most = 0
    for a in range(len(counts)):
        count = counts[a]
        together += count
        apart += costs.bits[count]
        most = max(most, count)
    return (costs.bits[together] - apart) * costs.entropies[v], most * costs.guesses[v], together


@kernel
def _table_losses(costs: Costs, moved: NDArray[np.float64]) -> float:
    total = 0.0
    for v in range(len(moved)):
        for w in range(len(moved)):
            total += costs.tables[v, w] * max(moved[v], moved[w])
    return total


@kernel
def _record(counts: NDArray[np.int64], number: int) -> int:
    """Return the category of a record by its number."""
    for place in range(len(counts)):
        number -= counts[place]
        if number < 0:
            return place
    return len(counts) - 1


@kernel
def _anneal(
    state: NDArray[np.int64],
    shapes: NDArray[np.int64],
    originals: NDArray[np.int64],
    costs: Costs,
    moves: int,
    seed: int,
) -> NDArray[np.int64]:
    np.random.seed(seed)
    attributes = len(shapes)
    entropy, guess = np.zeros(state.shape[:2]), np.zeros(state.shape[:2])
    number = np.zeros(state.shape[:2], dtype=np.int64)
    moved = np.zeros(attributes)
    risk, loss = costs.constant, 0.0
    for v in range(attributes):
        for b in range(shapes[v, 0]):
            entropy[v, b], guess[v, b], number[v, b] = _column(state[v, b], costs, v)
            loss += entropy[v, b]
            risk += guess[v, b]
            moved[v] += 0.5 * abs(number[v, b] - originals[v, b])
            for a in range(shapes[v, 1]):
                loss += costs.distances[v, b, a] * state[v, b, a]
    tables = _table_losses(costs, moved)
    now = _fitness(loss + tables, risk, costs.t)
    best, least = state.copy(), now
    for move in range(moves):
        v = np.random.randint(attributes)
        width = shapes[v, 0]
        if width < 2 or shapes[v, 1] < 2:
            continue
        b = np.random.randint(width)
        c = np.random.randint(width)
        if b == c or number[v, b] == 0:
            continue
        a = _record(state[v, b], np.random.randint(number[v, b]))
        other = -1
        if number[v, c] > 0 and np.random.random() < 0.6:
            other = _record(state[v, c], np.random.randint(number[v, c]))
            if other == a:
                continue
        count = state[v, b, a] if other < 0 else min(state[v, b, a], state[v, c, other])
        if np.random.random() < 0.5:
            count = int(count ** np.random.random())
        change = (costs.distances[v, c, a] - costs.distances[v, b, a]) * count
        state[v, b, a] -= count
        state[v, c, a] += count
        if other >= 0:
            change += (costs.distances[v, b, other] - costs.distances[v, c, other]) * count
            state[v, b, other] += count
            state[v, c, other] -= count
        first = _column(state[v, b], costs, v)
        second = _column(state[v, c], costs, v)
        new_loss = loss + change + first[0] + second[0] - entropy[v, b] - entropy[v, c]
        new_risk = risk + first[1] + second[1] - guess[v, b] - guess[v, c]
        before = moved[v]
        new_tables = tables
        if other < 0:
            for place, after in ((b, first[2]), (c, second[2])):
                moved[v] += 0.5 * (abs(after - originals[v, place]) - abs(number[v, place] - originals[v, place]))
            new_tables = _table_losses(costs, moved)
        then = _fitness(new_loss + new_tables, new_risk, costs.t)
        temperature = _HOT * (_COLD / _HOT) ** (move / moves)
        if then <= now or np.random.random() < np.exp((now - then) / temperature):
            loss, risk, tables, now = new_loss, new_risk, new_tables, then
            entropy[v, b], guess[v, b], number[v, b] = first
            entropy[v, c], guess[v, c], number[v, c] = second
            if now < least - 1e-9:
                least = now
                best[:] = state
        else:
            moved[v] = before
            state[v, b, a] += count
            state[v, c, a] -= count
            if other >= 0:
                state[v, b, other] -= count
                state[v, c, other] += count
    return best
