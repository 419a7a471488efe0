"""What a published label of an attribute stands for, in leaves, records and levels of its hierarchy.

A label of the hierarchy counts the leaves below it, whether they occur or not, numbers too: figures then agree with
those of full-domain generalisation. Any other interval of numbers, as local recodings publish them, loses its span
relative to the span of the original (Iyengar, 2002), cut to it. A set or an interval of categories counts them. The
level of a label that the hierarchy does not have is that of the lowest node above all that it stands for: a
reconstruction.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evosdc.table.generalisation import Extent, LabelReader
from evosdc.table.hierarchy import ROOT
from evosdc.table.numerals import number
from evosdc_lattice.ladder import Ladder


@dataclass(frozen=True, slots=True)
class LabelCoverage:
    """What a label stands for.

    Parameters
    ----------
    leaves : int
        Leaves of the hierarchy.
    loss : float
        ``leaves - 1``, or what stands for it for an interval of numbers.
    records : int
        Records of the original whose value is among them; 0 for a value that stands for itself alone.
    level : int
    """

    leaves: int
    loss: float
    records: int
    level: int


ITSELF = LabelCoverage(1, 0.0, 0, 0)
"""A value that stands for itself alone."""


class CoverageReader:
    """Reads the labels of one attribute.

    Parameters
    ----------
    ladder : Ladder
        Of the original.
    """

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
                    self._nodes[label] = LabelCoverage(
                        int(below), float(below - 1), int(records) if level else 0, level
                    )
        self._values = {leaf: number(leaf) for leaf in self._hierarchy.leaves}

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
        inside = self._inside(label, extent)
        leaves, loss = max(len(inside), 1), float(max(len(inside), 1) - 1)
        if not extent.codes and not self._is_node(label):
            loss = self._span(extent) * (self._ladder.domain - 1)
        return LabelCoverage(leaves, loss, self._records(extent), self._level(inside))

    def _is_node(self, label: str) -> bool:
        return any(label in labels for labels in self._hierarchy.levels)

    def _inside(self, label: str, extent: Extent) -> list[int]:
        """Return the positions of the leaves that an extent covers."""
        below = [at for at, labels in enumerate(self._hierarchy.levels) if label in labels]
        if below:
            return below
        if extent.codes:
            categories = self._ladder.attribute.categories
            return [self._hierarchy.position[categories[code]] for code in extent.codes]
        values = enumerate(self._values.values())
        return [at for at, value in values if value is not None and extent.covers(value)]

    def _span(self, extent: Extent) -> float:
        occurring = self._occurring()
        low, high = min(occurring), max(occurring)
        covered = min(extent.high, high) - max(extent.low, low)
        return max(covered, 0.0) / (high - low) if high > low else 0.0

    def _records(self, extent: Extent) -> int:
        """Return how many records of the original have a value that the extent covers."""
        frequencies = self._ladder.frequencies[0]
        if extent.codes:
            categories = self._ladder.attribute.categories
            covered = {categories[code] for code in extent.codes}
            inside = [label in covered for label in self._ladder.labels[0]]
        else:
            values = [None if label is None else number(label) for label in self._ladder.labels[0]]
            inside = [value is not None and extent.covers(value) for value in values]
        return int(frequencies[np.array(inside, dtype=bool)].sum())

    def _occurring(self) -> list[float]:
        values = [None if label is None else number(label) for label in self._ladder.labels[0]]
        return [value for value in values if value is not None] or [0.0]

    def _level(self, inside: Sequence[int]) -> int:
        """Return the least level at which leaves share a label."""
        for level in range(1, self._ladder.height):
            if len({self._hierarchy.levels[at][level - 1] for at in inside}) <= 1:
                return level
        return self._ladder.height
