"""Reading a published table by the hierarchies of the original: classes, suppressed records, losses of its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc.data.numerals import numeral
from evosdc.data.table import Table
from evosdc_lattice.ladder import Ladder


@dataclass(frozen=True)
class Reading:
    """What a published table shows.

    Parameters
    ----------
    n, kept, suppressed, kept_squares : int
        Records, classes, suppressed records, and the sum of squared sizes of the classes.
    leaf_losses, domains : tuple of int
        By attribute: sum over records of leaves - 1, and leaves of the hierarchy.
    bits : tuple of float
        By attribute: non-uniform entropy.
    levels, heights : tuple of int
        By attribute: the least level at which all values stand, suppressed records left out; and the highest.
    """

    n: int
    kept: int
    suppressed: int
    kept_squares: int
    leaf_losses: tuple[int, ...]
    domains: tuple[int, ...]
    bits: tuple[float, ...]
    levels: tuple[int, ...]
    heights: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _ColumnReading:
    codes: NDArray[np.int64]
    root: NDArray[np.bool_]
    labels: tuple[str | None, ...]


def reading_of(ladders: Sequence[Ladder], masked: Table) -> Reading:
    """Return what a published table shows of the original that the ladders were made from.

    A value that the hierarchy does not have, as other masking methods make them, counts as a leaf.
    """
    columns = [_column(ladder, masked) for ladder in ladders]
    n = len(masked)
    suppressed = np.all([column.root for column in columns], axis=0)
    codes = np.stack([column.codes for column in columns], axis=1)[~suppressed]
    sizes = np.unique(codes, axis=0, return_counts=True)[1] if len(codes) else np.zeros(0, dtype=np.int64)
    losses, bits, levels = [], [], []
    for ladder, column in zip(ladders, columns, strict=True):
        loss, entropy, level = _read(ladder, column, suppressed)
        losses.append(loss)
        bits.append(entropy)
        levels.append(level)
    return Reading(
        n,
        len(sizes),
        int(suppressed.sum()),
        int((sizes.astype(np.int64) ** 2).sum()),
        tuple(losses),
        tuple(ladder.domain for ladder in ladders),
        tuple(bits),
        tuple(levels),
        tuple(ladder.height for ladder in ladders),
    )


def _column(ladder: Ladder, masked: Table) -> _ColumnReading:
    attribute = masked.schema[ladder.attribute.name]
    values = masked.column(attribute.name)
    present, codes = np.unique(values, return_inverse=True)
    labels: list[str | None]
    if attribute.categorical:
        labels = [None if value < 0 else attribute.categories[int(value)] for value in present]
    else:
        labels = [None if np.isnan(value) else numeral(float(value), attribute.decimals) for value in present]
    root = np.array([label == ladder.labels[-1][0] for label in labels], dtype=bool)[codes.reshape(-1)]
    return _ColumnReading(codes.reshape(-1).astype(np.int64), root, tuple(labels))


def _read(ladder: Ladder, column: _ColumnReading, suppressed: NDArray[np.bool_]) -> tuple[int, float, int]:
    leaves: dict[str | None, int] = {}
    frequencies: dict[str | None, int] = {}
    for labels, below, counts in zip(ladder.labels, ladder.leaves, ladder.frequencies, strict=True):
        for label, leaf_count, frequency in zip(labels, below.tolist(), counts.tolist(), strict=True):
            leaves[label], frequencies[label] = leaf_count, frequency
    loss = np.array([leaves.get(label, 1) - 1 for label in column.labels], dtype=np.int64)[column.codes]
    own = ladder.frequencies[0][ladder.base]
    wide = np.array([frequencies.get(label, 0) for label in column.labels], dtype=np.int64)[column.codes]
    wide = np.where(wide > 0, wide, own)
    used = {column.labels[code] for code in np.unique(column.codes[~suppressed])}
    level = next((at for at, labels in enumerate(ladder.labels) if used <= set(labels)), 0)
    return int(loss.sum()), max(float((np.log2(wide) - np.log2(own)).sum()), 0.0), level
