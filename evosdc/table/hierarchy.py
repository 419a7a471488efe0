"""Generalization hierarchies: each leaf with the labels that represent it at every level above."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import accumulate, pairwise
from operator import and_, eq
from typing import Self

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, HierarchyError
from evosdc.printing import printable
from evosdc.table.numerals import numeral

ROOT = "*"


@dataclass(frozen=True)
class Hierarchy:
    """A generalization hierarchy."""

    leaves: tuple[str, ...]  # the values of the attribute, each once
    levels: tuple[tuple[str, ...], ...]  # for each leaf its labels at levels 1 .. `height`, from the finest to the root
    origin: str = field(default="hierarchy", compare=False)  # file or builder, for messages
    # what the levels are called, from the leaves on, the root left out or not; empty where they have no names
    names: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        faults = _faults(self.leaves, self.levels, self.origin)
        if (
            self.names
            and not faults
            and (len(self.names) - self.height not in (0, 1) or len(set(self.names)) < len(self.names))
        ):
            wanted = f"{self.height} different names, or {self.height + 1} with the root's, from the leaves on"
            faults = [Fault(self.origin, f"{len(self.names)} names of levels", wanted)]
        if faults:
            raise HierarchyError(faults)

    def named(self, origin: str) -> Self:
        """Return the same hierarchy with another origin."""
        other = copy(self)
        object.__setattr__(other, "origin", origin)
        return other

    @property
    def content(self) -> tuple[object, ...]:
        """Its identity, independent of its name."""
        return self.leaves, self.levels

    @property
    def height(self) -> int:
        """Number of levels above the leaves."""
        return len(self.levels[0])

    @cached_property
    def position(self) -> Mapping[str, int]:
        """Position of each leaf."""
        return {leaf: position for position, leaf in enumerate(self.leaves)}

    def path(self, label: str) -> tuple[str, ...]:
        """Return a leaf and its labels at levels 1 .. `height`."""
        return (label, *self.levels[self._positions([label])[0]])

    def generalise(self, labels: Sequence[str], level: int) -> tuple[str, ...]:
        """Return the labels that represent leaves at a level; level 0 is the leaves themselves."""
        if not 0 <= level <= self.height:
            raise HierarchyError(Fault(self.origin, f"level {level}", f"a level from 0 to {self.height}"))
        positions = self._positions(labels)
        return tuple(labels) if level == 0 else tuple(self.levels[p][level - 1] for p in positions)

    def nodes(self, categories: Sequence[str]) -> tuple[NDArray[np.int32], tuple[tuple[str, ...], ...]]:
        """Return the nodes above an attribute's categories as codes."""
        # returns codes (c, height + 1)
        codes = np.empty((len(categories), self.height + 1), dtype=np.int32)
        labels = []
        for level in range(self.height + 1):
            seen: dict[str, int] = {}
            codes[:, level] = [seen.setdefault(label, len(seen)) for label in self.generalise(categories, level)]
            labels.append(tuple(seen))
        return codes, tuple(labels)

    def common_levels(self, categories: Sequence[str]) -> NDArray[np.int64]:
        """Return the level of the lowest common ancestor of each two categories, shape (c, c), 0 on the diagonal."""
        # Labels nest, so two categories are apart at a level exactly if their common ancestor lies above it.
        below = self.nodes(categories)[0][:, :-1]
        return np.asarray((below[:, None] != below).sum(axis=2), dtype=np.int64)

    def lacking(self, categories: Iterable[str]) -> tuple[str, ...]:
        """Return those of the categories that are no leaves."""
        return tuple(label for label in categories if label not in self.position)

    def with_leaves(self, labels: Iterable[str]) -> "Hierarchy":
        """Return the hierarchy with further leaves, such as new codes of diseases."""
        # Each is below the lowest label that all leaves with its longest known beginning have in common.
        further = list(labels)
        levels = list(self.levels)
        for label in further:
            shared = [sum(accumulate(map(eq, label, leaf), and_)) for leaf in self.leaves]
            longest = max(shared)
            alike = [row for row, length in zip(self.levels, shared, strict=True) if length == longest]
            at = next(level for level in range(self.height) if len({row[level] for row in alike}) == 1)
            levels.append((*[label] * at, *alike[0][at:]))
        return Hierarchy((*self.leaves, *further), tuple(levels), self.origin, self.names)

    @classmethod
    def from_edges(cls, edges: Iterable[Sequence[str]], origin: str = "hierarchy") -> "Hierarchy":
        """Return the hierarchy of ``(child, parent)`` pairs."""
        # A leaf nearer to the root keeps its own label on the levels in between.
        parent: dict[str, str] = {}
        faults = []
        for child, above in edges:
            if parent.setdefault(child, above) != above:
                given = f"{child!r} below {parent[child]!r} and {above!r}"
                faults.append(Fault(origin, given, "one parent for each label", "Remove one of the lines."))
        try:
            TopologicalSorter({child: (above,) for child, above in parent.items()}).prepare()
        except CycleError as error:
            circle = error.args[1][::-1]
            shown = " below ".join(map(repr, circle[:4])) + (" below ..." if len(circle) > 4 else "")
            given = f"labels that are above themselves: {shown}"
            faults.append(Fault(origin, given, "lines that lead from leaves to one root", "The root has no line."))
        if faults:
            raise HierarchyError(faults)
        inner = set(parent.values())
        paths: dict[str, list[str]] = {}
        for leaf in (label for label in parent if label not in inner):
            path = [leaf]
            while path[-1] in parent:
                path.append(parent[path[-1]])
            paths[leaf] = path[1:]
        height = max(map(len, paths.values()), default=0)
        levels = tuple((*[leaf] * (height - len(path)), *path) for leaf, path in paths.items())
        return cls(tuple(paths), levels, origin)

    def _positions(self, labels: Sequence[str]) -> list[int]:
        unknown = self.lacking(labels)
        if unknown:
            more = f" (and {len(unknown) - 1} more)" if len(unknown) > 1 else ""
            raise HierarchyError(
                Fault(self.origin, f"{unknown[0]!r}{more}", "a leaf of the hierarchy", "Add a line for it.")
            )
        return [self.position[label] for label in labels]


