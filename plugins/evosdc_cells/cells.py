"""The genotype `cells`: one gene for each protected cell of the file."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.data.table import MISSING, Rows, Table
from evosdc.errors import Fault, ParameterError, PluginError
from evosdc.model import Genotype, Microdata, Parameters
from evosdc.model.genotype import Dump
from evosdc_cells.crossover import CROSSOVERS
from evosdc_cells.domain import domain_of

Genes = NDArray[np.int32]


class Cells(Genotype[Genes]):
    """A whole file as genome: an int32 array of category codes, shape (n, V), record by record.

    The k-ary coding of categories is that of Mares (2013), 2.1.2 and chapter 3. Number of mutations, choice of the new
    category and crossover on the flattened file are a reconstruction after its review of operators.
    """

    class Params(Parameters):
        """Parameters of the genotype."""

        mutations: float = Field(1.0, ge=0, le=1000, description="mean of the Poisson number of cells that mutate")
        steps: bool = Field(False, description="whether ordinal cells move to a neighbouring category only")
        crossover: Literal["one-point", "two-point", "uniform"] = Field("two-point", description="crossover operator")

    params: Params

    def __init__(self, params: Params, microdata: Microdata) -> None:
        super().__init__(params, microdata)
        original = microdata.original
        numeric = [a.name for a in original.schema.numeric]
        if numeric:
            raise ParameterError(
                Fault(
                    f"genotype cells: {', '.join(numeric)}",
                    "scale numeric",
                    "scale nominal or ordinal",
                    "Declare it ordinal in the schema, or do not protect it.",
                )
            )
        self._schema = original.schema
        self._shape = original.codes.shape
        self._numbers = original.numbers
        self._domain = domain_of(original)
        self._stored = np.min_scalar_type(-max(int(self._domain.sizes.max()), 1))

    def random(self, rng: np.random.Generator) -> Genes:
        """Return a file of cells drawn uniformly from their domains."""
        codes = rng.integers(0, self._domain.sizes, size=self._shape, dtype=np.int64)
        return _locked(np.where(codes == self._domain.categories, MISSING, codes).astype(np.int32))

    def seeded(self, masked: Table) -> Genes:
        """Return the cells of a protected file."""
        return masked.codes

    def crossover(self, a: Genes, b: Genes, rng: np.random.Generator) -> tuple[Genes, Genes]:
        """Return two files that have exchanged cells; record r of both parents is the same respondent."""
        c, d = CROSSOVERS[self.params.crossover](a, b, rng)
        return _locked(c), _locked(d)

    def mutate(self, g: Genes, rng: np.random.Generator) -> Genes:
        """Return a copy with ``max(1, Poisson(mutations))`` distinct cells changed to other valid categories."""
        free = self._domain.free
        cells = self._shape[0] * free.size
        if cells == 0:
            return g
        count = min(max(1, int(rng.poisson(self.params.mutations))), cells)
        loci = [int(rng.integers(cells))] if count == 1 else rng.choice(cells, count, replace=False).tolist()
        changed = g.copy()
        draw = self._domain.neighbour if self.params.steps else self._domain.other
        for locus in loci:
            row, attribute = locus // free.size, int(free[locus % free.size])
            changed[row, attribute] = draw(attribute, int(g[row, attribute]), rng)
        return _locked(changed)

    def decode(self, g: Genes, rng: np.random.Generator) -> Table:
        """Return the file; nothing is random."""
        return Table(self._schema, g, self._numbers)

    def changed_rows(self, parent: Genes, child: Genes) -> Rows:
        """Return the records in which two files differ."""
        return np.flatnonzero((parent != child).any(axis=1))

    def distance(self, a: Genes, b: Genes) -> float:
        """Return the number of cells in which two files differ."""
        return float(np.count_nonzero(a != b))

    def key(self, g: Genes) -> bytes:
        """Return a BLAKE2b hash of the cells."""
        return blake2b(g.tobytes(), digest_size=16).digest()

    def check(self, g: Genes) -> None:
        """Raise `PluginError` for a wrong shape or type, a writable array, or a code outside its domain."""
        if g.shape != self._shape or g.dtype != np.int32 or g.flags.writeable:
            raise PluginError(f"a genome of cells is a read-only int32 array {self._shape}; got {g.dtype} {g.shape}")
        lowest = np.where(self._domain.sizes > self._domain.categories, MISSING, 0)
        if ((g < lowest) | (g >= self._domain.categories)).any():
            raise PluginError("a genome of cells holds a code outside its attribute's domain")

    def dump(self, g: Genes) -> Dump:
        """Return the cells, in the smallest integers that hold all codes."""
        return {"cells": g.astype(self._stored)}

    def load(self, d: Dump) -> Genes:
        """Return the cells that `dump` wrote."""
        return _locked(np.array(d["cells"], dtype=np.int32, order="C"))

    def describe(self, g: Genes) -> Any:
        """Return, by attribute, how many cells differ from the original."""
        original = self.microdata.original.codes
        names = (a.name for a in self._schema.attributes)
        return {"changed": {name: int(n) for name, n in zip(names, (g != original).sum(axis=0), strict=True)}}


def _locked(genes: Genes) -> Genes:
    genes.flags.writeable = False
    return genes
