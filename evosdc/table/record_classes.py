"""Classes of values that no structural zero and no edit rule tells apart, and the rules as arrays over them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.table.edit_rules import Meant
from evosdc.table.structural_zeros import Bins, ZeroPair, places
from evosdc.table.table import Numbers, Table

Classes = NDArray[np.int32]  # classes of records, shape (n, V) or (n, W)

Flags = NDArray[np.bool_]

Conditions = Sequence[tuple[str, Meant]]  # one edit rule over the codes and numbers of a file


class RuleArrays(NamedTuple):
    """Structural zeros and edit rules over classes, V masked columns followed by W others."""

    # Few arrays, since every call of a kernel unpacks each of them. V masked columns, W others.

    # shape (V + 1,); pairs of the masked column v are rows ``first[v]`` to ``first[v + 1] - 1`` of `pairs`
    first: NDArray[np.int64]
    # shape (P, 4); the other column of the pair, and where its classes k, l are among `flags`: at ``a + k * b + l * c``
    # with the remaining entries a, b, c. A pair of masked columns stands at both.
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
    told, first, lookup = np.unique(
        np.vstack((bin_of[None], flags.astype(np.int32))), axis=1, return_index=True, return_inverse=True
    )
    return ColumnClasses(lookup.reshape(-1).astype(np.int32), edges, told[0].astype(np.int32), flags[:, first])


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
