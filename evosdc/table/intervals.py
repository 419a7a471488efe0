"""Hierarchies made by rule: intervals of numbers, and merging of neighbours in an order."""

from collections.abc import Sequence
from decimal import Decimal
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, HierarchyError
from evosdc.table.hierarchy import ROOT, Hierarchy
from evosdc.table.numerals import numeral

MOST_UNITS = 10**24  # span of numbers that decimal arithmetic of 28 digits holds with some to spare
_MANY = 1000
FINEST_INTERVALS = 16  # how many intervals the finest level of `binary_intervals` aims at


def number_intervals(
    values: Sequence[float] | NDArray[np.float64], widths: Sequence[float], start: float = 0.0, decimals: int = 0
) -> Hierarchy:
    """Return a hierarchy of numbers in intervals, one width a level, below a root."""
    unit = Decimal(10) ** decimals
    steps = [Decimal(str(width)) * unit for width in widths]
    origin = Decimal(str(start)) * unit
    whole = all(step == step.to_integral_value() for step in (*steps, origin))
    if (
        not steps
        or not whole
        or any(step < 1 for step in steps)
        or any(b % a or b <= a for a, b in pairwise(steps) if a)
    ):
        wanted = f"positive widths with at most {decimals} decimals, each a greater multiple of the one before"
        raise HierarchyError(Fault("widths", ", ".join(map(str, widths)) or "none", wanted))
    found = NumberIntervals(np.array(values, dtype=np.float64), tuple(map(int, steps)), int(origin), decimals)
    return found if len(values) > _MANY else Hierarchy(found.leaves, found.levels, found.origin)


class NumberIntervals(Hierarchy):
    """A hierarchy of many numbers, whose leaves are told where they are asked for: most files never need them."""

    def __init__(self, values: NDArray[np.float64], steps: tuple[int, ...], start: int, decimals: int) -> None:
        made = {"values": values, "steps": steps, "start": start, "decimals": decimals, "origin": "intervals"}
        self.__dict__.update(made)  # as all hierarchies, it is not changed later

    values: NDArray[np.float64]
    steps: tuple[int, ...]  # widths at levels 1, 2, ... in units of the last decimal, each a multiple of the one before
    start: int  # where an interval begins, in the same units
    decimals: int

    def named(self, origin: str) -> "NumberIntervals":
        """Return the same hierarchy with another origin."""
        other = NumberIntervals(self.values, self.steps, self.start, self.decimals)
        other.__dict__["origin"] = origin
        return other

    @property
    def content(self) -> tuple[object, ...]:
        """The rule: to write out the intervals of a million numbers takes seconds."""
        return np.unique(self.values).tobytes(), self.steps, self.start, self.decimals

    @property
    def height(self) -> int:
        """Number of levels above the leaves."""
        return len(self.steps) + 1

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The numerals of the values, in ascending order."""
        return tuple(dict.fromkeys(numeral(value, self.decimals) for value in np.unique(self.values).tolist()))

    @cached_property
    def levels(self) -> tuple[tuple[str, ...], ...]:
        """For each leaf its labels at levels 1 .. `height`."""
        unit = Decimal(10) ** self.decimals
        places = [int(Decimal(leaf) * unit) for leaf in self.leaves]
        return tuple((*(_interval(at, step, self.start, self.decimals) for step in self.steps), ROOT) for at in places)


def _interval(at: int, width: int, start: int, decimals: int) -> str:
    low = start + (at - start) // width * width
    if decimals == 0:
        return str(low) if width == 1 else f"{low}-{low + width - 1}"
    scale = Decimal(10) ** -decimals
    return f"[{low * scale}, {(low + width) * scale})"


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


def ordered_merging(labels: Sequence[str], sizes: Sequence[int] | None = None) -> Hierarchy:
    """Return a hierarchy that merges neighbours of an ordered list: ``low``, ``low..mid``, ``*``."""
    if sizes is None:
        chosen: list[int] = []
        while 2 ** (len(chosen) + 1) < len(labels):
            chosen.append(2 ** (len(chosen) + 1))
        sizes = chosen
    if any(size < 2 for size in sizes) or any(a < 2 or b % a or b <= a for a, b in pairwise(sizes)):
        wanted = "whole numbers from 2, each a greater multiple of the one before"
        raise HierarchyError(Fault("merge", ", ".join(map(str, sizes)), wanted))
    rows = []
    for position in range(len(labels)):
        row = []
        for size in sizes:
            first = position // size * size
            last = min(first + size, len(labels)) - 1
            row.append(labels[first] if first == last else f"{labels[first]}..{labels[last]}")
        rows.append((*row, ROOT))
    return Hierarchy(tuple(labels), tuple(rows), "ordered merging")
