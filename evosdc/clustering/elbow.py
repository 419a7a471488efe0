"""How near records are to their representatives by number of clusters, and the number that this suggests."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Elbow:
    """Within-distances by number of clusters."""

    clusters: tuple[int, ...]  # 1, 2, and so on; not beyond the number of distinct records
    # Mean distance of a record to the nearest representative, of the nearest clustering found with so many clusters or
    # fewer, so that it never rises; an attribute that differs as much as it can counts 1.
    distances: tuple[float, ...]

    @classmethod
    def of(cls, distances: Sequence[float]) -> "Elbow":
        """Return the curve of clusterings that were found with 1, 2, ... clusters."""
        least = np.minimum.accumulate(np.asarray(distances, dtype=np.float64))
        return cls(tuple(range(1, len(distances) + 1)), tuple(least.tolist()))

    @property
    def shares(self) -> tuple[float, ...]:
        """The distances as shares of that with one cluster; all 1 where records do not differ."""
        return tuple(d / self.distances[0] if self.distances[0] > 0.0 else 1.0 for d in self.distances)

    @property
    def suggested(self) -> int | None:
        """The number of clusters at the knee of the curve; None where it has none."""
        return knee(self.clusters, self.distances)


def knee(clusters: Sequence[int], distances: Sequence[float]) -> int | None:
    """Return where a falling curve is farthest below the chord between its ends, the first of several."""
    # Both axes are taken from 0 to 1, so that their units are of no account; the end of the curve is, since the chord
    # ends there (after the knee of Satopaa, Albrecht, Irwin and Raghavan, 2011). None where fewer than three points are
    # there, where the curve does not fall, or where no point lies below the chord.
    x, y = np.asarray(clusters, dtype=np.float64), np.asarray(distances, dtype=np.float64)
    if x.size < 3 or y[0] <= y[-1]:
        return None
    below = 1.0 - (x - x[0]) / (x[-1] - x[0]) - (y - y[-1]) / (y[0] - y[-1])
    # A straight line lies on its chord up to rounding.
    return int(clusters[int(np.argmax(below))]) if below.max() > 1e-9 else None
