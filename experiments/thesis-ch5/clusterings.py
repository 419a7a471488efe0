"""What cluster analysis loses: c-median clusters of the original against those of the masked file, by all indices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from protections import CLUSTERS

from evosdc.clustering.c_median import c_median
from evosdc.clustering.geometry import Integers, geometry_of
from evosdc.clustering.partitions import INDICES, Stability, agreement_of, loss_of
from evosdc.secret import Purpose, stream
from evosdc.table.table import Table

INDEX = "adjusted-rand"
"""The index of pictures and scores."""


class Analysis:
    """The clusters of an original by several seeds, and the loss of masked files.

    Parameters
    ----------
    original : Table
    seeds : sequence of int
        Losses are means over them.
    """

    def __init__(self, original: Table, seeds: Sequence[int]) -> None:
        self._original, self._seeds = original, seeds
        self._known = geometry_of(original)
        self._labels = [self._clusters(original, seed) for seed in seeds]

    def losses(self, masked: Table) -> dict[str, float]:
        """Return the loss by index as ``cluster-agreement`` has it, 0..100."""
        pairs = [
            agreement_of(labels, self._clusters(masked, seed))
            for seed, labels in zip(self._seeds, self._labels, strict=True)
        ]
        return {index: sum(loss_of(index, pair) for pair in pairs) / len(pairs) for index in INDICES}

    def yardstick(self, seeds: Sequence[int]) -> Mapping[str, float]:
        """Return what another seed loses where nothing is masked, by index: the mean over all pairs of seeds."""
        return Stability.of(seeds, [self._clusters(self._original, seed) for seed in seeds]).losses

    def _clusters(self, table: Table, seed: int) -> Integers:
        return c_median(table, CLUSTERS, stream(seed, Purpose.EVALUATE), known=self._known).labels
