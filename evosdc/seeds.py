"""Addressed random streams.

A stream is found by its address, never by how many were asked for before it: the same seed and address give the same
numbers on any worker, in any order, before or after a resume.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

_WORD = 1 << 32


class Purpose(IntEnum):
    """First element of every address; never renumbered, since that would change all results."""

    PORTFOLIO = 0
    INIT = 1
    VARY = 2
    SELECT = 3
    EVALUATE = 4
    MIGRATE = 5
    MASK = 6
    GENERATE = 7
    REPLICATE = 8


def stream(seed: int, purpose: Purpose, *address: int) -> np.random.Generator:
    """Return the generator at an address.

    Parameters
    ----------
    seed : int
        The experiment's seed, not negative.
    purpose : Purpose
        What the numbers are for.
    *address : int
        Further elements, each in ``0 <= element < 2**32``.

    Raises
    ------
    ValueError
        An element outside that range: two addresses could then share a stream.
    """
    for element in address:
        if not 0 <= element < _WORD:
            raise ValueError(f"address element {element} is outside 0..2**32-1")
    sequence = np.random.SeedSequence(seed, spawn_key=(int(purpose), *map(int, address)))
    return np.random.Generator(np.random.PCG64(sequence))


def replicate_seed(seed: int, replicate: int) -> int:
    """Return the seed of a replicate: the experiment's own for the first, then one drawn from its address."""
    if replicate == 0:
        return seed
    return int(stream(seed, Purpose.REPLICATE, replicate).integers(0, _WORD))


@dataclass(frozen=True, slots=True)
class Streams:
    """The streams of one island of one run."""

    seed: int
    island: int = 0

    def initial(self, slot: int) -> np.random.Generator:
        """Return the stream that makes the first genome of a slot."""
        return stream(self.seed, Purpose.INIT, self.island, slot)

    def vary(self, generation: int, pair: int) -> np.random.Generator:
        """Return the stream of one application of the variation operators."""
        return stream(self.seed, Purpose.VARY, self.island, generation, pair)

    def select(self, generation: int) -> np.random.Generator:
        """Return the stream that selects the parents of a generation."""
        return stream(self.seed, Purpose.SELECT, self.island, generation)

    def evaluate(self, draw: int, key: bytes | None = None) -> np.random.Generator:
        """Return the stream that decodes a genome for one draw.

        Without `key` all genomes share the draw's numbers (common random numbers); with it each genome has its own.
        """
        words = () if key is None else tuple(int.from_bytes(key[i : i + 4], "little") for i in range(0, 16, 4))
        return stream(self.seed, Purpose.EVALUATE, draw, *words)


@contextmanager
def lent(rng: np.random.Generator) -> Iterator[None]:
    """Lend a generator to code that draws from the global `random` and `numpy.random` (DEAP), then restore both."""
    python_state = random.getstate()
    numpy_state = np.random.get_state()
    seed = int(rng.integers(0, _WORD))
    random.seed(seed)
    np.random.seed(seed)
    try:
        yield
    finally:
        random.setstate(python_state)
        np.random.set_state(numpy_state)
