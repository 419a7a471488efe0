"""Partitions of an attribute's values, the same for all records, and what each group of them publishes.

Partitions of numbers: intervals of one width, intervals between cut points, and the levels of a hierarchy.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc.table.generalisation import bound_label, interval_label, number_interval_label, set_label
from evosdc.table.numerals import MOST_DECIMALS, decimals_of, numeral
from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import Codes, Numbers
from evosdc_masking.averages import lower_median, mode

Groups = NDArray[np.int64]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Grouping:
    """Which values belong together."""

    # For an attribute of categories the group of each category, shape (c,); for a numeric one that of each record,
    # shape (n,), -1 where its value is missing
    groups: Groups
    labels: tuple[str, ...]  # what represents each group


def merged_categories(attribute: Attribute, merge: Sequence[Sequence[int]], names: Sequence[str] = ()) -> Grouping:
    """Return the partition of an attribute's categories in which some are merged and the others stay by themselves."""
    # Without names groups are labelled by intervals of ordinal neighbours and by sets.
    groups = np.arange(len(attribute.categories), dtype=np.int64)
    labels = list(attribute.categories)
    for number, codes in enumerate(merge):
        members = sorted(int(code) for code in codes)
        if members:
            groups[members] = members[0]
            labels[members[0]] = names[number] if names else _label(attribute, members)
    return Grouping(groups, tuple(labels))


def _label(attribute: Attribute, members: Sequence[int]) -> str:
    names = [attribute.categories[code] for code in members]
    if attribute.scale is Scale.ORDINAL and members[-1] - members[0] == len(members) - 1:
        return interval_label(names[0], names[-1])
    return set_label(names)


def by_rarity(counts: Counts) -> Groups:
    """Return the categories that occur, from the rarest to the most frequent, equal ones in their own order."""
    order = np.argsort(counts, kind="stable")
    return order[counts[order] > 0].astype(np.int64)


def representatives(partition: Grouping, counts: Counts, scale: Scale) -> Codes:
    """Return the category that represents each category's group, shape (c + 1,); the last is of a missing value."""
    # Ordinal: the lower median of the group's records; nominal: its most frequent member, the first in a tie.
    recoding = np.append(np.arange(counts.size), -1).astype(np.int32)
    average = lower_median if scale is Scale.ORDINAL else mode
    shared = np.flatnonzero(np.bincount(partition.groups, minlength=1) > 1)
    for group in shared:
        members = partition.groups == group
        found = int(average(np.where(members, counts, 0)))
        # what does not occur is not published, so any member will do
        recoding[:-1][members] = found if found >= 0 else np.flatnonzero(members)[0]
    return recoding


