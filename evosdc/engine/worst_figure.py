"""The worst of many figures of which few change at a time."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Numbers

WIDTH = 64
"""So many figures, or the worst ones of so many blocks, make a block."""


def worst_of(figures: Numbers, least: bool) -> Numbers:
    """Return the worst figures of blocks, of blocks of blocks, and so on; that of all comes last.

    Parameters
    ----------
    figures : ndarray of float64, shape (m,)
        NaN where there is none.
    least : bool
        Whether the least is the worst.
    """
    total, length = 0, len(figures)
    while length > 1 or total == 0:
        length = -(-length // WIDTH)
        total += length
    worst = np.full(total, np.nan)
    renew_worst(figures, worst, np.arange(0, len(figures), WIDTH), least)
    return worst


@njit(cache=True)
def renew_worst(figures: Numbers, worst: Numbers, changed: NDArray[np.int64], least: bool) -> None:
    """Find the worst figures anew in the blocks of some that have changed; O(log m) for each.

    Parameters
    ----------
    figures : ndarray of float64, shape (m,)
    worst : ndarray of float64
        See `worst_of`; altered.
    changed : ndarray of int64
    least : bool
    """
    places = changed // WIDTH
    begin, length = 0, len(figures)
    own, first = figures, 0
    while True:
        blocks = -(-length // WIDTH)
        last = np.int64(-1)
        for number in range(len(places)):
            block = places[number]
            if block != last:
                found = np.nan
                for place in range(block * WIDTH, min((block + 1) * WIDTH, length)):
                    figure = own[first + place]
                    if np.isnan(found) or (figure < found if least else figure > found):
                        found = figure
                worst[begin + block] = found
            last = block
            places[number] = block // WIDTH
        if blocks == 1:
            return
        own, first, length = worst, begin, blocks
        begin += blocks
