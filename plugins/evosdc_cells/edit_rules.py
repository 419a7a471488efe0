"""Rules of records over the genes of `cells`: checked for single records as they change, and kept by repair."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import ParameterError
from evosdc.kernel import kernel
from evosdc.model import Microdata
from evosdc.table.edit_rules import Values, edit_rule_faults, edit_rules_of
from evosdc.table.record_check import ALL, Classes, Flags, RuleArrays, breaks
from evosdc.table.record_rules import RecordRules
from evosdc.table.table import Numbers
from evosdc_cells.domain import NumberCoding
from evosdc_cells.file_blocks import Draft

Genes = NDArray[Any]


class GeneClasses(NamedTuple):
    """How genes become the classes that rules are over, V attributes of which the categorical ones come first.

    Parameters
    ----------
    first : ndarray of int64, shape (V + 1,)
        Classes of attribute v are at ``first[v]`` to ``first[v + 1] - 1`` of `classes`: one for each category or
        interval, the last for a missing value.
    classes : ndarray of int32
    starts : ndarray of int64, shape (e,)
        The least gene of every interval but the first, number by number.
    first_start : ndarray of int64, shape (Q + 1,)
        Those of number j are at ``first_start[j]`` to ``first_start[j + 1] - 1`` of `starts`.
    """

    first: NDArray[np.int64]
    classes: NDArray[np.int32]
    starts: NDArray[np.int64]
    first_start: NDArray[np.int64]


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


@kernel
def _set_classes(record: Genes, coding: GeneClasses, own: Classes) -> None:
    """Write the classes of one record, shape (V,), to `own`, of the same shape."""
    categorical = len(own) - (len(coding.first_start) - 1)
    for v in range(len(own)):
        gene = record[v]
        if gene < 0:
            own[v] = coding.classes[coding.first[v + 1] - 1]
            continue
        place = coding.first[v]
        if v < categorical:
            place += gene
        else:
            for start in range(coding.first_start[v - categorical], coding.first_start[v - categorical + 1]):
                place += gene >= coding.starts[start]
        own[v] = coding.classes[place]


@kernel
def _classes(genes: Genes, coding: GeneClasses) -> Classes:
    own = np.empty(genes.shape, np.int32)
    for row in range(len(genes)):
        _set_classes(genes[row], coding, own[row])
    return own


@kernel
def _breaks(record: Genes, others: Classes, column: int, *given: Any) -> bool:
    """Tell of one record; given are the arrays of `GeneClasses` and `RuleArrays`, which are slower to hand over."""
    coding, arrays = GeneClasses(*given[:4]), RuleArrays(*given[4:])
    own = np.empty(len(record), np.int32)
    _set_classes(record, coding, own)
    return breaks(own, others, column, arrays)


@kernel
def _fitting(record: Genes, others: Classes, column: int, *given: Any) -> Flags:
    """Tell which categories fit; given as to `_breaks`."""
    coding, arrays = GeneClasses(*given[:4]), RuleArrays(*given[4:])
    own = np.empty(len(record), np.int32)
    _set_classes(record, coding, own)
    first = coding.first[column]
    fitting = np.empty(coding.first[column + 1] - first, np.bool_)
    for place in range(len(fitting)):
        own[column] = coding.classes[first + place]
        fitting[place] = not breaks(own, others, column, arrays)
    return fitting


@kernel
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
            _set_classes(genes[row], coding, own)
            broken[row] = breaks(own, others[row], ALL, arrays)
    return broken
