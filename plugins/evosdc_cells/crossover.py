"""Crossover of two row-aligned files, flattened record by record."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Cells = NDArray[Any]


class Settings(Protocol):
    """What the operators take of the genotype's parameters: cuts, and the chance of an exchange."""

    @property
    def points(self) -> int:
        """Cuts of the m-point crossover."""

    @property
    def p(self) -> float:
        """Probability that the uniform crossover exchanges a cell."""


Crossover = Callable[[Cells, Cells, Settings, np.random.Generator], tuple[Cells, Cells]]


def one_point(a: Cells, b: Cells, given: Settings, rng: np.random.Generator) -> tuple[Cells, Cells]:
    """Exchange all cells from a random one to the end."""
    return _exchanged(a, b, slice(int(rng.integers(1, max(a.size, 2))), a.size))


def two_point(a: Cells, b: Cells, given: Settings, rng: np.random.Generator) -> tuple[Cells, Cells]:
    """Exchange the cells between two random loci, both included."""
    # Two numbers of 53 bits cost a fraction of an array of two drawn integers.
    one, other = int(rng.random() * a.size), int(rng.random() * a.size)
    return _exchanged(a, b, slice(min(one, other), max(one, other) + 1))


def m_point(a: Cells, b: Cells, given: Settings, rng: np.random.Generator) -> tuple[Cells, Cells]:
    """Exchange every second of the segments between `given.points` distinct cuts."""
    cuts = max(a.size - 1, 1)
    loci = np.sort(rng.choice(cuts, min(given.points, cuts), replace=False)) + 1
    c, d = a.copy(), b.copy()
    ends = [*loci.tolist(), a.size]
    for begin, end in zip(ends[:-1:2], ends[1::2], strict=False):
        c.reshape(-1)[begin:end] = b.reshape(-1)[begin:end]
        d.reshape(-1)[begin:end] = a.reshape(-1)[begin:end]
    return c, d


def uniform(a: Cells, b: Cells, given: Settings, rng: np.random.Generator) -> tuple[Cells, Cells]:
    """Exchange each cell with probability `given.p` (Syswerda 1989; Spears and De Jong 1991)."""
    swap = rng.random(a.shape) < given.p
    return np.where(swap, b, a), np.where(swap, a, b)


def record_block(a: Cells, b: Cells, given: Settings, rng: np.random.Generator) -> tuple[Cells, Cells]:
    """Exchange a random run of whole records."""
    first, last = sorted(rng.integers(0, len(a), 2).tolist())
    return _exchanged(a, b, slice(first * a.shape[1], (last + 1) * a.shape[1]))


def attribute_block(a: Cells, b: Cells, given: Settings, rng: np.random.Generator) -> tuple[Cells, Cells]:
    """Exchange a random run of attributes of all records."""
    first, last = sorted(rng.integers(0, a.shape[1], 2).tolist())
    c, d = a.copy(), b.copy()
    c[:, first : last + 1], d[:, first : last + 1] = b[:, first : last + 1], a[:, first : last + 1]
    return c, d


def _exchanged(a: Cells, b: Cells, segment: slice) -> tuple[Cells, Cells]:
    c, d = a.copy(), b.copy()
    c.reshape(-1)[segment] = b.reshape(-1)[segment]
    d.reshape(-1)[segment] = a.reshape(-1)[segment]
    return c, d


CROSSOVERS: dict[str, Crossover] = {
    "one-point": one_point,
    "two-point": two_point,
    "m-point": m_point,
    "uniform": uniform,
    "record-block": record_block,
    "attribute-block": attribute_block,
}
