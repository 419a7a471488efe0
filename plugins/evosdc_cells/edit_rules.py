"""Rules of records over the genes of `cells`: checked for single records as they change, and kept by repair."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.errors import ParameterError
from evosdc.model import Microdata
from evosdc.table.edit_rules import Values, edit_rule_faults, edit_rules_of
from evosdc.table.record_check import ALL, breaks
from evosdc.table.record_classes import Classes, Flags, RuleArrays
from evosdc.table.record_rules import RecordRules
from evosdc.table.table import Numbers
from evosdc_cells.compiled_rules import GeneClasses, Rules, set_classes
from evosdc_cells.domain import NumberCoding
from evosdc_cells.file_blocks import Draft

Genes = NDArray[Any]


class GeneRules:
    """The rules in force for a file, over the genes of a genotype.

    Parameters
    ----------
    rules : RecordRules
    coding : NumberCoding
        Of the numeric attributes.
    original : ndarray, shape (n, V)
        The genes of the original.
    """

    def __init__(self, rules: RecordRules, coding: NumberCoding, original: Genes) -> None:
        self._rules, self._original = rules, original
        numeric = [c for c in rules.classes if c.edges is not None]
        starts = [_starts(c.edges, coding, j) for j, c in enumerate(numeric) if c.edges is not None]
        self._coding = GeneClasses(
            _firsts([len(c.lookup) for c in rules.classes]),
            np.concatenate([c.lookup for c in rules.classes]),
            np.concatenate([np.zeros(0, dtype=np.int64), *starts]),
            _firsts([len(s) for s in starts]),
        )
        self._arrays = (*self._coding, *rules.arrays)

    @cached_property
    def compiled(self) -> Rules:
        """The rules as kernels take them."""
        sizes = np.diff(self._coding.first)
        room = np.empty(len(sizes), dtype=np.int32), np.empty(sizes.max(), dtype=np.int64)
        return Rules(self._coding, self._rules.arrays, self._rules.others, *room)

    def broken(self, genes: Genes) -> Flags:
        """Return which records break a rule, shape (n,)."""
        return self._broken(genes, genes, True)

    def breaks(self, genes: Genes | Draft, row: int, column: int = ALL) -> bool:
        """Whether one record breaks a rule; with a column, one that was in order before that cell changed."""
        return bool(_breaks(*self._record(genes, row), column, *self._arrays))

    def fitting(self, genes: Genes | Draft, row: int, column: int) -> Flags:
        """Return which categories a cell of a record that is in order may have, the last entry for a missing value."""
        found: Flags = _fitting(*self._record(genes, row), column, *self._arrays)
        return found

    def _record(self, genes: Genes | Draft, row: int) -> tuple[Genes, Classes]:
        # Kernels are compiled for arrays that may be written to; a part of a shared block is none.
        record: Genes = genes[row]
        return record if record.flags.writeable else record.copy(), self._rules.others[row]

    def kept(self, genes: Genes, fallback: Genes) -> Genes:
        """Return the genes with the records that break a rule taken from `fallback`, which breaks none."""
        broken = self._broken(genes, fallback, False)
        return np.where(broken[:, None], fallback, genes) if broken.any() else genes

    def _broken(self, genes: Genes, before: Genes, every: bool) -> Flags:
        # Genes have the narrowest type that holds them: of one type, whole files need one compiled kernel.
        wide = genes.astype(np.int64)
        before = wide if every else before.astype(np.int64)
        return _broken_records(wide, before, every, self._rules.others, self._coding, self._rules.arrays)

    def repaired(self, genes: Genes) -> Genes:
        """Return the genes with every record in order, as `RecordRules.repaired`; raises as it."""
        restored, donors = self._rules.repairs(
            _classes(genes.astype(np.int64), self._coding), lambda row: (self._original != genes[row]).sum(axis=1)
        )
        if not restored.any() and not donors:
            return genes
        repaired: Genes = np.where(restored, self._original, genes)
        for row, donor in donors.items():
            repaired[row] = self._original[donor]
        return repaired


def rules_in_force(written: Sequence[Mapping[str, Values]], microdata: Microdata) -> RecordRules | None:
    """Return the rules of a file together with those that a user wrote for its protected attributes.

    Raises
    ------
    ParameterError
        Attributes that are not protected, unknown categories, intervals that are none; all at once.
    """
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


@njit(cache=True)
def _classes(genes: Genes, coding: GeneClasses) -> Classes:
    own = np.empty(genes.shape, np.int32)
    for row in range(len(genes)):
        set_classes(genes[row], coding, own[row])
    return own


@njit(cache=True)
def _breaks(record: Genes, others: Classes, column: int, *given: Any) -> bool:
    """Tell of one record; given are the arrays of `GeneClasses` and `RuleArrays`, which are slower to hand over."""
    coding, arrays = GeneClasses(*given[:4]), RuleArrays(*given[4:])
    own = np.empty(len(record), np.int32)
    set_classes(record, coding, own)
    return breaks(own, others, column, arrays)


@njit(cache=True)
def _fitting(record: Genes, others: Classes, column: int, *given: Any) -> Flags:
    """Tell which categories fit; given as to `_breaks`."""
    coding, arrays = GeneClasses(*given[:4]), RuleArrays(*given[4:])
    own = np.empty(len(record), np.int32)
    set_classes(record, coding, own)
    first = coding.first[column]
    fitting = np.empty(coding.first[column + 1] - first, np.bool_)
    for place in range(len(fitting)):
        own[column] = coding.classes[first + place]
        fitting[place] = not breaks(own, others, column, arrays)
    return fitting


@njit(cache=True)
def _broken_records(
    genes: Genes, before: Genes, every: bool, others: Classes, coding: GeneClasses, arrays: RuleArrays
) -> Flags:
    """Return which records break a rule; unless `every` one is looked at, those that differ from `before` only."""
    n, columns = genes.shape
    broken = np.zeros(n, np.bool_)
    own = np.empty(columns, np.int32)
    for row in range(n):
        changed = every
        for v in range(columns):
            changed = changed or genes[row, v] != before[row, v]
        if changed:
            set_classes(genes[row], coding, own)
            broken[row] = breaks(own, others[row], ALL, arrays)
    return broken
