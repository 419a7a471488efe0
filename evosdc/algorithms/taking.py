"""Which of many small changes are taken one after another, where the objective is the greatest of some sums."""

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True)
def taken_in_turn(
    start: NDArray[np.float64],
    deltas: NDArray[np.float64],
    orders: NDArray[np.int64],
    weights: NDArray[np.float64],
    bounded: int,
    infeasibility: float,
    objective: float,
) -> NDArray[np.bool_]:
    """Return which changes are taken, each where what is predicted becomes better by it.

    Parameters
    ----------
    start : ndarray of float64, shape (m,)
        Scores of the file.
    deltas : ndarray of float64, shape (k, m)
        What each change adds to them.
    orders : ndarray of int64, shape (s, k)
        In which the changes are gone through, each time from the start.
    weights : ndarray of float64, shape (r, m)
        Of the sums of scores (`evosdc.model.Fitness.sums`).
    bounded : int
        Which score is the infeasibility, that comes before the objective and is never below 0; -1 where none is.
    infeasibility, objective : float
        Of the file.

    Returns
    -------
    ndarray of bool, shape (s, k)
        By place in the order.
    """
    scores, taken = len(start), np.zeros(orders.shape, np.bool_)
    here, there = np.empty(scores), np.empty(scores)
    for turn in range(len(orders)):
        here[:] = start
        least, best = infeasibility, objective
        for place in range(orders.shape[1]):
            change = orders[turn, place]
            for j in range(scores):
                there[j] = here[j] + deltas[change, j]
            beyond = max(there[bounded], 0.0) if bounded >= 0 else 0.0
            if not beyond <= least:
                continue
            value = -np.inf
            for row in range(len(weights)):
                summed = 0.0
                for j in range(scores):
                    if weights[row, j] != 0.0:
                        summed += weights[row, j] * there[j]
                value = max(value, summed)
            if beyond < least or value < best:
                least, best = beyond, value
                here[:] = there
                taken[turn, place] = True
    return taken