def middle_numbers(partition: Grouping, column: Numbers) -> Numbers:
    """Return for each record the lower median of its group's numbers, shape (n,), NaN for a missing value."""
    published = np.full(column.shape, np.nan)
    present = np.flatnonzero(partition.groups >= 0)
    order = present[np.lexsort((column[present], partition.groups[present]))]
    _, starts, sizes = np.unique(partition.groups[order], return_index=True, return_counts=True)
    published[order] = np.repeat(column[order[starts + (sizes - 1) // 2]], sizes)
    return published


USUAL_INTERVALS = 10
FINEST = 1e9  # into how many intervals the range of an attribute may be divided at most


def usual_width(column: Numbers) -> float:
    """Return a tenth of the range of a column's numbers, rounded down to one digit; 1 where it has no range."""
    present = column[~np.isnan(column)]
    # as decimal numbers, since the range of the largest floats is itself none
    span = Decimal(float(present.max())) - Decimal(float(present.min())) if present.size else Decimal(0)
    if span == 0:
        return 1.0
    width = span / USUAL_INTERVALS
    digit = Decimal(1).scaleb(width.adjusted())
    return float(int(width / digit) * digit)


def least_width(column: Numbers) -> float:
    """Return the least width of intervals that a column can be put into."""
    present = column[~np.isnan(column)]
    least = 10.0**-MOST_DECIMALS
    return max(float(np.abs(present).max()) / FINEST, least) if present.size else least


def equal_intervals(column: Numbers, width: float, start: float, decimals: int) -> Grouping:
    """Return the partition into the intervals ``[start + i width, start + (i + 1) width)``."""
    # Ends are computed as decimal numbers, so that 0.3 is where an interval of width 0.1 begins.
    present = ~np.isnan(column)
    values = column[present]
    step, origin = _decimal(width), _decimal(start)
    at = np.floor((values - start) / width).astype(np.int64)
    steps = np.unique(np.concatenate((at, at + 1)))
    ends = np.array([float(origin + int(i) * step) for i in steps])
    at = at - (values < ends[np.searchsorted(steps, at)]) + (values >= ends[np.searchsorted(steps, at + 1)])
    found, numbers = np.unique(at, return_inverse=True)
    groups = np.full(column.shape, -1, dtype=np.int64)
    groups[present] = numbers.reshape(-1)
    digits = max(decimals, decimals_of((f"{step:f}", f"{origin:f}")))
    lows = [origin + int(i) * step for i in found]
    labels = tuple(number_interval_label(float(low), float(low + step), digits, closed=False) for low in lows)
    return Grouping(groups, labels)


def between_cuts(column: Numbers, cuts: Sequence[float], decimals: int) -> Grouping:
    """Return the partition by cut points: below the first, from each to the next, from the last on."""
    ascending = sorted({float(_decimal(cut)) for cut in cuts})
    groups = np.searchsorted(ascending, column, side="right").astype(np.int64)
    groups[np.isnan(column)] = -1
    digits = max(decimals, decimals_of(f"{_decimal(cut):f}" for cut in ascending))
    labels = [bound_label(numeral(ascending[0], digits), above=False, closed=False)]
    for low, high in pairwise(ascending):
        labels.append(number_interval_label(low, high, digits, closed=False))
    return Grouping(groups, (*labels, bound_label(numeral(ascending[-1], digits), above=True)))


def some_intervals(column: Numbers, number: int, spacing: str, decimals: int, place: str) -> Grouping:
    """Return the partition into a number of intervals, fewer where some would hold nothing or ends coincide."""
    # Ends are rounded to a hundredth of the interval or more, the outer ones outwards: no label tells a single record's
    # value, such as the greatest one.
    present = column[~np.isnan(column)]
    if not present.size or present.min() == present.max():
        label = number_interval_label(float(present.min()), float(present.max()), decimals) if present.size else "*"
        return Grouping(np.where(np.isnan(column), -1, 0).astype(np.int64), (label,))
    low, high = float(present.min()), float(present.max())
    if spacing == "log":
        if low <= 0.0:
            wanted = "positive numbers"
            raise ParameterError(
                Fault(place, f"logarithms of numbers from {low:g} on", wanted, "Take another spacing.")
            )
        inner = np.exp(np.linspace(np.log(low), np.log(high), number + 1)[1:-1])
    elif spacing == "quantile":
        inner = np.sort(present)[present.size * np.arange(1, number) // number]
    else:
        inner = low + (high / number - low / number) * np.arange(1, number)
    ends = _rounded(np.unique([low, *inner[(inner > low) & (inner <= high)], high]))
    cuts = np.array([float(end) for end in ends[1:-1]])
    groups = np.searchsorted(cuts, column, side="right").astype(np.int64)
    groups[np.isnan(column)] = -1
    digits = max(decimals, decimals_of(f"{end:f}" for end in ends))
    labels = [number_interval_label(float(a), float(b), digits, closed=False) for a, b in pairwise(ends[:-1])]
    labels.append(number_interval_label(float(ends[-2]), float(ends[-1]), digits))
    return Grouping(groups, tuple(labels))


def _rounded(ends: Numbers) -> list[Decimal]:
    """Return ascending ends in digits of a hundredth of the shorter interval beside each; the outer ones outwards."""
    gaps = np.diff(ends)
    beside = np.minimum(np.append(gaps, gaps[-1]), np.insert(gaps, 0, gaps[0]))
    found: list[Decimal] = []
    for place, (end, gap) in enumerate(zip(ends.tolist(), beside.tolist(), strict=True)):
        unit = Decimal(1).scaleb(max(Decimal(gap).adjusted() - 1, -MOST_DECIMALS))
        way = ROUND_FLOOR if place == 0 else ROUND_CEILING if place == len(gaps) else ROUND_HALF_EVEN
        found.append((Decimal(end) / unit).to_integral_value(way) * unit)
    return found


def numbers_at_level(attribute: Attribute, column: Numbers, level: int) -> Grouping:
    """Return the partition of numbers by a level of the attribute's hierarchy, whose leaves are numerals."""
    assert attribute.hierarchy is not None
    present = ~np.isnan(column)
    distinct, position = np.unique(column[present], return_inverse=True)
    leaves = [numeral(value, attribute.decimals) for value in distinct.tolist()]
    above = attribute.hierarchy.generalise(leaves, level)
    labels = tuple(dict.fromkeys(above))
    code = {label: number for number, label in enumerate(labels)}
    groups = np.full(column.shape, -1, dtype=np.int64)
    groups[present] = np.array([code[label] for label in above], dtype=np.int64)[position.reshape(-1)]
    return Grouping(groups, labels)


def _decimal(value: float) -> Decimal:
    """Return the number that a user wrote, with as many decimals as a label can show."""
    return Decimal(numeral(round(value, MOST_DECIMALS), MOST_DECIMALS) if abs(value) < 1 else str(value)).normalize()
