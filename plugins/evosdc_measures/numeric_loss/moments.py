"""Counts, means and covariances of the numeric attributes of a table, kept while records of it change."""

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.model import Changes, Tracker
from evosdc.table.table import Numbers, Table
from evosdc_measures.domains import Integers

_CONDITION = 1e-4  # a variance below this share of the mean square that it came from lacks digits


class Moments(NamedTuple):
    """Moments (divided by the number of values) of one table or of several, by pairs that both have a value."""

    counts: Numbers  # (..., q, q): Records with a value of both attributes; on the diagonal of the one
    means: Numbers  # (..., q)
    # (..., q, q): 0 where no record has both values; exactly 0 of an attribute whose values are all the same.
    covariances: Numbers


def correlations_of(covariances: Numbers, first: Numbers, second: Numbers) -> Numbers:
    """Return correlations from covariances and the variances of both attributes, within -1..1; 0 of constants."""
    spread = np.sqrt(first) * np.sqrt(second)
    ratios = np.divide(covariances, spread, out=np.zeros_like(spread), where=spread > 0.0)
    return np.asarray(np.minimum(np.maximum(ratios, -1.0), 1.0))


class Standard:
    """The attributes that vary in the original, each in units of its standard deviation there, from its mean there."""

    # Shapes: original (n, p); judged (q,): attributes with two values that differ; means, deviations (q,): deviations
    # are divided by the number of values.

    def __init__(self, original: Numbers) -> None:
        self._shape = original.shape
        known = [column[~np.isnan(column)] for column in original.T]
        varying = [v for v, values in enumerate(known) if len(values) and np.ptp(values) and values.std()]
        self.judged = np.array(varying, dtype=np.intp)
        self.means = np.array([known[v].mean() for v in varying])
        self.deviations = np.array([known[v].std() for v in varying])

    def __call__(self, numbers: Numbers) -> Numbers:
        """Return the judged attributes of some records in these units, shape (m, q)."""
        standardised: Numbers = (numbers[:, self.judged] - self.means) / self.deviations
        return standardised

    def of_table(self, masked: Table) -> Numbers:
        """Return the judged attributes of a whole table in these units, shape (n, q)."""
        require_shape(self._shape, masked.numbers)
        return self(masked.numbers)


def require_shape(shape: tuple[int, ...], masked: Numbers) -> None:
    """Refuse a masked matrix of another shape than the original's: a mistake of the caller."""
    if masked.shape != shape:
        raise ValueError(f"masked numbers of shape {masked.shape}, original of shape {shape}")


class TrackedMoments(Tracker):
    """A tracker of what follows from the moments of a table, in the units of a `Standard`."""

    # Sums are taken of values centred at their present mean, so that little is lost where a variance is the difference
    # of two sums. Each change leaves an error of rounding in them.

    def __init__(self, standard: Standard, masked: Table) -> None:
        self.standard = standard
        self.numbers = standard.of_table(masked)
        self._renew()

    def _renew(self) -> None:
        self._centres, self._sums = sums_of(self.numbers)
        self._greatest = np.diag(self._sums[2]).copy()
        self._changed = 0
        self.moments = self._moments_now()[0]

    def _moments_now(self) -> tuple[Moments, bool]:
        nothing = self.numbers[:0]
        stacked, sound = self._moments_of_children(nothing, nothing, np.zeros(1, dtype=np.int64))
        return Moments(*(part[0] for part in stacked)), bool(sound[0])

    def _moments_of_children(
        self, before: Numbers, after: Numbers, ends: Integers
    ) -> tuple[Moments, NDArray[np.bool_]]:
        counts, means, covariances, sound = moments_of_children(
            self._sums, self._centres, self._greatest, before, after, ends
        )
        return Moments(counts, means, covariances), sound

    def take(self, change: Changes) -> None:
        """Update to a child."""
        before, after = self.numbers[change.rows], np.ascontiguousarray(self.standard(change.after.numbers))
        self.numbers[change.rows] = after
        add_changes(self._sums, self._centres, before, after, 0, len(after))
        self._greatest = np.maximum(self._greatest, np.diag(self._sums[2]))
        self._changed += len(change.rows)
        self.moments, sound = self._moments_now()
        if self._changed >= len(self.numbers) or not sound:
            self._renew()

    def moments_of(self, changes: Changes) -> Moments:
        """Return the moments of children, with an axis of k before."""
        before, after = self.numbers[changes.rows], np.ascontiguousarray(self.standard(changes.after.numbers))
        moments, sound = self._moments_of_children(before, after, changes.ends)
        for child in np.flatnonzero(~sound).tolist():
            own = slice(int(changes.ends[child - 1]) if child else 0, int(changes.ends[child]))
            numbers = self.numbers.copy()
            numbers[changes.rows[own]] = after[own]
            for part, latest in zip(moments, moments_of(numbers), strict=True):
                part[child] = latest
        return moments


