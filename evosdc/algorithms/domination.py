"""Pareto dominance under constraints, for whole sets at once."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Individual

Positions = NDArray[np.int64]


def objectives_of(individuals: Sequence[Individual]) -> NDArray[np.float64]:
    """Return the objectives, shape (n, m)."""
    return np.array([individual.objectives for individual in individuals], dtype=np.float64)


def domination(individuals: Sequence[Individual]) -> NDArray[np.bool_]:
    """Return who dominates whom, shape (n, n): entry (i, j) says that i dominates j.

    Constrained dominance (Deb et al. 2002): what breaks the constraints less dominates; among equals in that, the
    objectives count.
    """
    values = objectives_of(individuals)
    nowhere_worse = np.ones((len(values), len(values)), dtype=np.bool_)
    somewhere_better = np.zeros_like(nowhere_worse)
    for column in values.T:
        nowhere_worse &= column[:, None] <= column[None, :]
        somewhere_better |= column[:, None] < column[None, :]
    infeasibilities = np.array([individual.infeasibility for individual in individuals])
    if not infeasibilities.any():
        return nowhere_worse & somewhere_better
    equal = infeasibilities[:, None] == infeasibilities[None, :]
    less = infeasibilities[:, None] < infeasibilities[None, :]
    dominates: NDArray[np.bool_] = less | (equal & nowhere_worse & somewhere_better)
    return dominates


def front_numbers(individuals: Sequence[Individual]) -> Positions:
    """Return the number of each individual's front, shape (n,): 0 for those that none dominates, and so on inwards."""
    dominates = domination(individuals)
    beaten_by = dominates.sum(axis=0)
    numbers = np.full(len(individuals), -1, dtype=np.int64)
    number = 0
    while (numbers < 0).any():
        front = (beaten_by == 0) & (numbers < 0)
        numbers[front] = number
        beaten_by = beaten_by - dominates[front].sum(axis=0)
        number += 1
    return numbers


def crowding(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the crowding distances of one front, shape (n,): the greater, the lonelier; infinite at the ends.

    Deb et al. (2002). Each objective counts by its range in the front; of equal points in the order of the file the
    first is the end.
    """
    count = len(values)
    distances = np.zeros(count)
    for column in values.T:
        order = np.argsort(column, kind="stable")
        spread = column[order[-1]] - column[order[0]]
        distances[order[[0, -1]]] = np.inf
        if spread > 0.0 and count > 2:
            distances[order[1:-1]] += (column[order[2:]] - column[order[:-2]]) / spread
    return distances


def crowded_order(individuals: Sequence[Individual]) -> Positions:
    """Return positions from best to worst in the order of NSGA-II: by front, then by decreasing crowding distance."""
    numbers, values = front_numbers(individuals), objectives_of(individuals)
    lonely = np.zeros(len(individuals))
    for number in range(int(numbers.max()) + 1):
        front = np.flatnonzero(numbers == number)
        lonely[front] = crowding(values[front])
    return np.lexsort((-lonely, numbers)).astype(np.int64)
