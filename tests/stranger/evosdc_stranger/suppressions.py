"""The genotype `suppressions`."""

from hashlib import blake2b
from typing import Any

import numpy as np
from pydantic import Field

from evosdc.model import MISSING, Local, Microdata, Parameters, PluginError, Rows, Table


class Suppressions(Local[np.ndarray]):
    """A boolean array, shape (n, V): which cells are suppressed, categorical attributes first."""

    class Params(Parameters):
        """Parameters of the genotype."""

        share: float = Field(0.1, ge=0, le=1, description="share of suppressed cells in random genomes")

    def __init__(self, params: Params, microdata: Microdata) -> None:
        super().__init__(params, microdata)
        original = microdata.original
        self._categorical = original.codes.shape[1]
        self._shape = (len(original), len(original.schema))

    def random(self, rng: np.random.Generator) -> np.ndarray:
        """Suppress cells at random."""
        return _locked(rng.random(self._shape) < self.params.share)

    def crossover(self, a: np.ndarray, b: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Exchange whole records."""
        swap = rng.random((self._shape[0], 1)) < 0.5
        return _locked(np.where(swap, b, a)), _locked(np.where(swap, a, b))

    def mutate(self, g: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Flip one cell."""
        changed = g.copy()
        cell = rng.integers(self._shape[0]), rng.integers(self._shape[1])
        changed[cell] = ~changed[cell]
        return _locked(changed)

    def decode(self, g: np.ndarray, rng: np.random.Generator) -> Table:
        """Return the original with the chosen cells suppressed."""
        original = self.microdata.original
        codes = np.where(g[:, : self._categorical], MISSING, original.codes)
        numbers = np.where(g[:, self._categorical :], np.nan, original.numbers)
        return Table(original.schema, codes.astype(np.int32), numbers)

    def changed_rows(self, parent: np.ndarray, child: np.ndarray) -> Rows:
        """Return the records in which two genomes differ."""
        return np.flatnonzero((parent != child).any(axis=1))

    def key(self, g: np.ndarray) -> bytes:
        """Return a hash of the cells."""
        return blake2b(g.tobytes(), digest_size=16).digest()

    def check(self, g: np.ndarray) -> None:
        """Raise `PluginError` for another shape or type."""
        if g.shape != self._shape or g.dtype != bool:
            raise PluginError(f"suppressions are a boolean array {self._shape}; got {g.dtype} {g.shape}")

    def dump(self, g: np.ndarray) -> dict[str, np.ndarray]:
        """Return the cells."""
        return {"suppressed": g}

    def load(self, d: Any) -> np.ndarray:
        """Return the cells that `dump` wrote."""
        return _locked(np.array(d["suppressed"]))

    def describe(self, g: np.ndarray) -> dict[str, int]:
        """Return how many cells are suppressed."""
        return {"suppressed": int(g.sum())}


def _locked(cells: np.ndarray) -> np.ndarray:
    cells.flags.writeable = False
    return cells
