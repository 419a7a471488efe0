"""Many numbers that are asked for what is true of all of them, without a Python object for each."""

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

_PIECE = 1 << 16
"""So many numbers are looked at in one go, for what is made of them on the way stays in the cache."""


class HeldNumbers(Sequence[float]):
    """Numbers of an array, to be used as a list of them is.

    Parameters
    ----------
    values : ndarray of float, shape (k,)
    """

    def __init__(self, values: NDArray[np.float64]) -> None:
        self.values = values

    @property
    def whole(self) -> bool:
        """Whether all numbers are whole."""
        return all(bool((piece == np.rint(piece)).all()) for piece in pieces(self.values))

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, place: int) -> float: ...
    @overload
    def __getitem__(self, place: "slice[Any, Any, Any]") -> list[float]: ...
    def __getitem__(self, place: "int | slice[Any, Any, Any]") -> float | list[float]:
        found: float | list[float] = self.values[place].tolist()
        return found

    def __iter__(self) -> Iterator[float]:
        for piece in pieces(self.values):
            yield from piece.tolist()


def pieces(values: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
    """Return numbers by the ten thousand."""
    return (values[at : at + _PIECE] for at in range(0, len(values), _PIECE))


def extremes(values: Sequence[float]) -> tuple[float, float]:
    """Return the least and the greatest of some numbers, none of them NaN."""
    if isinstance(values, HeldNumbers):
        return float(values.values.min()), float(values.values.max())
    return min(values), max(values)
