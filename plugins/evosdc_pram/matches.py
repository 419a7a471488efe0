"""Disclosure risk under misclassification: expected correct matches of uniques, and values published unchanged."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Changes, Expected, Measure, Tracker
from evosdc.randomisation.expectation import with_missing
from evosdc.randomisation.transition import Matrix
from evosdc.table.table import Codes, Rows, Table

Positions = NDArray[np.intp]
KeyCounts = NDArray[np.int32]  # a number of records by original key
_CELLS = 1_000_000  # flows between keys that are held at once


class CorrectMatches(Measure):
    """Expected correct matches of published uniques, as a percentage of the records; range 0..100, smaller is better.

    The file is taken for the population and the protected attributes for the key. An intruder who meets a published
    record with a unique key j links it to one of the T_j originals of that key. A correct match has probability 1 / T_j
    where the record's key is unchanged, and 0 where it is not. `score` adds these up over the uniques of a published
    file.

    In expectation, exactly, ``sum_j p_jj (1 - p_jj)^(T_j - 1) prod_{k != j} (1 - p_kj)^T_k``, p the product of the
    attributes' matrices. `FittedCorrectMatches.probabilities` gives ``p_jj / sum_k T_k p_kj``, in the orientation
    ``p_kl = Pr(published l | original k)``. Shlomo and Skinner (2010) assign it to a published unique from the matrices
    alone. That the thesis uses this measure is a reconstruction.
    """

    def fit(self, original: Table) -> "FittedCorrectMatches":
        """Count the original's keys."""
        self.require_support(original)
        return FittedCorrectMatches(original)


