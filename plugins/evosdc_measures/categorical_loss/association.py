"""How masking changes the association between attributes: Cramer's V of all two-way tables."""

from itertools import combinations
from typing import ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError
from evosdc.model import Changes, Fitted, Measure, Tracker
from evosdc.table.distinct_values import counted_values
from evosdc.table.table import Codes, Numbers, Table
from evosdc_measures.domains import Counts, Integers, domains_of, require_aligned

FOLLOWED_CELLS = 1 << 14
"""A table of more cells than this is not followed by counts but counted anew: most of its cells are empty."""

INDEPENDENT = 1e-12
"""What chi-square over n may be off by rounding: attributes below it are independent."""


class AssociationDifference(Measure):
    """Absolute difference in Cramer's V, ``100 |V(m) - V(o)|``, mean over all pairs of categorical attributes.

    ``V = sqrt(chi2 / (n min(r - 1, c - 1)))`` with r and c the categories that occur in the table, a missing value
    being one; 0 where one of the attributes is constant. Range 0..100, smaller is better; permutations of the file have
    loss 0. Shlomo and Young (2006) compare Cramer's V by relative differences; the absolute form, which is at ease
    with pairs that are independent in the original, and the mean over pairs are reconstructions.
    """

    partial: ClassVar[bool] = True

    def fit(self, original: Table) -> "FittedAssociation":
        """Count the original's two-way tables.

        Raises
        ------
        ParameterError
            There is one categorical attribute only.
        """
        self.require_support(original)
        if original.codes.shape[1] < 2:
            wanted = "at least two, since it judges two-way tables"
            given = "one categorical attribute"
            raise ParameterError(Fault("measure association-difference", given, wanted, "Judge by ctbil."))
        return FittedAssociation(original)


class FittedAssociation(Fitted):
    """`AssociationDifference` of one original."""

    def __init__(self, original: Table) -> None:
        pairs = np.array(list(combinations(range(original.codes.shape[1]), 2)), dtype=np.int64)
        shapes = domains_of(original.schema).widths[pairs]
        cells = shapes.prod(axis=1)
        followed = np.where(cells <= FOLLOWED_CELLS, cells, 0)
        offsets = np.where(followed > 0, np.cumsum(followed) - followed, -1)
        self.layout = np.column_stack((pairs, shapes, offsets))
        """Of each pair its attributes, the height and width of its table, and where it begins; -1 if not followed."""
        self.recounted = np.flatnonzero(offsets < 0)
        self.counts = np.zeros(followed.sum(), dtype=np.int32)
        self.original = original
        for v, w, _, width, offset in self.layout[offsets >= 0].tolist():
            keys = (original.codes[:, v].astype(np.int64) + 1) * width + original.codes[:, w] + 1
            self.counts[offset : offset + keys.max() + 1] += np.bincount(keys).astype(np.int32)
        self.associations = np.array([self.association(original.codes, p) for p in range(len(pairs))])

    def association(self, codes: Codes, pair: int) -> float:
        """Return Cramer's V of a pair in the original, if its table is followed, and else in some codes."""
        v, w, height, width, offset = self.layout[pair].tolist()
        if offset >= 0:
            return float(cramers_v_of_table(self.counts, offset, height, width))
        return cramers_v(codes[:, v], codes[:, w])

    def score(self, masked: Table) -> float:
        """Return the mean over the pairs, 0..100; O(n T) and the cells of all tables."""
        return self.track(masked).score

    def track(self, masked: Table) -> "AssociationTracker":
        """Return a tracker of a table."""
        require_aligned(self.original, masked)
        return AssociationTracker(self, masked)


