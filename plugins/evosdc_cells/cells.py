"""The genotype `cells`: one gene for each protected cell of the file."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import PluginError
from evosdc.model import Changes, Local, Microdata, Parameters, Seedable
from evosdc.model.genotype import Dump
from evosdc.table.table import MISSING, Rows, Table
from evosdc_cells.domain import domain_of
from evosdc_cells.edit_rules import GeneRules, rules_in_force
from evosdc_cells.files import (
    File,
    Genes,
    changed_records,
    changed_rows,
    differing_cells,
    file_of,
    key_of,
    locked,
    records_of,
    with_records,
)
from evosdc_cells.homes import Homes, homes_of
from evosdc_cells.moves import BLOCK, CLASS_MOVES, KINDS, Made, Moves, RecordMoves


class CellsParameters(Parameters):
    """Parameters of the genotype."""

    mutations: float = Field(1.0, ge=0, le=1000, description="mean of the number of cells that mutate")
    mutation: Literal["poisson", "bernoulli"] = Field(
        "poisson",
        description="how many mutate: a Poisson number, at least one; or each cell by itself, maybe none",
    )
    steps: bool = Field(False, description="whether ordinal cells move to a neighbouring category only")
    numbers: Literal["gray", "gaussian"] = Field(
        "gray", description="mutation of a number: one bit of its Gray code flips, or a normal step is added"
    )
    spread: float = Field(
        0.1, gt=0, le=10, description="standard deviation of a normal step, in those of the attribute"
    )
    crossover: Literal["one-point", "two-point", "m-point", "uniform", "record-block", "attribute-block"] = Field(
        "two-point", description="crossover operator on the file, flattened record by record"
    )
    points: int = Field(4, ge=1, description="cuts of the m-point crossover")
    p: float = Field(0.5, ge=0, le=1, description="probability that the uniform crossover exchanges a cell")
    edit_rules: tuple[dict[str, str | float | tuple[float, float] | tuple[str, ...]], ...] = Field(
        (),
        description="combinations that no record may have: { sex = 'male', status = ['pregnant'], age = [0, 14] }",
    )


CellRows = NDArray[Any]


CROSSOVERS = ("one-point", "two-point", "m-point", "uniform", "record-block", "attribute-block")


def exchanged(
    kind: str, a: CellRows, b: CellRows, points: int, p: float, rng: np.random.Generator
) -> tuple[CellRows, CellRows]:
    """Return two files that have exchanged cells: one run of them, runs between cuts, a block, or any."""
    c, d = a.copy(), b.copy()
    if kind == "uniform":  # each cell with probability `p` (Syswerda 1989; Spears and De Jong 1991)
        swap = rng.random(a.shape) < p
        c[swap], d[swap] = b[swap], a[swap]
        return c, d
    if kind == "attribute-block":
        first, last = sorted(rng.integers(0, a.shape[1], 2).tolist())
        c[:, first : last + 1], d[:, first : last + 1] = b[:, first : last + 1], a[:, first : last + 1]
        return c, d
    if kind == "one-point":
        runs = [slice(int(rng.integers(1, max(a.size, 2))), a.size)]
    elif kind == "two-point":
        # Two numbers of 53 bits cost a fraction of an array of two drawn integers.
        one, other = int(rng.random() * a.size), int(rng.random() * a.size)
        runs = [slice(min(one, other), max(one, other) + 1)]
    elif kind == "record-block":
        first, last = sorted(rng.integers(0, len(a), 2).tolist())
        runs = [slice(first * a.shape[1], (last + 1) * a.shape[1])]
    else:  # every second of the segments between `points` distinct cuts
        cuts = max(a.size - 1, 1)
        ends = [*(np.sort(rng.choice(cuts, min(points, cuts), replace=False)) + 1).tolist(), a.size]
        runs = list(map(slice, ends[:-1:2], ends[1::2]))
    for run in runs:
        c.reshape(-1)[run], d.reshape(-1)[run] = b.reshape(-1)[run], a.reshape(-1)[run]
    return c, d


ATTEMPTS = 20  # Draws of a file before the records that break a rule are repaired


class Cells(Seedable[File], Local[File]):
    """A whole file as genome: whole numbers, shape (n, V), record by record, categorical attributes first.

    A file of up to 16 384 cells is one array, a larger one is made of blocks that relatives share
    (`evosdc_cells.files`).

    A category is its code; a number is a whole number of the last decimal that the schema gives it, from a base
    (`evosdc_cells.domain.NumberCoding`). The k-ary coding of categories and the Gray coding of numbers are those of
    Mares (2013), 2.1.2 and chapter 3. Number of mutations, choice of the new value and crossover on the flattened file
    are a reconstruction after its review of operators.
    """

    class Params(CellsParameters):
        """Parameters of the genotype."""

    params: Params
    keeps_rules: ClassVar[bool] = True
    keeps_households: ClassVar[bool] = True

    def __init__(self, params: Params, microdata: Microdata) -> None:
        super().__init__(params, microdata)
        original = microdata.original
        self._schema = original.schema
        self._domain = domain_of(original)
        self._categorical = original.codes.shape[1]
        self._shape = (len(original), len(self._domain.sizes))
        coding = self._domain.coding
        most = max(3 * int(coding.reach.max(initial=0)), int(self._domain.sizes.max()), 1)
        # The smallest integers: genes are copied, compared, hashed and stored for every child.
        self._type = np.min_scalar_type(-most)
        rules = rules_in_force(params.edit_rules, microdata)
        self._rules = GeneRules(rules, coding, self._coded_original) if rules is not None else None

    def random(self, rng: np.random.Generator) -> File:
        """Return a file of cells drawn uniformly from their domains; rules are kept."""
        genes = self._drawn(self._shape[0], rng)
        if self._rules is None:
            return file_of(genes if self._homes is None else self._homes.alike(genes, genes))
        for _ in range(ATTEMPTS):
            broken = np.flatnonzero(self._rules.broken(genes))
            if not len(broken):
                break
            genes[broken] = self._drawn(len(broken), rng)
        return file_of(self._put_right(genes))

    def _drawn(self, count: int, rng: np.random.Generator) -> Genes:
        drawn = rng.integers(0, self._domain.sizes, size=(count, self._shape[1]), dtype=np.int64)
        absent = drawn == self._domain.categories
        drawn[:, self._categorical :] += self._domain.coding.reach
        return np.where(absent, MISSING, drawn).astype(self._type)

    def seeded(self, masked: Table) -> File:
        """Return the cells of a protected file."""
        # Numbers are rounded to the decimals of the schema, and cut off where they are further outside the original's
        # range than that range is wide.
        return file_of(self._put_right(self._coded(masked).astype(self._type)))

    def _put_right(self, genes: Genes) -> Genes:
        """Return genes that keep all rules, and of which members of a household share what they do in the original."""
        genes = genes if self._rules is None else self._rules.repaired(genes)
        return genes if self._homes is None else self._homes.alike(genes, self._coded_original.astype(self._type))

    def _coded(self, table: Table) -> NDArray[np.int64]:
        """Return the cells of a file, rounded and cut off as `seeded` does it."""
        genes = np.empty((len(table), self._shape[1]), dtype=np.int64)
        genes[:, : self._categorical] = table.codes
        if self._categorical < self._shape[1]:
            genes[:, self._categorical :] = self._domain.coding.codes(table.numbers)
        return genes

    def crossover(self, a: File, b: File, rng: np.random.Generator) -> tuple[File, File]:
        """Return two files that have exchanged cells; record r of both parents is the same respondent."""
        # A record of a child that breaks a rule is that of its own parent instead.
        one, other = np.asarray(a), np.asarray(b)
        c, d = exchanged(self.params.crossover, one, other, self.params.points, self.params.p, rng)
        if self._rules is not None:
            c, d = self._rules.kept(c, one), self._rules.kept(d, other)
        if self._homes is not None:
            c, d = self._homes.alike(c, one), self._homes.alike(d, other)
        return file_of(c), file_of(d)

    def mutate(self, g: File, rng: np.random.Generator) -> File:
        """Return a copy with ``max(1, Poisson(mutations))`` distinct cells changed to other valid values."""
        # With ``mutation = "bernoulli"`` each cell changes with probability ``mutations / cells``: a binomial number of
        # them, drawn at once. Where rules leave a cell no other value, another cell of its record is changed.
        cells = self._shape[0] * len(self._domain.free)
        if cells == 0:
            return g
        if self.params.mutation == "poisson":
            count = min(max(1, int(rng.poisson(self.params.mutations))), cells)
        else:
            count = int(rng.binomial(cells, min(self.params.mutations / cells, 1.0)))
            if count == 0:
                return g
        loci = (rng.random(count) * cells).astype(np.int64)
        if len(set(loci.tolist())) < count:  # which is rare, and takes longer
            loci = rng.choice(cells, count, replace=False)
        mutated = self._record_moves.mutated(g, loci, rng)
        if self._homes is None:
            return mutated
        return file_of(self._homes.spread_file(np.asarray(g), np.asarray(mutated), changed_rows(g, mutated)))

    @property
    def moves(self) -> tuple[str, ...]:
        """Kinds of moves; those of several records are in the plural, and offered where a thousandth is several."""
        # Numbers alone are not exchanged: hardly any two records have the same one.
        moves = KINDS if (self._domain.free < self._categorical).any() else KINDS[:-1]
        return moves if self._block < 2 else (*moves, *(f"{kind}s" for kind in moves))

    @property
    def class_moves(self) -> tuple[str, ...]:
        """Kinds of moves of whole records and classes (`evosdc_cells.moves`)."""
        return CLASS_MOVES

    def extent(self, kind: str) -> float:
        """Return how many records a move of a kind is made at."""
        return 1.0 if kind in KINDS or kind in CLASS_MOVES else float(self._block)

    @property
    def _block(self) -> int:
        return self._shape[0] // BLOCK

    def moved(
        self,
        g: File,
        kinds: Sequence[str],
        costly: Sequence[bool],
        through: NDArray[np.float64] | None,
        rng: np.random.Generator,
    ) -> Changes:
        """Return what children change, each by one record, or by one in a thousand where the kind is in the plural."""
        # ``value``: one cell as by `mutate`; ``restoration``: one changed cell back to the original; ``adoption``: the
        # whole record as another one is, so that the two are identical.
        if self._domain.free.size:
            made = self._moves.made(g, kinds, costly, through, rng)
            made = made if self._homes is None else self._homes.spread(g, made)
        else:
            made = Made(np.zeros(0, np.int64), *np.zeros((2, 0, self._shape[1]), np.int64))
        n = self._shape[0]
        ends, rows = made.keys.searchsorted(n * np.arange(1, len(kinds) + 1)), made.keys % n
        return Changes(ends, rows, self._decoded(made.before), self._decoded(made.after))

    def changed(self, g: File, change: Changes) -> File:
        """Return the file with some records as a child has them."""
        genes = np.empty((len(change.rows), self._shape[1]), self._type)
        genes[:, : self._categorical] = change.after.codes
        if self._categorical < self._shape[1]:
            genes[:, self._categorical :] = self._domain.coding.codes(change.after.numbers)
        return with_records(g, change.rows, genes)

    @cached_property
    def _record_moves(self) -> RecordMoves:
        spread = self.params.spread if self.params.numbers == "gaussian" else 0.0
        return RecordMoves(self._coded_original, self._domain, self.params.steps, spread, self._rules)

    @cached_property
    def _moves(self) -> Moves:
        return Moves(self.microdata, self._coded_original, self._domain, self._record_moves, self._rules)

    @cached_property
    def _homes(self) -> Homes | None:
        return homes_of(self.microdata, self._rules)

    @cached_property
    def _coded_original(self) -> NDArray[np.int64]:
        return self._coded(self.microdata.original)

    def decode(self, g: File, rng: np.random.Generator) -> Table:
        """Return the file; nothing is random."""
        return self._decoded(np.asarray(g))

    def decode_records(self, g: File, rows: Rows) -> Table:
        """Return some records of the file; O(m)."""
        return self._decoded(records_of(g, rows))

    def changes(self, parents: Sequence[File], children: Sequence[File]) -> Changes:
        """Return what each of some files changes in its parent: all of a generation are compared at once."""
        ends, rows, before, after = changed_records(parents, children)
        return Changes(ends, rows, self._decoded(before), self._decoded(after))

    def _decoded(self, genes: Genes) -> Table:
        if self._categorical == self._shape[1]:
            return Table(self._schema, locked(genes.astype(np.int32)), locked(np.empty((len(genes), 0))))
        numbers = self._domain.coding.numbers(genes[:, self._categorical :])
        return Table(self._schema, locked(genes[:, : self._categorical].astype(np.int32, order="C")), locked(numbers))

    def changed_rows(self, parent: File, child: File) -> Rows:
        """Return the records in which two files differ."""
        return changed_rows(parent, child)

    def distance(self, a: File, b: File) -> float:
        """Return in how many cells two files differ."""
        return float(differing_cells(a, b))

    def key(self, g: File) -> bytes:
        """Return a BLAKE2b hash of the cells, of large files that of the hashes of their blocks."""
        return key_of(g)

    def check(self, g: File) -> None:
        """Raise `PluginError` for a wrong shape or type, a writable array, or a code outside its domain."""
        file, g = g, np.asarray(g)
        if g.shape != self._shape or g.dtype != self._type or (file is g and g.flags.writeable):
            raise PluginError(f"a genome of cells is a read-only {self._type} {self._shape}; got {g.dtype} {g.shape}")
        # A masked file may publish missing values where the original has none: local suppression does.
        highest = self._domain.categories.copy()
        highest[self._categorical :] += 2 * self._domain.coding.reach
        if ((g < MISSING) | (g >= highest)).any():
            raise PluginError("a genome of cells holds a code outside its attribute's domain")
        if self._rules is not None and self._rules.broken(g).any():
            raise PluginError("a genome of cells holds a record that breaks a rule")

    def dump(self, g: File) -> Dump:
        """Return the cells, in the smallest integers that hold all codes."""
        return {"cells": np.asarray(g)}

    def load(self, d: Dump) -> File:
        """Return the cells that `dump` wrote."""
        return file_of(np.array(d["cells"], dtype=self._type, order="C"))

    def describe(self, g: File) -> Any:
        """Return, by attribute, how many cells differ from the original, numbers by the decimals of the schema."""
        names = (a.name for a in (*self._schema.categorical, *self._schema.numeric))
        changed = dict(zip(names, (np.asarray(g) != self._coded_original).sum(axis=0).tolist(), strict=True))
        return {"changed": {name: changed[name] for name in self._schema.names}}
