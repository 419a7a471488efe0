"""Crossover of two row-aligned files, flattened record by record."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.int32]
Crossover = Callable[[Cells, Cells, np.random.Generator], tuple[Cells, Cells]]


def one_point(a: Cells, b: Cells, rng: np.random.Generator) -> tuple[Cells, Cells]:
    """Exchange all cells from a random one to the end."""
    return _exchanged(a, b, slice(int(rng.integers(1, max(a.size, 2))), a.size))


def two_point(a: Cells, b: Cells, rng: np.random.Generator) -> tuple[Cells, Cells]:
    """Exchange the cells between two random loci, both included."""
    first, last = sorted(rng.integers(0, a.size, 2).tolist())
    return _exchanged(a, b, slice(first, last + 1))


def uniform(a: Cells, b: Cells, rng: np.random.Generator) -> tuple[Cells, Cells]:
    """Exchange each cell with probability one half."""
    swap = rng.random(a.shape) < 0.5
    return np.where(swap, b, a), np.where(swap, a, b)


def _exchanged(a: Cells, b: Cells, segment: slice) -> tuple[Cells, Cells]:
    c, d = a.copy(), b.copy()
    c.reshape(-1)[segment] = b.reshape(-1)[segment]
    d.reshape(-1)[segment] = a.reshape(-1)[segment]
    return c, d


CROSSOVERS: dict[str, Crossover] = {"one-point": one_point, "two-point": two_point, "uniform": uniform}