class FittedCorrectMatches(Expected):
    """`CorrectMatches` of one original; of a published file the records are counted that have an original key."""

    def __init__(self, original: Table) -> None:
        self._original = original
        keys, of_record, counts = np.unique(original.codes, axis=0, return_inverse=True, return_counts=True)
        self._distinct = keys.astype(np.intp)
        self._places = {key.tobytes(): place for place, key in enumerate(keys)}
        self._own = of_record.reshape(-1)
        self._counts = counts.astype(np.float64)
        self.keys = len(keys)

    def score(self, masked: Table) -> float:
        """Return the share of records that are published uniques and matched correctly, 0..100; O(n V)."""
        return self.track(masked).score

    def track(self, masked: Table) -> "MatchTracker":
        """Return a tracker of a table; O(n V)."""
        return MatchTracker(self, masked)

    def shift(self, codes: Codes, rows: Rows, sign: int, published: KeyCounts, kept: KeyCounts) -> None:
        """Add some records, shape (m, V), to the numbers by original key, or take them away."""
        for row, record in zip(rows.tolist(), codes, strict=True):
            place = self._places.get(record.tobytes())
            if place is not None:
                published[place] += sign
                kept[place] += sign * int(place == self._own[row])

    def share(self, published: KeyCounts, kept: KeyCounts) -> float:
        """Return the score from the numbers by original key; O(keys)."""
        matched = (published == 1) & (kept == 1)
        return 100.0 * float((1.0 / self._counts[matched]).sum()) / len(self._original)

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
        """Return the keys of the original, shape (K, V), and ``p_jj / sum_k T_k p_kj`` of each, shape (K,)."""
        # A missing value has code -1 in the keys.
        chances = np.zeros(len(self._distinct))
        for part, flow in self._flows(transitions):
            arriving = self._counts @ flow
            staying = flow[part, np.arange(len(part))]
            chances[part] = np.divide(staying, arriving, out=np.zeros(len(part)), where=arriving > 0.0)
        return self._distinct, chances

    def _flows(self, transitions: Sequence[Matrix]) -> Iterator[tuple[Positions, Matrix]]:
        """Yield, some keys at a time, their positions and the probabilities to become them, shape (K, part)."""
        matrices = [with_missing(matrix) for matrix in transitions]
        count = len(self._distinct)
        size = max(1, _CELLS // count)
        for begin in range(0, count, size):
            part = np.arange(begin, min(begin + size, count))
            flow = np.ones((count, len(part)))
            for v, matrix in enumerate(matrices):
                flow *= matrix[self._distinct[:, v][:, None], self._distinct[part, v][None, :]]
            yield part, flow


class MatchTracker(Tracker):
    """By original key the records that one masked file publishes with it, and those of them that had it before."""

    def __init__(self, fitted: FittedCorrectMatches, masked: Table) -> None:
        self._fitted = fitted
        self._published, self._kept = (np.zeros(fitted.keys, dtype=np.int32) for _ in range(2))
        fitted.shift(masked.codes, np.arange(len(masked), dtype=np.intp), 1, self._published, self._kept)

    @property
    def score(self) -> float:
        """The share of records, 0..100; O(keys)."""
        return self._fitted.share(self._published, self._kept)

    def take(self, change: Changes) -> None:
        """Update to a child; O(m V)."""
        self._move(change.before.codes, change.after.codes, change.rows)

    def tries(self, changes: Changes) -> NDArray[np.float64]:
        """Return the scores of children; O(m V + keys) each."""
        scores, begin = np.empty(len(changes.ends)), 0
        for child, end in enumerate(changes.ends.tolist()):
            before, after = changes.before.codes[begin:end], changes.after.codes[begin:end]
            self._move(before, after, changes.rows[begin:end])
            scores[child] = self.score
            self._move(after, before, changes.rows[begin:end])
            begin = end
        return scores

    def _move(self, before: Codes, after: Codes, rows: Rows) -> None:
        self._fitted.shift(before, rows, -1, self._published, self._kept)
        self._fitted.shift(after, rows, 1, self._published, self._kept)


class Unchanged(Measure):
    """Values that are published unchanged, as a percentage of records and attributes; range 0..100.

    A publisher who wants protection wants less. In expectation ``100 sum_v sum_k T_k p_kk / (n V)``, exactly; missing
    values count as unchanged where they stay.
    """

    def fit(self, original: Table) -> "FittedUnchanged":
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
        """Return the share of equal values, 0..100; O(n V)."""
        return self.track(masked).score

    def track(self, masked: Table) -> "UnchangedTracker":
        """Return a tracker of a table; O(n V)."""
        return UnchangedTracker(self._original, masked)

    def expected(self, transitions: Sequence[Matrix]) -> float:
        """Return the expected share, exactly."""
        kept = sum(
            float(counts @ np.diagonal(matrix)) for counts, matrix in zip(self._counts, transitions, strict=True)
        )
        return 100.0 * (kept + self._missing) / self._original.codes.size


class UnchangedTracker(Tracker):
    """The number of values of one masked file that are equal to those of the original."""

    def __init__(self, original: Table, masked: Table) -> None:
        self._original, self._equal = original, int(np.count_nonzero(masked.codes == original.codes))

    @property
    def score(self) -> float:
        """The share of equal values, 0..100."""
        return 100.0 * self._equal / self._original.codes.size

    def take(self, change: Changes) -> None:
        """Update to a child; O(m V)."""
        self._equal += int(self._more(change).sum())

    def tries(self, changes: Changes) -> NDArray[np.float64]:
        """Return the scores of children, all in one go; O(m V)."""
        through = np.concatenate(([0], np.cumsum(self._more(changes))))
        ends = np.concatenate(([0], changes.ends))
        return 100.0 * (self._equal + np.diff(through[ends])) / self._original.codes.size

    def _more(self, changes: Changes) -> NDArray[np.int64]:
        """Return how many more values of each changed record are equal after than before."""
        own = self._original.codes[changes.rows]
        more: NDArray[np.int64] = (changes.after.codes == own).sum(axis=1) - (changes.before.codes == own).sum(axis=1)
        return more
