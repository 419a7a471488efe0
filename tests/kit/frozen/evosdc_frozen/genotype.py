"""The genotype `frozen-genotype`."""

from hashlib import blake2b
from typing import Any

import numpy as np
from pydantic import Field

from evosdc.model import MISSING, Changes, Local, Microdata, Parameters, PluginError, Rows, Table


class FrozenGenotype(Local[np.ndarray]):
    """Which cells are suppressed, a boolean array of shape (n, V)."""

    class Params(Parameters):
        """Parameters of the genotype."""

        share: float = Field(0.1, ge=0, le=1, description="share of suppressed cells in random genomes")

    def __init__(self, params: Params, microdata: Microdata) -> None:
        super().__init__(params, microdata)
        original = microdata.original
        self._shape = (len(original), len(original.schema))

    def random(self, rng: np.random.Generator) -> np.ndarray:
        """Return a random genome."""
        return locked(rng.random(self._shape) < self.params.share)

    def crossover(self, a: np.ndarray, b: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Exchange whole records."""
        swap = rng.random((self._shape[0], 1)) < 0.5
        return locked(np.where(swap, b, a)), locked(np.where(swap, a, b))

    def mutate(self, g: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return a copy with one cell flipped."""
        changed = g.copy()
        cell = rng.integers(self._shape[0]), rng.integers(self._shape[1])
        changed[cell] = ~changed[cell]
        return locked(changed)

    def decode(self, g: np.ndarray, rng: np.random.Generator) -> Table:
        """Return the table that a genome stands for; categorical attributes come first."""
        original = self.microdata.original
        categorical = original.codes.shape[1]
        codes = np.where(g[:, :categorical], MISSING, original.codes).astype(np.int32)
        return Table(original.schema, codes, np.where(g[:, categorical:], np.nan, original.numbers))

    def changed_rows(self, parent: np.ndarray, child: np.ndarray) -> Rows:
        """Return the records in which two genomes differ."""
        return np.flatnonzero((parent != child).any(axis=1))

    def decode_records(self, g: np.ndarray, rows: Rows) -> Table:
        """Return some records of the decoded table."""
        original = self.microdata.original.take(rows)
        categorical = original.codes.shape[1]
        codes = np.where(g[rows, :categorical], MISSING, original.codes).astype(np.int32)
        return Table(original.schema, codes, np.where(g[rows, categorical:], np.nan, original.numbers))

    @property
    def moves(self) -> tuple[str, ...]:
        """One cell of a record is flipped."""
        return ("cell",)

    def moved(self, g, kinds, costly, through, rng) -> Changes:
        """Return what children change: a cell each, of any record or of one that costs."""
        records, attributes = self._shape
        rows = rng.integers(records, size=len(kinds))
        if through is not None:
            drawn = through.searchsorted(through[-1] * rng.random(len(kinds)), "right")
            rows = np.where(costly, np.minimum(drawn, records - 1), rows)
        cells = g[rows]
        places = np.arange(len(kinds)), rng.integers(attributes, size=len(kinds))
        cells[places] = ~cells[places]
        original = self.microdata.original.take(rows)
        categorical = original.codes.shape[1]
        codes = np.where(cells[:, :categorical], MISSING, original.codes).astype(np.int32)
        after = Table(original.schema, codes, np.where(cells[:, categorical:], np.nan, original.numbers))
        return Changes(np.arange(1, len(kinds) + 1), rows, self.decode_records(g, rows), after)

    def changed(self, g: np.ndarray, change: Changes) -> np.ndarray:
        """Return the genome of a child; cells that the original lacks stay as they are."""
        original, child = self.microdata.original.take(change.rows), g.copy()
        lacking, missing = (np.hstack((t.codes == MISSING, np.isnan(t.numbers))) for t in (original, change.after))
        child[change.rows] = np.where(lacking, child[change.rows], missing)
        return locked(child)

    def key(self, g: np.ndarray) -> bytes:
        """Return a hash of the content."""
        return blake2b(g.tobytes(), digest_size=16).digest()

    def check(self, g: np.ndarray) -> None:
        """Raise `PluginError` for what is no genome."""
        if g.shape != self._shape or g.dtype != bool:
            raise PluginError(f"wanted a boolean array {self._shape}; got {g.dtype} {g.shape}")

    def dump(self, g: np.ndarray) -> dict[str, np.ndarray]:
        """Return the genome as named arrays."""
        return {"suppressed": g}

    def load(self, d: Any) -> np.ndarray:
        """Return the genome that `dump` wrote."""
        return locked(np.array(d["suppressed"]))

    def describe(self, g: np.ndarray) -> dict[str, int]:
        """Return what results show of a genome."""
        return {"suppressed": int(g.sum())}


def locked(cells: np.ndarray) -> np.ndarray:
    """Return the array read-only: genomes are values."""
    cells.flags.writeable = False
    return cells
