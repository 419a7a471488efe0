"""How far the shares of sensitive values in a class lie from those in the whole file, value by value."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Numbers
from evosdc_privacy.sensitive_values import Spread, gathered


class Skewness(NamedTuple):
    """Figures of some keys; q is the share of a value among the records that a key matches, p that in the whole file.

    Parameters
    ----------
    gains : ndarray of float64, shape (m,)
        Greatest ``(q - p) / p``, at least 0.
    beyond_log : ndarray of bool, shape (m,)
        Whether ``(q - p) / p > -ln p`` for some value.
    logarithms : ndarray of float64, shape (m,)
        Greatest ``|ln(q / p)|`` over the values that the key has.
    lacking : ndarray of bool, shape (m,)
        Whether a value of the file does not occur with the key.
    shares : ndarray of float64, shape (m,)
        Greatest q.
    """

    gains: Numbers
    beyond_log: NDArray[np.bool_]
    logarithms: Numbers
    lacking: NDArray[np.bool_]
    shares: Numbers


def skewness_of(spread: Spread, chosen: NDArray[np.bool_] | None = None) -> Skewness:
    """Return how far the shares of each key lie from the file's.

    Parameters
    ----------
    spread : Spread
    chosen : ndarray of bool, shape (s,), optional
        Of which values the greatest share is taken; all without.
    """
    counted = np.ones(spread.overall.size, dtype=np.bool_) if chosen is None else chosen
    return Skewness(*_skewness(spread, counted))


@njit(cache=True)
def _skewness(
    spread: Spread, counted: NDArray[np.bool_]
) -> tuple[
    NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]
]:  # fmt: skip
    m = spread.starts.size - 1
    gains = np.zeros(m, np.float64)
    beyond = np.zeros(m, np.bool_)
    logarithms = np.zeros(m, np.float64)
    lacking = np.zeros(m, np.bool_)
    shares = np.zeros(m, np.float64)
    records = spread.overall.sum()
    occurring = 0
    for s in range(spread.overall.size):
        if spread.overall[s] > 0:
            occurring += 1
    room = np.zeros(spread.overall.size, np.int64)
    values = np.empty(spread.overall.size, np.int64)
    stack = np.empty(spread.value.size, np.int32)
    depth = np.empty(spread.value.size, np.int32)
    found = np.empty(m, np.int32)
    for i in range(m):
        size = gathered(spread, i, room, values, stack, depth, found)
        total = 0
        for t in range(size):
            total += room[values[t]]
        for t in range(size):
            value = values[t]
            count = room[value]
            room[value] = 0
            share = count / total
            if counted[value] and share > shares[i]:
                shares[i] = share
            if spread.overall[value] == 0:
                continue
            # whole numbers first, so that equal shares are exactly equal
            ratio = (count * records) / (total * spread.overall[value])
            if ratio - 1.0 > gains[i]:
                gains[i] = ratio - 1.0
            if ratio - 1.0 > -np.log(spread.overall[value] / records) + 1e-12:
                beyond[i] = True
            distance = abs(np.log(ratio))
            if distance > logarithms[i]:
                logarithms[i] = distance
        lacking[i] = size < occurring
    return gains, beyond, logarithms, lacking, shares
