"""Addressed random streams.

A stream is found by its address, never by how many were asked for before it: the same seed and address give the same
numbers on any worker, in any order, before or after a resume.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.random.bit_generator import ISpawnableSeedSequence
from numpy.typing import NDArray

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
    JUDGE = 9
    DRAW = 10
    SHUFFLE = 11
    SAMPLE = 12


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


class _Hashed(ISpawnableSeedSequence):
    """Seed words that are a BLAKE2b hash of an address."""

    def __init__(self, address: bytes) -> None:
        self._address = address
        self._spawned = 0

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> NDArray[Any]:
        """Return the first words, at most 64 bytes."""
        digest = blake2b(self._address, digest_size=n_words * np.dtype(dtype).itemsize).digest()
        return np.frombuffer(digest, dtype)

    def spawn(self, n_children: int) -> "list[_Hashed]":
        """Return sequences of addresses below this one."""
        first, self._spawned = self._spawned, self._spawned + n_children
        return [_Hashed(self._address + b"/spawned/%d" % child) for child in range(first, self._spawned)]


def quick_stream(seed: int, purpose: Purpose, *address: int) -> np.random.Generator:
    """Return the generator at an address, made in a fraction of the time that `stream` takes; other numbers than there.

    For streams of which a search needs one at every step. Address elements are whole numbers of any size.
    """
    words = "/".join(map(str, (seed, int(purpose), *address)))
    # numpy takes every seed sequence; its annotations know only its own.
    return np.random.Generator(np.random.PCG64(_Hashed(words.encode())))  # type: ignore[arg-type]


def replicate_seed(seed: int, replicate: int, setting: int = 0) -> int:
    """Return the seed of a replicate: the experiment's own for the very first, then one drawn from its address.

    Parameters
    ----------
    setting : int
        Position among the settings of a sweep. Each setting has seeds of its own, so that its runs are independent of
        those of the others, as tests between settings take them to be.
    """
    if replicate == 0 and setting == 0:
        return seed
    address = (replicate, setting) if setting else (replicate,)
    return int(stream(seed, Purpose.REPLICATE, *address).integers(0, _WORD))


def draw_seed(seed: int, draw: int) -> int:
    """Return the seed of one of several files that a masking is judged on: the given one, then ones drawn from it."""
    return seed if draw == 0 else int(stream(seed, Purpose.DRAW, draw).integers(0, _WORD))


@dataclass(frozen=True, slots=True)
class Streams:
    """The streams of one island of one run."""

    seed: int
    island: int = 0

    def random_genome(self, slot: int) -> np.random.Generator:
        """Return the stream that makes the first genome of a slot."""
        return stream(self.seed, Purpose.INIT, self.island, slot)

    def vary(self, generation: int, mating: int) -> np.random.Generator:
        """Return the stream of one application of the variation operators."""
        return quick_stream(self.seed, Purpose.VARY, self.island, generation, mating)

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
