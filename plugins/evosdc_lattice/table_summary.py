"""What a published table shows by the original's hierarchies: classes, suppressed records, losses of its values."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import DataError, Fault, FaultCollector
from evosdc.table.numerals import numeral
from evosdc.table.table import Table
from evosdc_lattice.label_coverage import ITSELF, CoverageReader, LabelCoverage
from evosdc_lattice.ladder import Ladder


@dataclass(frozen=True)
class TableSummary:
    """What a published table shows.

    Parameters
    ----------
    n, kept, suppressed, kept_squares : int
        Records, classes, suppressed records, and the sum of squared sizes of the classes.
    leaf_losses, leaf_counts : tuple of float
        By attribute: sums over records of leaves - 1; the former takes the span of an interval of numbers in place of
        its leaves, see `evosdc_lattice.label_coverage`.
    sizes : tuple of int
        Of the classes, ascending.
    domains : tuple of int
        By attribute: leaves of the hierarchy.
    bits : tuple of float
        By attribute: non-uniform entropy.
    generalised_bits, suppressed_bits : tuple of float
        The same with suppressed records at the level of the others, or as they were where these stand on no one level;
        and the bits from there to the root among the suppressed records alone.
    levels : tuple of float
        By attribute: the least level at which all values stand, suppressed records left out; where they do not stand
        on one level, the mean level of the values. The highest level where all records are suppressed.
    heights : tuple of int
        By attribute: the highest level.
    """

    n: int
    kept: int
    suppressed: int
    kept_squares: int
    sizes: tuple[int, ...]
    leaf_losses: tuple[float, ...]
    leaf_counts: tuple[float, ...]
    domains: tuple[int, ...]
    bits: tuple[float, ...]
    generalised_bits: tuple[float, ...]
    suppressed_bits: tuple[float, ...]
    levels: tuple[float, ...]
    heights: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _ColumnSummary:
    codes: NDArray[np.int64]
    labels: tuple[str | None, ...]
    coverages: tuple[LabelCoverage, ...]
    emptied: NDArray[np.bool_]
    """Where a value is missing that the original has."""
    root: NDArray[np.bool_]


def summarise_table(ladders: Sequence[Ladder], masked: Table) -> TableSummary:
    """Return what a published table shows of the original that the ladders were made from.

    A value of the attribute itself covers itself alone. A value that is missing in the published table only is
    suppressed, as the root is; a record all of whose values are suppressed is a suppressed record.

    Raises
    ------
    DataError
        Labels that stand for nothing in the attribute's domain, one of each attribute.
    """
    collect, columns = FaultCollector(), []
    for ladder in ladders:
        with collect.step():
            columns.append(_column(ladder, masked))
    if collect.faults:
        raise DataError(collect.faults)
    n = len(masked)
    suppressed = np.all([column.root for column in columns], axis=0)
    codes = np.stack([column.codes for column in columns], axis=1)[~suppressed]
    sizes = np.unique(codes, axis=0, return_counts=True)[1] if len(codes) else np.zeros(0, dtype=np.int64)
    read = [_read(ladder, column, suppressed) for ladder, column in zip(ladders, columns, strict=True)]
    losses, counts, bits, generalised, gone, levels = zip(*read, strict=True)
    return TableSummary(
        n,
        len(sizes),
        int(suppressed.sum()),
        int((sizes.astype(np.int64) ** 2).sum()),
        tuple(np.sort(sizes).tolist()),
        losses,
        counts,
        tuple(ladder.domain for ladder in ladders),
        bits,
        generalised,
        gone,
        levels,
        tuple(ladder.height for ladder in ladders),
    )


def covered_leaves(ladders: Sequence[Ladder], masked: Table) -> NDArray[np.float64]:
    """Return how many leaves each published value stands for, shape (n, V); a suppressed one for all of its domain.

    Raises
    ------
    DataError
        As `summarise_table`.
    """
    collect, found = FaultCollector(), []
    for ladder in ladders:
        with collect.step():
            column = _column(ladder, masked)
            leaves = np.array([coverage.leaves for coverage in column.coverages], dtype=np.float64)[column.codes]
            found.append(np.where(column.emptied, float(ladder.domain), leaves))
    if collect.faults:
        raise DataError(collect.faults)
    return np.column_stack(found)


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