class AssociationTracker(Tracker):
    """The two-way tables of one masked file, and their associations."""

    def __init__(self, fitted: FittedAssociation, masked: Table) -> None:
        self._fitted = fitted
        self._counts, self._associations = fitted.counts.copy(), fitted.associations.copy()
        # Codes serve the tables alone that are counted anew.
        self._codes = fitted.original.codes.copy() if len(fitted.recounted) else fitted.original.codes
        self.take(Changes.of_one(np.arange(len(masked), dtype=np.intp), fitted.original, masked))

    @property
    def score(self) -> float:
        """The mean over the pairs, 0..100."""
        return 100.0 * float(np.abs(self._associations - self._fitted.associations).mean())

    def take(self, change: Changes) -> None:
        """Go on to a child; O(m T), the cells of the tables that change, and n log n for those counted anew."""
        self._associations = self._followed(change, True)[0]
        before, after = change.before.codes, change.after.codes
        if len(self._fitted.recounted):
            self._codes[change.rows] = after
            changed = (before != after).any(axis=0)
            for pair in self._fitted.recounted.tolist():
                if changed[self._fitted.layout[pair, :2]].any():
                    self._associations[pair] = self._fitted.association(self._codes, pair)

    def tries(self, changes: Changes) -> NDArray[np.float64]:
        """Return the scores of children; as `take`."""
        if len(self._fitted.recounted):
            return super().tries(changes)
        differences = np.abs(self._followed(changes, False) - self._fitted.associations)
        scores: NDArray[np.float64] = 100.0 * differences.mean(axis=1)
        return scores

    def _followed(self, changes: Changes, stays: bool) -> Numbers:
        before, after = changes.before.codes, changes.after.codes
        layout = self._fitted.layout
        found: Numbers = associations_of_children(
            before, after, changes.ends, stays, layout, self._counts, self._associations
        )
        return found


@njit(cache=True)
def associations_of_children(
    before: Codes,
    after: Codes,
    ends: Integers,
    stays: bool,
    layout: Integers,
    counts: Counts,
    associations: Numbers,
) -> Numbers:
    """Return Cramer's V of each child's two-way tables, shape (k, T); of those not followed, that of the parent.

    With `stays`, of the one to go on to. The layout is that of `FittedAssociation`; `counts` are changed.
    """
    found, begin = np.empty((len(ends), len(layout))), 0
    for child in range(len(ends)):
        for table in range(len(layout)):
            found[child, table] = associations[table]
            v, w, width, offset = layout[table, 0], layout[table, 1], layout[table, 3], layout[table, 4]
            if offset < 0:
                continue
            changed = False
            for way in range(1 if stays else 2):
                source, target = (before, after) if way == 0 else (after, before)
                for i in range(begin, ends[child]):
                    if source[i, v] != target[i, v] or source[i, w] != target[i, w]:
                        changed = True
                        counts[offset + (source[i, v] + 1) * width + source[i, w] + 1] -= 1
                        counts[offset + (target[i, v] + 1) * width + target[i, w] + 1] += 1
                if way == 0 and changed:
                    found[child, table] = cramers_v_of_table(counts, offset, layout[table, 2], width)
        begin = ends[child]
    return found


@njit(cache=True)
def cramers_v_of_table(counts: Counts, offset: int, height: int, width: int) -> float:
    """Return Cramer's V of one two-way table among others, 0..1."""
    rows, columns = np.zeros(height, np.int64), np.zeros(width, np.int64)
    for a in range(height):
        for b in range(width):
            rows[a] += counts[offset + a * width + b]
            columns[b] += counts[offset + a * width + b]
    square = -1.0
    for a in range(height):
        for b in range(width):
            count = float(counts[offset + a * width + b])
            if count > 0.0:
                square += count * count / (float(rows[a]) * float(columns[b]))
    degrees = min((rows > 0).sum(), (columns > 0).sum()) - 1
    if square < INDEPENDENT or degrees < 1:
        return 0.0
    return float(min(np.sqrt(square / degrees), 1.0))


def cramers_v(first: Codes, second: Codes) -> float:
    """Return Cramer's V of two columns, 0..1; missing values are a category."""
    square, height, width = mean_square_contingency(first, second)
    degrees = min(height, width) - 1
    return 0.0 if square < INDEPENDENT or degrees < 1 else min(float(np.sqrt(square / degrees)), 1.0)


def mean_square_contingency(first: Codes, second: Codes) -> tuple[float, int, int]:
    """Return chi-square over n of two columns, and how many categories of each occur."""
    rows, columns = np.bincount(first + 1), np.bincount(second + 1)
    cells, counts = counted_values((first.astype(np.int64) + 1) * len(columns) + second + 1)
    margins = rows[cells // len(columns)].astype(np.float64) * columns[cells % len(columns)]
    square = float((counts.astype(np.float64) ** 2 / margins).sum()) - 1.0
    return square, int(np.count_nonzero(rows)), int(np.count_nonzero(columns))
