"""k-means clustering of numeric records, standardised by the original."""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc.table.table import Numbers, Table

_ROUNDS, _AT_ONCE = 50, 5
"""Lloyd iterations at most, and after how many of them it is asked whether they still move a centre."""


@dataclass(frozen=True, eq=False)
class Standardisation:
    """Means and standard deviations of the original's numeric attributes, shape (Q,) each."""

    means: Numbers
    deviations: Numbers

    @classmethod
    def of(cls, table: Table) -> "Standardisation":
        """Return those of a table; constant attributes, and those without values, have deviation 0."""
        present = ~np.isnan(table.numbers)
        number = np.maximum(present.sum(axis=0), 1)
        values = np.where(present, table.numbers, 0.0)
        means = values.sum(axis=0) / number
        squares = np.where(present, (table.numbers - means) ** 2, 0.0).sum(axis=0) / number
        return cls(means, np.sqrt(squares))

    def points(self, table: Table) -> Numbers:
        """Return standardised numbers; a missing value stands at the mean, and so do constant attributes."""
        useful = self.deviations > 0.0
        scaled = (table.numbers - self.means) / np.where(useful, self.deviations, 1.0)
        points: Numbers = np.where(np.isnan(scaled) | ~useful, 0.0, scaled)
        return points


def k_means(
    points: Numbers, clusters: int, rng: np.random.Generator, starts: int = 10, begin: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Return the cluster of each point, shape (n,), by scipy's Lloyd iterations from k-means++ starts.

    Parameters
    ----------
    points : ndarray of float64, shape (n, Q)
    clusters : int
        How many; as many as there are distinct points where there are fewer of them.
    rng : numpy.random.Generator
    starts : int
        Of which the one of least summed squared distance counts, the first of several.
    begin : ndarray of int64, shape (n,), optional
        Clusters whose means are begun with, in place of random starts.

    Points are sorted first, so that their order is of no account.
    """
    from scipy.cluster.vq import vq

    order = np.lexsort(points.T[::-1])
    ranked = np.ascontiguousarray(points[order])
    wanted = min(clusters, len(np.unique(ranked, axis=0)))
    means = None if begin is None else np.array([points[begin == cluster].mean(axis=0) for cluster in np.unique(begin)])
    best: tuple[float, NDArray[np.int64]] | None = None
    for _ in range(1 if means is not None else starts):
        first = means if means is not None else _first(ranked, wanted, rng)
        assigned, distances = vq(ranked, _settled(ranked, first))
        total = float((distances**2).sum())
        if best is None or total < best[0]:
            best = total, assigned.astype(np.int64)
    assert best is not None
    labels = np.empty(len(points), dtype=np.int64)
    labels[order] = best[1]
    return labels


def _settled(points: Numbers, centres: Numbers) -> Numbers:
    """Return the centres after all iterations, of which those that move none are left out."""
    from scipy.cluster.vq import kmeans2

    for _ in range(_ROUNDS // _AT_ONCE):
        with warnings.catch_warnings():
            # A cluster that runs empty keeps its centre: scipy warns and goes on.
            warnings.simplefilter("ignore", UserWarning)
            moved, _ = kmeans2(points, centres, iter=_AT_ONCE, minit="matrix")
        if np.array_equal(moved, centres):
            break
        centres = moved
    return centres


def _first(points: Numbers, clusters: int, rng: np.random.Generator) -> Numbers:
    """Return first centres as k-means++ draws them."""
    chosen = [int(rng.integers(len(points)))]
    nearest = np.full(len(points), np.inf)
    while len(chosen) < clusters:
        nearest = np.minimum(nearest, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
        chosen.append(int(rng.choice(len(points), p=nearest / nearest.sum())))
    return points[chosen]
