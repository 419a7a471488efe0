"""The rules of records in force for one file: its structural zeros and edit rules, and the repair of masked files."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc.table.edit_rules import EditRule, Meant
from evosdc.table.record_classes import Classes, ColumnClasses, Flags, RuleArrays, arrays_of, classes_of_column
from evosdc.table.structural_zeros import StructuralZeros
from evosdc.table.table import Numbers, Rows, Table

# sets of cells that are tried for the repair of one record before its cells go back one after the other
MOST_TRIED = 4096


# takes the position of a masked record and returns in how many cells it differs from each original one, shape (n,)
Differences = Callable[[int], NDArray[np.int64]]


class RecordRules:
    """Structural zeros and edit rules of one file."""

    def __init__(
        self,
        table: Table,
        protect: Sequence[str],
        edit_rules: Sequence[EditRule] = (),
        zeros: StructuralZeros | None = None,
    ) -> None:
        self.original = table.select(protect)
        self.edit_rules = tuple(rule for rule in edit_rules if not set(rule.names).isdisjoint(protect))
        self.zeros = zeros
        schema, faults = self.original.schema, list[Fault]()
        meant: list[tuple[tuple[str, Meant], ...]] = []
        for number, rule in enumerate(self.edit_rules, start=1):
            try:
                meant.append(rule.meant(table.schema, f"edit_rules: rule {number}"))
            except ParameterError as error:
                faults += error.faults
        if faults:
            raise ParameterError(faults)
        own = [a.name for a in (*schema.categorical, *schema.numeric)]
        pairs = zeros.pairs if zeros is not None else ()
        used = dict.fromkeys([*(p.second for p in pairs), *(name for rule in meant for name, _ in rule)])
        others = [name for name in used if name not in own]
        bins = zeros.bins if zeros is not None else {}
        classes = {name: classes_of_column(table, name, bins.get(name), meant) for name in (*own, *others)}
        self.classes: tuple[ColumnClasses, ...] = tuple(classes[name] for name in own)
        """Of each masked column, categorical ones first."""
        self.others: Classes = _stacked([classes[name].of(table.column(name)) for name in others], len(table))
        """Classes of the columns that are not masked, as far as any rule names them, shape (n, W)."""
        self.arrays: RuleArrays = arrays_of(classes, len(own), pairs, meant)

    def classes_of(self, masked: Table) -> Classes:
        """Return the classes of the masked columns, shape (n, V)."""
        columns = [*masked.codes.T, *masked.numbers.T]
        return _stacked([c.of(column) for c, column in zip(self.classes, columns, strict=True)], len(masked))

    def broken(self, masked: Table, rows: Rows | None = None) -> Flags:
        """Return which of all or some records of a masked table hold a structural zero or break a rule, shape (m,)."""
        if rows is None:
            return self.broken_records(masked, np.arange(len(masked), dtype=np.intp))
        return self.broken_records(masked.take(rows), rows)

    def broken_records(self, records: Table, rows: Rows) -> Flags:
        """Return which of some masked records, given with their positions, hold a zero or break a rule, shape (m,)."""
        from evosdc.table.record_check import breaking_rows  # numba is loaded with it

        return breaking_rows(self.classes_of(records), self.others, rows, self.arrays)

    def repaired(self, masked: Table) -> Table:
        """Return a masked table in which every record is in order; those that are already are not changed."""
        # As few values as can be go back to the original, numbers to the middle of their class, since an exact value
        # would re-identify. Where the original breaks a rule the nearest record that keeps all gives its values.
        restored, donors = self.repairs(self.classes_of(masked), lambda row: self._differences(masked, row))
        if not restored.any() and not donors:
            return masked
        categorical = masked.codes.shape[1]
        codes = np.where(restored[:, :categorical], self.original.codes, masked.codes)
        numbers = np.where(restored[:, categorical:], self._middles, masked.numbers)
        for row, donor in donors.items():
            codes[row], numbers[row] = self.original.codes[donor], self.original.numbers[donor]
        return Table(masked.schema, codes, numbers)

    def repairs(self, own: Classes, differences: Differences) -> tuple[Flags, Mapping[int, int]]:
        """Return how a masked file is repaired, by its classes."""
        # own (n, V); returns (n, V)
        from evosdc.table.record_check import fitting_donors, restorations  # numba is loaded with it

        restored, hopeless = restorations(own, self._original_classes, self.others, MOST_TRIED, self.arrays)
        donors = {}
        for row in np.flatnonzero(hopeless).tolist():
            fitting = fitting_donors(self._original_classes, self.others[row], self.arrays)
            if not fitting.any():
                given = f"rules that record {row} breaks with the values of every record"
                every = f"rules that every record breaks ({', '.join(rule.text for rule in self.edit_rules)})"
                advice = "Correct the record or the rule; `evosdc check --data` tells how often each is broken."
                where = every if len(own) == hopeless.sum() else given
                raise ParameterError(Fault("edit_rules", where, "rules that some record keeps", advice))
            distance = np.where(fitting, differences(row), np.iinfo(np.int64).max)
            donors[row] = int(distance.argmin())
        return restored, donors

    @cached_property
    def _middles(self) -> Numbers:
        numbers, classes = self.original.numbers, self._original_classes[:, self.original.codes.shape[1] :]
        columns = [middle_of_class(*both, np.isnan(both[0])) for both in zip(numbers.T, classes.T, strict=True)]
        return np.column_stack(columns) if columns else numbers

    @cached_property
    def _original_classes(self) -> Classes:
        return self.classes_of(self.original)

    def _differences(self, masked: Table, row: int) -> NDArray[np.int64]:
        codes = (self.original.codes != masked.codes[row]).sum(axis=1)
        numbers = (self.original.numbers != masked.numbers[row]).sum(axis=1)
        return np.asarray(codes + numbers, dtype=np.int64)


Values = TypeVar("Values", bound=np.generic)


def middle_of_class(column: NDArray[Values], classes: NDArray[np.int32], missing: Flags) -> NDArray[Values]:
    """Return for each value of a column the lower median of its class, shape (n,); missing values stay as they are."""
    known = np.flatnonzero(~missing)
    order = known[np.lexsort((column[known], classes[known]))]
    _, begins, inverse, counts = np.unique(classes[order], return_index=True, return_inverse=True, return_counts=True)
    middles = column.copy()
    middles[order] = column[order[begins + (counts - 1) // 2]][inverse]
    return middles


def _stacked(columns: Sequence[NDArray[np.int32]], records: int) -> Classes:
    stacked = np.empty((records, len(columns)), dtype=np.int32)
    for place, column in enumerate(columns):
        stacked[:, place] = column
    return stacked
