"""The ladder of an attribute: its values at every level of its hierarchy, as codes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, FaultCollector, HierarchyError
from evosdc.table.hierarchy import ROOT, Hierarchy, number_intervals, ordered_merging
from evosdc.table.numerals import number, numeral
from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import MISSING, Codes, Numbers, Table

MOST_UNITS = 10**24  # span of numbers that decimal arithmetic of 28 digits holds with some to spare
FINEST_INTERVALS = 16  # how many intervals the finest level of `binary_intervals` aims at


@dataclass(frozen=True, eq=False)
class Ladder:
    """One attribute, generalised to each of its levels."""

    # Only values that occur have a code. A missing value has one of its own below the highest level and is part of the
    # root there (a reconstruction: the sources know no missing values).

    attribute: Attribute  # with the hierarchy in use
    base: NDArray[np.int64]  # shape (n,); code at level 0 of each record
    # By level: the node code of each base code, shape (c,); the label of each node code, None for a missing value; how
    # many leaves of the hierarchy lie below each node, whether they occur or not; how many records have each node.
    codes: tuple[NDArray[np.int32], ...]
    labels: tuple[tuple[str | None, ...], ...]
    leaves: tuple[NDArray[np.int64], ...]
    frequencies: tuple[NDArray[np.int64], ...]

    @property
    def height(self) -> int:
        """The highest level."""
        return len(self.codes) - 1

    @property
    def domain(self) -> int:
        """How many leaves the hierarchy has."""
        assert self.attribute.hierarchy is not None
        return len(self.attribute.hierarchy.leaves)

    def parents(self, level: int, above: int) -> NDArray[np.int32]:
        """Return the node code at level `above` of each node code at `level`."""
        result = np.zeros(len(self.labels[level]), dtype=np.int32)
        result[self.codes[level]] = self.codes[above]
        return result

    def loss(self, level: int) -> NDArray[np.int64]:
        """Return ``leaves - 1`` of each node of a level: the numerator of its loss, over ``domain - 1``."""
        return self.leaves[level] - 1


def with_hierarchy(attribute: Attribute, column: Codes | Numbers) -> tuple[Attribute, str]:
    """Return the attribute with a hierarchy, and what was built for want of one, in words; empty where it had one."""
    # Numbers are put into intervals whose width doubles from level to level. Ordered categories are merged by twos,
    # fours and so on; other categories go to the root at once. That is a reconstruction, meant to be replaced by the
    # user's own.
    if attribute.hierarchy is not None:
        return attribute, ""
    if attribute.scale is Scale.NUMERIC:
        values = np.unique(column[~np.isnan(column)])
        hierarchy = binary_intervals(values.tolist(), attribute.decimals)
        built = "intervals that double in width"
    elif attribute.scale is Scale.ORDINAL and len(attribute.categories) > 2:
        hierarchy = ordered_merging(attribute.categories)
        built = "neighbouring categories merged by twos, fours, ..."
    else:
        labels = attribute.categories or ("",)
        hierarchy = Hierarchy(labels, tuple((ROOT,) for _ in labels), f"hierarchy of {attribute.name}")
        built = f"each category below {ROOT}"
    named = hierarchy.named(f"hierarchy built for {attribute.name}")
    note = f"No hierarchy was given for {attribute.name}; one of {named.height} levels was built: {built}."
    return replace(attribute, hierarchy=named), note


def binary_intervals(values: Sequence[float], decimals: int = 0) -> Hierarchy:
    """Return a hierarchy of numbers in intervals whose width doubles from level to level."""
    # The finest width is the least of 1, 2, 5, 10, ... units of the last decimal with at most about sixteen intervals.
    numerals = sorted({Decimal(numeral(value, decimals)) for value in values})
    if len(numerals) < 3:
        leaves = tuple(str(value) for value in numerals) or ("",)
        return Hierarchy(leaves, tuple((ROOT,) for _ in leaves), "intervals")
    unit = Decimal(10) ** decimals
    if (numerals[-1] - numerals[0]) * unit >= MOST_UNITS:
        given = f"numbers with {decimals} decimals from {float(numerals[0]):g} to {float(numerals[-1]):g}"
        wanted = f"fewer than {MOST_UNITS:g} units of the last decimal"
        raise HierarchyError(Fault("intervals", given, wanted, "Round the numbers, or give a hierarchy."))
    low, high = int(numerals[0] * unit), int(numerals[-1] * unit)
    aim = min(FINEST_INTERVALS, max(len(numerals) // 2, 2))
    width = next(
        step * 10**power for power in range(40) for step in (1, 2, 5) if (high - low + 1) / (step * 10**power) <= aim
    )
    start = low // width * width
    widths = [width]
    while start + 2 * widths[-1] <= high:
        widths.append(2 * widths[-1])
    scale = Decimal(10) ** -decimals
    return number_intervals(
        [float(value) for value in numerals], [float(w * scale) for w in widths], float(start * scale), decimals
    )


def ladder_of(attribute: Attribute, column: Codes | Numbers) -> Ladder:
    """Return the ladder of a column; raises `HierarchyError` where a value is no leaf of the hierarchy."""
    hierarchy = attribute.hierarchy
    assert hierarchy is not None
    base, leaves = _occurring(attribute, hierarchy, column)
    missing = bool(len(base)) and int(base.max()) == len(leaves)
    codes, nodes = hierarchy.nodes(leaves) if leaves else (np.empty((0, hierarchy.height + 1), dtype=np.int32), ())
    whole = len(hierarchy.leaves)
    by_level, labels, sizes, frequencies = [], [], [], []
    for level in range(hierarchy.height + 1):
        below = Counter(hierarchy.generalise(hierarchy.leaves, level))
        own: tuple[str | None, ...] = nodes[level] if leaves else ()
        column_codes = codes[:, level]
        if missing:
            at_root = level == hierarchy.height and bool(own)
            own = own if at_root else (*own, ROOT if level == hierarchy.height else None)
            column_codes = np.append(column_codes, np.int32(0 if at_root else len(own) - 1))
        by_level.append(np.ascontiguousarray(column_codes, dtype=np.int32))
        labels.append(own)
        sizes.append(np.array([1 if x is None else whole if x == ROOT else below[x] for x in own], dtype=np.int64))
        frequencies.append(np.bincount(by_level[-1][base], minlength=len(own)).astype(np.int64))
    return Ladder(attribute, base, tuple(by_level), tuple(labels), tuple(sizes), tuple(frequencies))


def _occurring(
    attribute: Attribute, hierarchy: Hierarchy, column: Codes | Numbers
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Return base codes, the last one for missing values, and the leaf of each other code."""
    absent = column == MISSING if attribute.categorical else np.isnan(column)
    values, position = np.unique(column[~absent], return_inverse=True)
    base = np.full(len(column), len(values), dtype=np.int64)
    base[~absent] = position.reshape(-1)
    if attribute.categorical:
        leaves = tuple(attribute.categories[int(value)] for value in values)
    else:
        by_number = {number(leaf): leaf for leaf in hierarchy.leaves}
        leaves = tuple(by_number.get(v, numeral(v, attribute.decimals)) for v in map(float, values))
    lacking = hierarchy.lacking(leaves)
    if lacking:
        given = f"no line for {lacking[0]!r}" + (f" and {len(lacking) - 1} more" if len(lacking) > 1 else "")
        raise HierarchyError(Fault(hierarchy.origin, given, f"all values of {attribute.name}", "Add a line for each."))
    return base, leaves


def ladders_of(table: Table) -> tuple[tuple[Ladder, ...], tuple[str, ...]]:
    """Return the ladders of a table's attributes, and what was built for want of hierarchies, in words."""
    collect, ladders, notes = FaultCollector(), [], []
    for given in table.schema.attributes:
        column = table.column(given.name)
        attribute, note = with_hierarchy(given, column)
        notes += [note] if note else []
        with collect.step():
            ladders.append(ladder_of(attribute, column))
    if collect.faults:
        raise HierarchyError(collect.faults)
    return tuple(ladders), tuple(notes)