def moments_of(numbers: Numbers) -> Moments:
    """Return the moments of a file's numeric attributes from scratch, of shape (n, q); O(n q**2)."""
    centres, sums = sums_of(numbers)
    nothing = numbers[:0]
    *parts, _ = moments_of_children(sums, centres, np.zeros(len(centres)), nothing, nothing, np.zeros(1, np.int64))
    return Moments(*(part[0] for part in parts))


def sums_of(numbers: Numbers) -> tuple[Numbers, Numbers]:
    """Return the centres of some attributes, shape (q,), and their sums: see `add_changes`."""
    missing = np.isnan(numbers)
    means = np.where(missing, 0.0, numbers).sum(axis=0) / np.maximum((~missing).sum(axis=0), 1)
    low, high = np.where(missing, np.inf, numbers).min(axis=0), np.where(missing, -np.inf, numbers).max(axis=0)
    # Where all values are the same, nothing at all may be left of them.
    centres, sums = np.where(low == high, low, means), np.zeros((3, numbers.shape[1], numbers.shape[1]))
    nothing, numbers = np.full(numbers.shape, np.nan), np.ascontiguousarray(numbers)  # the layout of all changes
    add_changes(sums, centres, nothing, numbers, 0, len(numbers))
    return centres, sums


@njit(cache=True)
def add_changes(sums: Numbers, centres: Numbers, before: Numbers, after: Numbers, begin: int, end: int) -> None:
    """Add to the sums of a table what changes of records make of them, in place."""
    # Shapes: sums (3, q, q), centres (q,), before, after (m, q).
    q = len(centres)
    had, has, old, new = np.empty(q), np.empty(q), np.empty(q), np.empty(q)
    for i in range(begin, end):
        for j in range(q):
            x, y = before[i, j] - centres[j], after[i, j] - centres[j]
            had[j], old[j] = (0.0, 0.0) if np.isnan(x) else (1.0, x)
            has[j], new[j] = (0.0, 0.0) if np.isnan(y) else (1.0, y)
        for j in range(q):
            # What does not change is added as 0, which leaves no error.
            for k in range(q):
                sums[0, j, k] += has[j] * has[k] - had[j] * had[k]
                sums[1, j, k] += new[j] * has[k] - old[j] * had[k]
                sums[2, j, k] += new[j] * new[k] - old[j] * old[k]


@njit(cache=True)
def moments_of_children(
    sums: Numbers, centres: Numbers, greatest: Numbers, before: Numbers, after: Numbers, ends: Integers
) -> tuple[Numbers, Numbers, Numbers, NDArray[np.bool_]]:
    """Return counts, means and covariances of children with an axis of k before, and of which these are sound."""
    # Shapes: greatest (q,), before, after (m, q), ends (k,).
    k, q = len(ends), len(centres)
    begin: Any = np.int64(0)  # a plain 0 is a type, and a compilation, of its own
    counts, means, covariances = np.empty((k, q, q)), np.empty((k, q)), np.empty((k, q, q))
    sound, own = np.empty(k, np.bool_), np.empty((3, q, q))
    for child in range(k):
        for which in range(3):
            for j in range(q):
                for v in range(q):
                    own[which, j, v] = sums[which, j, v]
        add_changes(own, centres, before, after, begin, ends[child])
        begin, sound[child] = ends[child], True
        for j in range(q):
            means[child, j] = centres[j] + own[1, j, j] / max(own[0, j, j], 1.0)
            for v in range(q):
                count = max(own[0, j, v], 1.0)
                counts[child, j, v] = own[0, j, v]
                covariances[child, j, v] = own[2, j, v] / count - (own[1, j, v] / count) * (own[1, v, j] / count)
            most = max(greatest[j], own[2, j, j]) / max(own[0, j, j], 1.0)
            if own[0, j, j] > 0.0 and covariances[child, j, j] < _CONDITION * most:
                sound[child] = False
    return counts, means, covariances, sound
