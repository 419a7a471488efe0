"""What a published table shows by the original's hierarchies: classes, suppressed records, losses of its values.

A label of the hierarchy counts the leaves below it, whether they occur or not, numbers too: figures then agree with
those of full-domain generalisation. Any other interval of numbers, as local recodings publish them, loses its span
relative to the span of the original (Iyengar, 2002), cut to it. A set or an interval of categories counts them. The
level of a label that the hierarchy does not have is that of the lowest node above all that it stands for: a
reconstruction.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import DataError, Fault, FaultCollector
from evosdc.table.generalisation import Extent, LabelReader
from evosdc.table.hierarchy import ROOT
from evosdc.table.numerals import number, numeral
from evosdc.table.table import Table
from evosdc_lattice.ladder import Ladder


@dataclass(frozen=True, slots=True)
class LabelCoverage:
    """What a label stands for."""

    leaves: int  # of the hierarchy
    loss: float  # ``leaves - 1``, or what stands for it for an interval of numbers
    records: int  # of the original whose value is among them; 0 for a value that stands for itself alone
    level: int


ITSELF = LabelCoverage(1, 0.0, 0, 0)  # a value that stands for itself alone


class CoverageReader:
    """Reads the labels of one attribute."""

    def __init__(self, ladder: Ladder) -> None:
        assert ladder.attribute.hierarchy is not None
        self._ladder = ladder
        self._hierarchy = ladder.attribute.hierarchy
        self._labels = LabelReader(ladder.attribute)
        self._root = ladder.labels[-1][0]
        self._nodes: dict[str, LabelCoverage] = {}
        for level in range(ladder.height, -1, -1):
            # The least level of a label that stands on several is the one that counts.
            places = zip(ladder.labels[level], ladder.leaves[level], ladder.frequencies[level], strict=True)
            for label, below, records in places:
                if label is not None:
                    found = int(records) if level else 0
                    self._nodes[label] = LabelCoverage(int(below), float(below - 1), found, level)
        leaves = (*self._hierarchy.leaves, *ladder.labels[0])
        self._numbers = {leaf: number(leaf) for leaf in leaves if leaf is not None}

    def is_root(self, label: str) -> bool:
        """Whether a label stands for everything."""
        return label in (self._root, ROOT) and label not in self._ladder.attribute.code

    def read(self, label: str) -> LabelCoverage | None:
        """Return what a label stands for, or None where it is no label of the attribute."""
        if label in self._nodes:
            return self._nodes[label]
        if self.is_root(label):
            domain = self._ladder.domain
            return LabelCoverage(domain, float(domain - 1), len(self._ladder.base), self._ladder.height)
        extent = self._labels.read(label)
        if extent is None or extent.low == extent.high or len(extent.codes) == 1:
            return None if extent is None else ITSELF
        ladder, hierarchy = self._ladder, self._hierarchy
        covered = {ladder.attribute.categories[code] for code in extent.codes}
        below = [at for at, labels in enumerate(hierarchy.levels) if label in labels]
        inside = below or [at for at, leaf in enumerate(hierarchy.leaves) if self._covers(extent, covered, leaf)]
        leaves = max(len(inside), 1)
        loss = float(leaves - 1) if covered or below else self._span(extent) * (ladder.domain - 1)
        occurring = [value is not None and self._covers(extent, covered, value) for value in ladder.labels[0]]
        records = int(ladder.frequencies[0][np.array(occurring, dtype=bool)].sum())
        # The least level at which all leaves inside share a label.
        above = (len({hierarchy.levels[at][level] for at in inside}) for level in range(ladder.height - 1))
        shared = (level + 1 for level, labels in enumerate(above) if labels < 2)
        return LabelCoverage(leaves, loss, records, next(shared, ladder.height))

    def _covers(self, extent: Extent, covered: set[str], leaf: str) -> bool:
        if covered:
            return leaf in covered
        value = self._numbers[leaf]
        return value is not None and extent.covers(value)

    def _span(self, extent: Extent) -> float:
        values = [self._numbers[label] for label in self._ladder.labels[0] if label is not None]
        occurring = [value for value in values if value is not None] or [0.0]
        low, high = min(occurring), max(occurring)
        covered = min(extent.high, high) - max(extent.low, low)
        return max(covered, 0.0) / (high - low) if high > low else 0.0


@dataclass(frozen=True)
class TableSummary:
    """What a published table shows."""

    n: int
    suppressed: int  # records
    sizes: NDArray[np.int64]  # of the classes, suppressed records left out
    # By attribute from here on. Sums over records of leaves - 1; the former takes the span of an interval of numbers in
    # place of its leaves.
    leaf_losses: tuple[float, ...]
    leaf_counts: tuple[float, ...]
    bits: tuple[float, ...]  # non-uniform entropy
    # The same with suppressed records at the level of the others, or as they were where these stand on no one level;
    # and the bits from there to the root among the suppressed records alone.
    generalised_bits: tuple[float, ...]
    suppressed_bits: tuple[float, ...]
    # The least level at which all values stand, suppressed records left out; where they do not stand on one level, the
    # mean level of the values. The highest level where all records are suppressed.
    levels: tuple[float, ...]
    domains: tuple[int, ...]  # leaves of the hierarchy
    heights: tuple[int, ...]  # the highest level


@dataclass(frozen=True, eq=False)
class _ColumnSummary:
    codes: NDArray[np.int64]
    labels: tuple[str | None, ...]
    coverages: tuple[LabelCoverage, ...]
    emptied: NDArray[np.bool_]  # where a value is missing that the original has
    root: NDArray[np.bool_]


def summarise_table(ladders: Sequence[Ladder], masked: Table) -> TableSummary:
    """Return what a published table shows of the original that the ladders were made from."""
    # A value of the attribute itself covers itself alone. A value that is missing in the published table only is
    # suppressed, as the root is; a record all of whose values are suppressed is a suppressed record.
    columns = _columns(ladders, masked)
    suppressed = np.all([column.root for column in columns], axis=0)
    codes = np.stack([column.codes for column in columns], axis=1)[~suppressed]
    sizes = np.unique(codes, axis=0, return_counts=True)[1] if len(codes) else np.zeros(0)
    read = [_read(ladder, column, suppressed) for ladder, column in zip(ladders, columns, strict=True)]
    domains, heights = tuple(ladder.domain for ladder in ladders), tuple(ladder.height for ladder in ladders)
    losses, counts, bits, generalised, gone, levels = zip(*read, strict=True)
    facts = len(masked), int(suppressed.sum()), sizes.astype(np.int64)
    return TableSummary(*facts, losses, counts, bits, generalised, gone, levels, domains, heights)


def covered_leaves(ladders: Sequence[Ladder], masked: Table) -> NDArray[np.float64]:
    """Return how many leaves each published value stands for, shape (n, V); a suppressed one for all of its domain."""
    found = []
    for ladder, column in zip(ladders, _columns(ladders, masked), strict=True):
        leaves = np.array([coverage.leaves for coverage in column.coverages], dtype=np.float64)[column.codes]
        found.append(np.where(column.emptied, float(ladder.domain), leaves))
    return np.column_stack(found)


def _columns(ladders: Sequence[Ladder], masked: Table) -> list[_ColumnSummary]:
    """Return the columns as read; raises `DataError` where labels of attributes stand for nothing in their domain."""
    collect, columns = FaultCollector(), []
    for ladder in ladders:
        with collect.step():
            columns.append(_column(ladder, masked))
    if collect.faults:
        raise DataError(collect.faults)
    return columns


def _column(ladder: Ladder, masked: Table) -> _ColumnSummary:
    attribute = masked.schema[ladder.attribute.name]
    values = masked.column(attribute.name)
    present, codes = np.unique(values, return_inverse=True)
    codes = codes.reshape(-1).astype(np.int64)
    labels: list[str | None]
    if attribute.categorical:
        labels = [None if value < 0 else attribute.categories[int(value)] for value in present]
    else:
        labels = [None if np.isnan(value) else numeral(float(value), attribute.decimals) for value in present]
    reader = CoverageReader(ladder)
    found = [ITSELF if label is None else reader.read(label) for label in labels]
    strange = [label for label, coverage in zip(labels, found, strict=True) if coverage is None]
    if strange:
        given = f"the label {strange[0]!r}" + (f" and {len(strange) - 1} more" if strange[1:] else "")
        wanted = "values of the original, labels of its hierarchy, [a, b], {a, b}, >= a, <= a or *"
        advice = "Give the schema the hierarchy that the labels are of."
        raise DataError(Fault(f"masked: {attribute.name}", given, wanted, advice))
    absent = np.array([label is None for label in ladder.labels[0]], dtype=bool)[ladder.base]
    emptied = np.array([label is None for label in labels], dtype=bool)[codes] & ~absent
    root = np.array([label is not None and reader.is_root(label) for label in labels], dtype=bool)[codes] | emptied
    return _ColumnSummary(codes, tuple(labels), tuple(m for m in found if m is not None), emptied, root)


def _read(ladder: Ladder, column: _ColumnSummary, suppressed: NDArray[np.bool_]) -> tuple[float, ...]:
    """Return the sums of leaf losses and counts, the three kinds of bits and the level of one attribute."""
    top = ladder.domain - 1
    loss, count, wide, level = (
        np.where(column.emptied, whole, np.array(parts, dtype=np.float64)[column.codes])
        for whole, parts in (
            (top, [m.loss for m in column.coverages]),
            (top, [m.leaves - 1 for m in column.coverages]),
            (len(column.codes), [m.records for m in column.coverages]),
            (ladder.height, [m.level for m in column.coverages]),
        )
    )
    own = ladder.frequencies[0][ladder.base]
    each = np.log2(np.maximum(wide, own)) - np.log2(own)
    bits = max(float(each.sum()), 0.0)
    sums = float(loss.sum()), float(count.sum()), bits
    if suppressed.all():  # of a file of nothing but roots no label tells the level
        return *sums, bits, 0.0, float(ladder.height)
    used = {column.labels[code] for code in np.unique(column.codes[~suppressed])}
    joint = next((at for at, labels in enumerate(ladder.labels) if used <= set(labels)), None)
    alike = joint is not None and not column.emptied[~suppressed].any()
    common = float(joint) if joint is not None and alike else float(level[~suppressed].mean())
    at = joint if joint is not None and alike else 0
    codes = ladder.codes[at][ladder.base[suppressed]]
    step = float((np.log2(ladder.frequencies[at][codes]) - np.log2(own[suppressed])).sum())
    present = np.bincount(codes)[codes]
    gone = float((np.log2(len(codes)) - np.log2(present)).sum()) if len(codes) else 0.0
    return *sums, max(float(each[~suppressed].sum()) + step, 0.0), gone, common
