"""Rules of records over the genes of `cells`: passed to kernels as arrays, and kept by repair."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import ParameterError
from evosdc.model import Microdata
from evosdc.table.edit_rules import Values, edit_rule_faults, edit_rules_of
from evosdc.table.record_check import breaking_rows
from evosdc.table.record_rules import Classes, Flags, RecordRules, RuleArrays, middle_of_class
from evosdc.table.table import MISSING, Numbers, Rows
from evosdc_cells.domain import NumberCoding
from evosdc_cells.files import Genes, changed_rows


class Rules(NamedTuple):
    """The rules in force for a file of n records and V attributes, the categorical ones first, as kernels take them.

    Parameters
    ----------
    others : ndarray of int32, shape (n, W)
        Classes of unmasked attributes.
    first : ndarray of int64, shape (V + 1,)
        Classes of attribute v are at ``first[v]`` to ``first[v + 1] - 1`` of `classes`: one for each category or
        interval, the last for a missing value. Of length 1 where there is no rule.
    classes : ndarray of int32
    starts : ndarray of int64, shape (e,)
        The least gene of every interval but the first, number by number.
    first_start : ndarray of int64, shape (Q + 1,)
        Those of number j are at ``first_start[j]`` to ``first_start[j + 1] - 1`` of `starts`.
    arrays : RuleArrays
    """

    others: Classes
    first: NDArray[np.int64]
    classes: NDArray[np.int32]
    starts: NDArray[np.int64]
    first_start: NDArray[np.int64]
    arrays: RuleArrays


def no_rules() -> Rules:
    """Return what kernels take where there is no rule."""
    none, pairs, conditions = np.zeros(1, np.int64), np.empty((0, 4), np.int64), np.empty((0, 2), np.int64)
    arrays = RuleArrays(none, pairs, none, conditions, np.empty(0, np.bool_))
    return Rules(np.empty((0, 0), np.int32), none, np.empty(0, np.int32), none, none, arrays)


class GeneRules:
    """The rules in force for a file, over the genes of a genotype."""

    # Shapes: original (n, V): the genes of the original.

    def __init__(self, rules: RecordRules, coding: NumberCoding, original: Genes) -> None:
        self._rules, self._original = rules, original
        numeric = [c for c in rules.classes if c.edges is not None]
        self._starts = [_starts(c.edges, coding, j) for j, c in enumerate(numeric) if c.edges is not None]

    @cached_property
    def compiled(self) -> Rules:
        """The rules as kernels take them."""
        lookups = [c.lookup for c in self._rules.classes]
        return Rules(
            self._rules.others,
            _firsts([len(lookup) for lookup in lookups]),
            np.concatenate(lookups),
            np.concatenate([np.zeros(0, dtype=np.int64), *self._starts]),
            _firsts([len(starts) for starts in self._starts]),
            self._rules.arrays,
        )

    def broken(self, genes: Genes, rows: Rows | None = None) -> Flags:
        """Return which of all or some records break a rule, shape (m,)."""
        rows = np.arange(len(genes), dtype=np.intp) if rows is None else rows
        return breaking_rows(self._classes(genes), self._rules.others, rows, self._rules.arrays)

    def kept(self, genes: Genes, fallback: Genes) -> Genes:
        """Return the genes with the records that break a rule taken from `fallback`, which breaks none."""
        changed = changed_rows(genes, fallback)
        broken = changed[self.broken(genes[changed], changed)]
        genes[broken] = fallback[broken]
        return genes

    def repaired(self, genes: Genes) -> Genes:
        """Return the genes with every record in order, as `RecordRules.repaired`; raises as it."""
        restored, donors = self._rules.repairs(
            self._classes(genes), lambda row: (self._original != genes[row]).sum(axis=1)
        )
        repaired: Genes = np.where(restored, self._middles, genes).astype(genes.dtype)
        for row, donor in donors.items():
            repaired[row] = self._original[donor]
        return repaired

    @cached_property
    def _middles(self) -> Genes:
        """The original with numbers at the middle of their classes (`evosdc.table.record_rules.middle_of_class`)."""
        middles, classes = self._original.copy(), self._classes(self._original)
        for v in range(middles.shape[1] - len(self._starts), middles.shape[1]):
            middles[:, v] = middle_of_class(middles[:, v], classes[:, v], middles[:, v] == MISSING)
        return middles

    def _classes(self, genes: Genes) -> Classes:
        """Return the classes of records, shape (m, V)."""
        classes = np.empty(genes.shape, dtype=np.int32)
        categorical = genes.shape[1] - len(self._starts)
        for v, (column, known) in enumerate(zip(genes.T, self._rules.classes, strict=True)):
            places = column
            if v >= categorical:
                above = self._starts[v - categorical].searchsorted(column, "right")
                places = np.where(column == MISSING, MISSING, above)
            classes[:, v] = known.lookup[places]
        return classes


def rules_in_force(written: Sequence[Mapping[str, Values]], microdata: Microdata) -> RecordRules | None:
    """Return the rules of a file together with those that a user wrote for its protected attributes."""
    if not written:
        return microdata.rules
    own = edit_rules_of(written)
    faults = edit_rule_faults(own, microdata.original.schema, "genotype cells: edit_rules")
    if faults:
        raise ParameterError(faults)
    known = microdata.rules
    rules = (*(known.edit_rules if known is not None else ()), *own)
    return RecordRules(microdata.table, microdata.protect, rules, known.zeros if known is not None else None)


def _starts(edges: Numbers, coding: NumberCoding, attribute: int) -> NDArray[np.int64]:
    """Return, for each edge of a numeric attribute, the least gene whose number is not below it."""
    scale, base = float(coding.scale[attribute]), int(coding.base[attribute])
    # Of an edge beyond all genes any gene beyond will do.
    last = 3 * int(coding.reach[attribute]) + 1
    starts = []
    for edge in edges.tolist():
        gene = int(np.clip(np.ceil(edge * scale) - base, 0, last))
        while gene > 0 and (gene - 1 + base) / scale >= edge:
            gene -= 1
        while gene < last and (gene + base) / scale < edge:
            gene += 1
        starts.append(gene)
    return np.array(starts, dtype=np.int64)


def _firsts(sizes: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
