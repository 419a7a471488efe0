"""Disclosure risk under misclassification: expected correct matches of uniques, and values published unchanged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from evosdc.data.expectation import with_missing
from evosdc.data.table import Table
from evosdc.data.transition import Matrix
from evosdc.model import Expected, Measure

Positions = NDArray[np.intp]

_CELLS = 1_000_000
"""Flows between keys that are held at once."""


class CorrectMatches(Measure):
    """Expected correct matches of released uniques, as a percentage of the records; range 0..100, smaller is better.

    The file is taken for the population and the protected attributes for the key. An intruder who meets a released
    record with a unique key j links it to one of the T_j originals of that key: a correct match has probability
    1 / T_j where the record's key is unchanged, and none else. `score` adds these up over the uniques of a released
    file.

    In expectation, exactly, ``sum_j p_jj (1 - p_jj)^(T_j - 1) prod_{k != j} (1 - p_kj)^T_k``, p the product of the
    attributes' matrices. `FittedCorrectMatches.probabilities` gives ``p_jj / sum_k T_k p_kj``, the probability that
    Shlomo and Skinner (2010) assign to a released unique from the matrices alone, in the orientation ``p_kl =
    Pr(published l | original k)``. That the thesis uses this measure is a reconstruction.
    """

    def fit(self, original: Table) -> FittedCorrectMatches:
        """Count the original's keys."""
        self.require_support(original)
        return FittedCorrectMatches(original)


class FittedCorrectMatches(Expected):
    """`CorrectMatches` of one original."""

    def __init__(self, original: Table) -> None:
        self._original = original
        keys, of_record, counts = np.unique(original.codes, axis=0, return_inverse=True, return_counts=True)
        self._keys = keys.astype(np.intp)
        self._counts = counts.astype(np.float64)
        self._credit = 1.0 / counts[of_record.reshape(-1)]

    def score(self, masked: Table) -> float:
        """Return the share of records that are released uniques and matched correctly, 0..100."""
        codes = masked.codes
        _, places, counts = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
        unique = counts[places.reshape(-1)] == 1
        same = (codes == self._original.codes).all(axis=1)
        return 100.0 * float(self._credit[unique & same].sum()) / len(codes)

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the expected share, exactly, 0..100."""
        total = 0.0
        for part, flow in self._flows(transitions):
            own = (part, np.arange(len(part)))
            staying = flow[own].copy()
            flow[own] = 0.0
            with np.errstate(divide="ignore", invalid="ignore"):
                # Logarithms are -inf where something is certain; nobody else's certainty counts 0 times -inf.
                absent = self._counts @ np.log1p(-flow)
                twins = np.where(self._counts[part] > 1.0, (self._counts[part] - 1.0) * np.log1p(-staying), 0.0)
            total += float((staying * np.exp(twins + absent)).sum())
        return 100.0 * total / len(self._original)

    def probabilities(self, transitions: Sequence[Matrix]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the keys of the original, shape (K, V), and ``p_jj / sum_k T_k p_kj`` of each, shape (K,).

        A missing value has code -1 in the keys.
        """
        chances = np.zeros(len(self._keys))
        for part, flow in self._flows(transitions):
            arriving = self._counts @ flow
            staying = flow[part, np.arange(len(part))]
            chances[part] = np.divide(staying, arriving, out=np.zeros(len(part)), where=arriving > 0.0)
        return self._keys, chances

    def _flows(self, transitions: Sequence[Matrix]) -> Iterator[tuple[Positions, Matrix]]:
        """Yield, some keys at a time, their positions and the probabilities to become them, shape (K, part)."""
        matrices = [with_missing(matrix) for matrix in transitions]
        count = len(self._keys)
        size = max(1, _CELLS // count)
        for begin in range(0, count, size):
            part = np.arange(begin, min(begin + size, count))
            flow = np.ones((count, len(part)))
            for v, matrix in enumerate(matrices):
                flow *= matrix[self._keys[:, v][:, None], self._keys[part, v][None, :]]
            yield part, flow


class Unchanged(Measure):
    """Values that are published unchanged, as a percentage of records and attributes; range 0..100.

    A publisher who wants protection wants less. In expectation ``100 sum_v sum_k T_k p_kk / (n V)``, exactly; missing
    values count as unchanged where they stay.
    """

    def fit(self, original: Table) -> FittedUnchanged:
        """Count the original's categories."""
        self.require_support(original)
        return FittedUnchanged(original)


class FittedUnchanged(Expected):
    """`Unchanged` of one original."""

    def __init__(self, original: Table) -> None:
        self._original = original
        codes = original.codes
        self._counts = [
            np.bincount(codes[:, v][codes[:, v] >= 0], minlength=len(a.categories)).astype(np.float64)
            for v, a in enumerate(original.schema.categorical)
        ]
        self._missing = float((codes < 0).sum())

    def score(self, masked: Table) -> float:
        """Return the share of equal values, 0..100."""
        return 100.0 * float(np.count_nonzero(masked.codes == self._original.codes)) / self._original.codes.size

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the expected share, exactly."""
        kept = sum(
            float(counts @ np.diagonal(matrix)) for counts, matrix in zip(self._counts, transitions, strict=True)
        )
        return 100.0 * (kept + self._missing) / self._original.codes.size
