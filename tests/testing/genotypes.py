"""Two small genotypes: one that decodes at random, one that is no table at all."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import PluginError
from evosdc.model import Genotype, Local, Microdata, Parameters, Seedable, Stochastic
from evosdc.model.genotype import Dump
from evosdc.table.table import MISSING, Rows, Table


def locked(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def hashed(*arrays: NDArray[Any]) -> bytes:
    return blake2b(b"".join(array.tobytes() for array in arrays), digest_size=16).digest()


class Swaps(Stochastic[NDArray[np.float64]]):
    """A probability for each attribute; decoding gives so many records the value of a random other record."""

    class Params(Parameters):
        draws: int = Field(3, ge=1)

    @property
    def draws(self) -> int:
        return int(self.params.draws)

    @property
    def _size(self) -> int:
        return len(self.microdata.original.schema)

    def random(self, rng: np.random.Generator) -> NDArray[np.float64]:
        return locked(rng.random(self._size))

    def crossover(self, a, b, rng):
        swap = rng.random(self._size) < 0.5
        return locked(np.where(swap, b, a)), locked(np.where(swap, a, b))

    def mutate(self, g, rng):
        changed = g.copy()
        changed[rng.integers(self._size)] = rng.random()
        return locked(changed)

    def decode(self, g: NDArray[np.float64], rng: np.random.Generator) -> Table:
        original = self.microdata.original
        n = len(original)
        matrices = {True: original.codes.copy(), False: original.numbers.copy()}
        positions = {True: 0, False: 0}
        for attribute, probability in zip(original.schema.attributes, g, strict=True):
            # Drawn for every record, swapped or not, so that two genomes meet the same random numbers.
            hit, donor = rng.random(n) < probability, rng.integers(0, n, n)
            column = matrices[attribute.categorical][:, positions[attribute.categorical]]
            column[hit] = column[donor][hit]
            positions[attribute.categorical] += 1
        return Table(original.schema, matrices[True], matrices[False])

    def key(self, g) -> bytes:
        return hashed(g)

    def check(self, g) -> None:
        if g.shape != (self._size,) or not ((g >= 0) & (g <= 1)).all():
            raise PluginError("swaps are probabilities")

    def dump(self, g) -> Dump:
        return {"probabilities": g}

    def load(self, d: Dump):
        return locked(np.array(d["probabilities"]))


class Unfollowed(Genotype[tuple[NDArray[np.int64], int]]):
    """A width for each categorical attribute, and how many of the first records are suppressed.

    Decoding merges runs of so many categories into the first of them: the genome is a handful of numbers, no table.
    """

    def __init__(self, params: Any, microdata: Microdata) -> None:
        super().__init__(params, microdata)
        self._sizes = np.array([len(a.categories) for a in microdata.original.schema.categorical])
        self._n = len(microdata.original)

    def random(self, rng: np.random.Generator):
        return locked(rng.integers(1, self._sizes + 1)), int(rng.integers(self._n + 1))

    def crossover(self, a, b, rng):
        swap = rng.random(self._sizes.size) < 0.5
        return (locked(np.where(swap, b[0], a[0])), b[1]), (locked(np.where(swap, a[0], b[0])), a[1])

    def mutate(self, g, rng):
        if rng.random() < 0.5:
            return g[0], int(rng.integers(self._n + 1))
        widths = g[0].copy()
        which = rng.integers(self._sizes.size)
        widths[which] = rng.integers(1, self._sizes[which] + 1)
        return locked(widths), g[1]

    def decode(self, g, rng: np.random.Generator) -> Table:
        original = self.microdata.original
        codes = np.where(original.codes == MISSING, MISSING, original.codes // g[0] * g[0])
        codes[: g[1]] = MISSING
        return Table(original.schema, codes.astype(np.int32), original.numbers)

    def key(self, g) -> bytes:
        return hashed(g[0], np.array(g[1]))

    def check(self, g) -> None:
        widths, suppressed = g
        if widths.shape != self._sizes.shape or ((widths < 1) | (widths > self._sizes)).any():
            raise PluginError("a width lies outside 1..categories")
        if not 0 <= suppressed <= self._n:
            raise PluginError("more records suppressed than there are")

    def dump(self, g) -> Dump:
        return {"widths": g[0], "suppressed": np.array([g[1]])}

    def load(self, d: Dump):
        return locked(np.array(d["widths"])), int(d["suppressed"][0])

    def describe(self, g) -> Any:
        return {"widths": g[0].tolist(), "suppressed": g[1]}


class Levels(Unfollowed, Local):
    """The same, with rows followed."""

    def changed_rows(self, parent, child) -> Rows | None:
        if (parent[0] != child[0]).any():
            return None
        return np.arange(min(parent[1], child[1]), max(parent[1], child[1]), dtype=np.intp)


class Copies(Seedable[NDArray[np.int32]], Local[NDArray[np.int32]]):
    """The codes of a whole file, seedable, with rows followed: the base of most seeded faults."""

    def random(self, rng: np.random.Generator):
        original = self.microdata.original
        return locked(rng.permuted(original.codes, axis=0))

    def seeded(self, masked: Table):
        return masked.codes

    def crossover(self, a, b, rng):
        swap = rng.random(a.shape) < 0.5
        return locked(np.where(swap, b, a)), locked(np.where(swap, a, b))

    def mutate(self, g, rng):
        changed = g.copy()
        row = rng.integers(g.shape[0])
        changed[row] = g[rng.integers(g.shape[0])]
        return locked(changed)

    def decode(self, g, rng: np.random.Generator) -> Table:
        return Table(self.microdata.original.schema, g, self.microdata.original.numbers)

    def changed_rows(self, parent, child) -> Rows:
        return np.flatnonzero((parent != child).any(axis=1))

    def key(self, g) -> bytes:
        return hashed(g)

    def check(self, g) -> None:
        sizes = [len(a.categories) for a in self.microdata.original.schema.categorical]
        if g.shape != self.microdata.original.codes.shape or ((g < MISSING) | (g >= sizes)).any():
            raise PluginError("a code lies outside its domain")

    def dump(self, g) -> Dump:
        return {"codes": g}

    def load(self, d: Dump):
        return locked(np.array(d["codes"]))
