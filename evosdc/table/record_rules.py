"""The rules of records in force for one file: its structural zeros and edit rules, and the repair of masked files."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc.table.edit_rules import EditRule, Meant, edit_rule_faults
from evosdc.table.structural_zeros import Bins, StructuralZeros, ZeroPair, places
from evosdc.table.table import Numbers, Rows, Table

Classes = NDArray[np.int32]  # classes of records, shape (n, V) or (n, W)
Flags = NDArray[np.bool_]
Conditions = Sequence[tuple[str, Meant]]  # one edit rule over the codes and numbers of a file


class RuleArrays(NamedTuple):
    """Structural zeros and edit rules over classes, V masked columns followed by W others."""

    # Few arrays, since every call of a kernel unpacks each of them.
    # shape (V + 1,); pairs of the masked column v are rows ``first[v]`` to ``first[v + 1] - 1`` of `pairs`
    first: NDArray[np.int64]
    # shape (P, 4); the other column of the pair, and where its classes k, l are among `flags`: at ``a + k * b + l * c``
    # with the remaining entries a, b, c. A pair of masked columns is in both lists.
    pairs: NDArray[np.int64]
    # shape (R + 1,); conditions of rule r are rows ``rule_first[r]`` to ``rule_first[r + 1] - 1`` of `conditions`
    rule_first: NDArray[np.int64]
    conditions: NDArray[np.int64]  # shape (Q, 2); the column of the condition, and where the flags of its classes begin
    flags: Flags  # whether a pair of classes is a structural zero; whether a class meets a condition


class ColumnClasses(NamedTuple):
    """The classes of one column."""

    # shape (c + 1,); the class of each category, or of each interval between edges; the last entry is that of a missing
    # value
    lookup: NDArray[np.int32]
    edges: Numbers | None  # as of `evosdc.table.structural_zeros.Bins`
    bins: NDArray[np.int32]  # shape (k,); the bin that structural zeros take each class for
    flags: Flags  # shape (R, k); for each rule, whether its condition on this column is met; True where it has none

    def of(self, column: NDArray[np.int32] | Numbers) -> NDArray[np.int32]:
        """Return the classes of a column, shape (n,)."""
        return self.lookup[places(column, self.edges, len(self.lookup))]


def classes_of_column(table: Table, name: str, bins: Bins | None, rules: Sequence[Conditions]) -> ColumnClasses:
    """Return the coarsest classes of a column that bins and rules are functions of."""
    attribute = table.schema[name]
    meant = [dict(rule).get(name) for rule in rules]
    edges: Numbers | None = None
    size = len(attribute.categories) + 1
    bin_of = np.zeros(size, dtype=np.int32) if bins is None else bins.bins
    if not attribute.categorical:
        bounds = [interval for interval in meant if isinstance(interval, tuple)]
        ends = [end for low, high in bounds for end in (low, np.nextafter(high, np.inf))]
        edges = np.unique([*ends, *(bins.edges if bins is not None and bins.edges is not None else ())])
        size = len(edges) + 2
        # A value of each interval: the edge that it begins at.
        values = np.concatenate(([-np.inf], edges, [np.nan]))
        bin_of = np.zeros(size, dtype=np.int32) if bins is None else bins.of(values)
    flags = np.ones((len(rules), size), dtype=bool)
    for row, condition in zip(flags, meant, strict=True):
        if isinstance(condition, tuple):
            row[:] = (condition[0] <= values) & (values <= condition[1])
        elif condition is not None:
            row[:] = condition
    distinct, first, lookup = np.unique(
        np.vstack((bin_of[None], flags.astype(np.int32))), axis=1, return_index=True, return_inverse=True
    )
    return ColumnClasses(lookup.reshape(-1).astype(np.int32), edges, distinct[0].astype(np.int32), flags[:, first])


def arrays_of(
    columns: Mapping[str, ColumnClasses], masked: int, pairs: Sequence[ZeroPair], rules: Sequence[Conditions]
) -> RuleArrays:
    """Return structural zeros and rules as the kernels read them."""
    place = {name: position for position, name in enumerate(columns)}
    entries: list[list[tuple[int, int, int, int]]] = [[] for _ in range(masked)]
    tables, offset = [np.zeros(0, dtype=bool)], 0
    for pair in pairs:
        v, w = place[pair.first], place[pair.second]
        zeros = pair.zeros[np.ix_(columns[pair.first].bins, columns[pair.second].bins)]
        entries[v].append((w, offset, zeros.shape[1], 1))
        if w < masked:
            entries[w].append((v, offset, 1, zeros.shape[1]))
        tables.append(zeros.reshape(-1))
        offset += zeros.size
    conditions = []
    for r, rule in enumerate(rules):
        for name, _ in rule:
            conditions.append((place[name], offset))
            tables.append(columns[name].flags[r])
            offset += len(tables[-1])
    return RuleArrays(
        first=_firsts([len(own) for own in entries]),
        pairs=np.array([entry for own in entries for entry in own], dtype=np.int64).reshape(-1, 4),
        rule_first=_firsts([len(rule) for rule in rules]),
        conditions=np.array(conditions, dtype=np.int64).reshape(-1, 2),
        flags=np.concatenate(tables),
    )


def _firsts(sizes: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64))).astype(np.int64)


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
        schema = self.original.schema
        if faults := edit_rule_faults(self.edit_rules, table.schema):
            raise ParameterError(faults)
        meant = [rule.meant(table.schema) for rule in self.edit_rules]
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

    def broken(self, records: Table, rows: Rows | None = None) -> Flags:
        """Return which masked records, those at some positions or all, hold a zero or break a rule, shape (m,)."""
        return self.breaking(self.classes_of(records), np.arange(len(records)) if rows is None else rows)

    def breaking(self, own: Classes, rows: Rows) -> Flags:
        """Return which of some masked records, given by their classes and positions, break a rule, shape (m,)."""
        from evosdc.table.record_check import breaking_rows  # numba is loaded with it

        return breaking_rows(own, self.others, rows, self.arrays)

    def repaired(self, masked: Table) -> Table:
        """Return a masked table without forbidden records; other records are not changed."""
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
        from evosdc.table.record_check import breaking_rows, restorations  # numba is loaded with it

        restored, hopeless = restorations(own, self._original_classes, self.others, MOST_TRIED, self.arrays)
        donors = {}
        for row in np.flatnonzero(hopeless).tolist():
            beside = np.zeros(len(self.original), dtype=np.intp)
            fitting = ~breaking_rows(self._original_classes, self.others[row][None], beside, self.arrays)
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


def middle_of_class(column: NDArray[Values], classes: NDArray[np.integer[Any]], missing: Flags) -> NDArray[Values]:
    """Return for each value of a column the lower median of its class, shape (n,); missing values stay as they are."""
    known = np.flatnonzero(~missing)
    order = known[np.lexsort((column[known], classes[known]))]
    _, begins, inverse, counts = np.unique(classes[order], return_index=True, return_inverse=True, return_counts=True)
    middles = column.copy()
    middles[order] = column[order[begins + (counts - 1) // 2]][inverse]
    return middles


def _stacked(columns: Sequence[NDArray[np.int32]], records: int) -> Classes:
    return np.ascontiguousarray(np.array(columns, dtype=np.int32).reshape(len(columns), records).T)