def _faults(leaves: Sequence[str], levels: Sequence[Sequence[str]], origin: str) -> list[Fault]:
    if not leaves or not levels or len(leaves) != len(levels):
        return [Fault(origin, "no leaf", "a line for each value: value;level 1;...;*")]
    faults = []
    height = len(levels[0])
    ragged = [leaf for leaf, labels in zip(leaves, levels, strict=True) if len(labels) != height]
    if height == 0:
        faults.append(Fault(origin, "values without a level above them", "value;level 1;...;*", "Check the separator."))
    if ragged:
        given = f"{len(ragged)} lines of another length, the first for {ragged[0]!r}"
        faults.append(Fault(origin, given, f"{height + 1} columns in each line, as in the first"))
    repeated = sorted({leaf for leaf, count in Counter(leaves).items() if count > 1})
    if repeated:
        more = f" (and {len(repeated) - 1} more)" if len(repeated) > 1 else ""
        faults.append(Fault(origin, f"{repeated[0]!r} on two lines{more}", "each value once", "Remove the repetition."))
    blank = [leaf for leaf, labels in zip(leaves, levels, strict=True) if not all(label.strip() for label in labels)]
    if blank:
        more = f" (and {len(blank) - 1} more)" if len(blank) > 1 else ""
        given = f"an empty label above {blank[0]!r}{more}"
        faults.append(Fault(origin, given, "a label at every level", "It would be published as a missing value."))
    if ragged or height == 0 or blank:
        return faults
    for level in range(1, height):
        parents: dict[str, set[str]] = {}
        for labels in levels:
            parents.setdefault(labels[level - 1], set()).add(labels[level])
        for label, above in parents.items():
            if len(above) > 1:
                given = f"{label!r} at level {level} below {' and '.join(map(repr, sorted(above)))}"
                faults.append(Fault(origin, given, "one label above each label", "Give the groups different labels."))
    roots = sorted({labels[-1] for labels in levels})
    if len(roots) > 1:
        shown = printable(", ".join(roots[:5])) + (", ..." if len(roots) > 5 else "")
        given = f"{len(roots)} labels at the highest level ({shown})"
        faults.append(Fault(origin, given, "one root for all values", f"Add a last column that is {ROOT} throughout."))
    return faults


def prefix_hierarchy(labels: Iterable[str], steps: Sequence[int] | None = None) -> Hierarchy:
    """Return a hierarchy that masks characters from the right, as of post codes: ``432``, ``43*``, ``4**``, ``*``."""
    leaves = sorted(set(labels))
    longest = max(map(len, leaves), default=0)
    masked = tuple(range(1, longest)) if steps is None else tuple(steps)
    if any(b <= a for a, b in pairwise((0, *masked, longest))) and longest:
        raise HierarchyError(
            Fault("steps", ", ".join(map(str, masked)) or "none", f"rising whole numbers from 1 to {longest - 1}")
        )
    return Hierarchy(
        tuple(leaves),
        tuple((*(leaf[: longest - m].ljust(longest, ROOT) for m in masked), ROOT) for leaf in leaves),
        "prefix hierarchy",
    )


_MANY = 1000


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
    """A hierarchy of many numbers, whose leaves are computed at first use: most files never need them."""

    def __init__(self, values: NDArray[np.float64], steps: tuple[int, ...], start: int, decimals: int) -> None:
        made = {"values": values, "steps": steps, "start": start, "decimals": decimals, "origin": "intervals"}
        self.__dict__.update(made)  # as all hierarchies, it is not changed later

    values: NDArray[np.float64]
    steps: tuple[int, ...]  # widths at levels 1, 2, ... in units of the last decimal, each a multiple of the one before
    start: int  # where an interval begins, in the same units
    decimals: int

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
        return tuple(
            (*(_number_interval(at, step, self.start, self.decimals) for step in self.steps), ROOT) for at in places
        )


def _number_interval(at: int, width: int, start: int, decimals: int) -> str:
    low = start + (at - start) // width * width
    if decimals == 0:
        return str(low) if width == 1 else f"{low}-{low + width - 1}"
    scale = Decimal(10) ** -decimals
    return f"[{low * scale}, {(low + width) * scale})"


def ordered_merging(
    labels: Sequence[str],
    sizes: Sequence[int] | None = None,
    label: Callable[[str, str], str] = lambda low, high: low if low == high else f"{low}..{high}",
) -> Hierarchy:
    """Return a hierarchy that merges neighbours of an ordered list: ``low``, ``low..mid``, ``*``."""
    if sizes is None:
        sizes = [2**power for power in range(1, (len(labels) - 1).bit_length())]
    if any(size < 2 for size in sizes) or any(a < 2 or b % a or b <= a for a, b in pairwise(sizes)):
        wanted = "whole numbers from 2, each a greater multiple of the one before"
        raise HierarchyError(Fault("merge", ", ".join(map(str, sizes)), wanted))
    rows = []
    for position in range(len(labels)):
        row = []
        for size in sizes:
            first = position // size * size
            last = min(first + size, len(labels)) - 1
            row.append(label(labels[first], labels[last]))
        rows.append((*row, ROOT))
    return Hierarchy(tuple(labels), tuple(rows), "ordered merging")
