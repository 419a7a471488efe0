"""The decimals of the shortest texts of many floats, found without making the texts."""

import numpy as np
from numpy.typing import NDArray

MOST_DECIMALS = 15
"""A float64 holds no more; texts with more digits after the point are artefacts of printing."""

_SAFE = 2.0**51
"""Below, a number times a power of ten is so near to what its text says that rounding finds it."""

_DIGITS = 17
"""So many tell any two float64 apart."""

_EXPONENT = 1e16
"""From here on `repr` writes an exponent."""

_FIRST = 64
_WHOLE_SINGLE = 1e6
"""Below, the shortest text of a float32 has all digits before the point and no exponent for them."""

_TRIED = 8
_TIE = 1e-6
_LOW_BITS, _MIDDLE = np.uint64((1 << 29) - 1), np.uint64(1 << 28)
"""Of a float64: those that a float32 lacks, and how they are in the middle between two float32."""


def most_decimals(values: NDArray[np.float64]) -> int:
    """Return the most digits after the point of what `repr` makes of floats, at most `MOST_DECIMALS`.

    Whole numbers have one, a nought, but for those so large that they are written with an exponent.
    A number has at most d decimals where that of d decimals that is nearest to it reads as the same float.

    Parameters
    ----------
    values : ndarray of float, shape (k,)
        Finite.
    """
    sizes = np.abs(values)
    left = sizes[sizes != np.rint(sizes)]
    if not len(left):
        return int((sizes < _EXPONENT).any())
    if (_tested(left, MOST_DECIMALS - 1) & ~_written(left, MOST_DECIMALS - 1)).any():
        return MOST_DECIMALS
    most, large = 0, []
    for decimals in range(1, MOST_DECIMALS):
        tested = _tested(left, decimals)
        if not tested.all():
            large.append(left[~tested])
            left = left[tested]
        found = _written(left, decimals)
        if found.any():
            most, left = decimals, left[~found]
        if not len(left):
            break
    return _with_texts(np.sort(np.concatenate(large)), most) if large else most


def _tested(sizes: NDArray[np.float64], decimals: int) -> NDArray[np.bool_]:
    tested: NDArray[np.bool_] = sizes * 10.0**decimals < _SAFE
    return tested


def _written(sizes: NDArray[np.float64], decimals: int) -> NDArray[np.bool_]:
    scale = 10.0**decimals  # exact, and so is the division of whole numbers by it, but for one rounding
    written: NDArray[np.bool_] = np.rint(sizes * scale) / scale == sizes
    return written


def _with_texts(sizes: NDArray[np.float64], most: int) -> int:
    """Return the most decimals of `most` and of numbers in ascending order, whose texts are made where they matter."""
    step = _FIRST
    while len(sizes) and most < MOST_DECIMALS:
        texts = map(repr, sizes[:step].tolist())
        most = max(most, *(decimals_of_text(text) for text in texts))
        sizes = sizes[step:]
        # Digits before the point leave so many for those after it.
        sizes = sizes[_DIGITS - 1 - np.floor(np.log10(sizes)) > most]
        step *= 2
    return min(most, MOST_DECIMALS)


def decimals_of_text(text: str) -> int:
    """Return the digits after the point of what `repr` makes of a float, as they are without an exponent."""
    digits, _, exponent = text.partition("e")
    return max(len(digits.partition(".")[2]) - int(exponent or 0), 0)


def shortest_singles(singles: NDArray[np.float32], most: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the numbers that the shortest texts of float32 write, and their decimals.

    Parameters
    ----------
    singles : ndarray of float32, shape (k,)
        Finite.
    most : int
        Where there are more decimals `most` + 1 is returned, and the number of the float32.
    """
    exact = singles.astype(np.float64)
    values, decimals = exact.copy(), np.full(len(exact), most + 1)
    doubtful = np.abs(exact) >= _WHOLE_SINGLE
    for tried in range(1, min(most, _TRIED) + 1):
        left = np.flatnonzero((decimals > most) & ~doubtful)
        if not len(left):
            break
        scale = 10.0**tried
        scaled = exact[left] * scale
        nearest = np.rint(scaled)
        near = nearest / scale
        # A tie may be broken, or a number be rounded twice, in another way than texts are.
        doubt = np.abs(np.abs(scaled - nearest) - 0.5) < _TIE
        doubt |= near.view(np.uint64) & _LOW_BITS == _MIDDLE
        fits = (near.astype(np.float32) == singles[left]) & ~doubt
        doubtful[left[doubt]] = True
        values[left[fits]], decimals[left[fits]] = near[fits], tried
    for place in np.flatnonzero(doubtful | (decimals > most) if most > _TRIED else doubtful):
        text = str(singles[place])
        decimals[place] = min(decimals_of_text(text), most + 1)
        values[place] = float(text) if decimals[place] <= most else exact[place]
    return values, decimals
