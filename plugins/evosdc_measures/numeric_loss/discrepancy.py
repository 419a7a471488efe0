"""Discrepancies between the original's and the masked file's numbers and statistics."""

from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.model import Incremental, Measure
from evosdc.model.parameters import Parameters
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Rows, Table
from evosdc_measures.changed_columns import columns_that_differ
from evosdc_measures.numeric_loss.exact_moments import moments_from
from evosdc_measures.numeric_loss.exact_sums import Sums, sums_after, sums_of
from evosdc_measures.numeric_loss.moments import Moments, require_numbers
from evosdc_measures.numeric_loss.statistics import STATISTICS, reference_of
from evosdc_measures.record_figures import FollowedSum, followed_sum, sum_after

Error = Literal["variation", "mse", "mae"]

AVERAGED = ("data", "means", "variances", "covariances", "correlations")
"""Contents whose variations make the overall figure."""


class State(NamedTuple):
    """The statistics of a masked table.

    Parameters
    ----------
    numbers : ndarray of float64, shape (n, p)
        Of the table.
    sums : Sums
    moments : Moments
    apart : tuple of FollowedSum
        Sums of the values' differences, by judged attribute.
    score : float
    """

    numbers: Numbers
    sums: Sums
    moments: Moments
    apart: tuple[FollowedSum, ...]
    score: float


def differences(original: Numbers, masked: Numbers, error: Error) -> Numbers:
    """Return ``|a - b| / |a|``, ``(a - b)**2`` or ``|a - b|`` of each entry; 0 where it would be divided by 0."""
    apart = np.abs(original - masked)
    if error == "variation":
        return np.divide(apart, np.abs(original), out=np.zeros_like(apart), where=original != 0.0)
    return apart**2 if error == "mse" else apart


def entries_of(original: Numbers, error: Error) -> int:
    """Return the number of entries that are averaged over: of relative differences, those that are not 0."""
    return int(np.count_nonzero(original)) if error == "variation" else original.size


class DataDiscrepancy(Measure):
    """How far the masked values are from the original ones, averaged over records and attributes; unbounded, >= 0.

    ``error = "variation"``, the default: relative differences ``|a - b| / |a|``; entries that are 0 in the original are
    skipped, and the figure blows up for entries near 0. ``"mse"``: mean squared, ``"mae"``: mean absolute error, in the
    units of the entries. Published as IL1 to IL5 under two numberings that contradict each other, so here they are
    named by content (Domingo-Ferrer and Torra, 2001; handbook chapter). Smaller is better; 0 if nothing is changed. For
    bounded figures that are combined with others see ``mean-variation``, ``il1s`` and ``apil``.

    Means, variances and covariances are divided by the number of values. Attributes that are constant in the original
    are skipped. Missing values are left out of statistics, by pairs for covariances and correlations, and a statistic
    without any value is 0; as a value of its own a missing one stands at the attribute's original mean.
    """

    class Params(Parameters):
        """What is averaged."""

        error: Error = Field("variation", description="Relative, squared or absolute differences.")

    supports = frozenset({Scale.NUMERIC})
    partial = True
    content: ClassVar[str] = "data"
    """Whose discrepancy it is: ``data`` or a key of `STATISTICS`."""

    def fit(self, original: Table) -> "FittedDiscrepancy":
        """Take the statistic of the original."""
        self.require_support(original)
        return FittedDiscrepancy(original, (self.content,), self.params.error)


class MeansDiscrepancy(DataDiscrepancy):
    """As `DataDiscrepancy`, of the means, over attributes."""

    content = "means"


class VariancesDiscrepancy(DataDiscrepancy):
    """As `DataDiscrepancy`, of the variances, over attributes."""

    content = "variances"


class CovariancesDiscrepancy(DataDiscrepancy):
    """As `DataDiscrepancy`, of the covariance matrix, over its q (q + 1) / 2 entries on and above the diagonal."""

    content = "covariances"


class CorrelationsDiscrepancy(DataDiscrepancy):
    """As `DataDiscrepancy`, of Pearson's correlations, over pairs; those of a masked constant attribute are 0."""

    content = "correlations"


class EigenvaluesDiscrepancy(DataDiscrepancy):
    """As `DataDiscrepancy`, of the eigenvalues of the covariance matrix, in descending order.

    Both matrices are divided by the original's standard deviations, so that no attribute decides by its unit alone;
    that scaling is a reconstruction. Eigenvalues below 1e-9 of the greatest count as 0.
    """

    content = "eigenvalues"


class MeanVariationLoss(Measure):
    """Mean variation of data, means, variances, covariances and correlations, averaged, times 100.

    That is 100 times the mean of five discrepancies with ``error = "variation"`` (Domingo-Ferrer and Torra, 2001). Each
    is unbounded where entries are near 0; that each counts at most 1, which makes the range 0..100, is a reconstruction
    and can be switched off for comparison with published figures, outside of a search. Smaller is better; 0 if nothing
    is changed. Constant attributes and missing values as in `DataDiscrepancy`; entries that do not exist, such as
    correlations of one attribute, count 0.
    """

    class Params(Parameters):
        """The limit of the parts."""

        bounded: bool = Field(True, description="Whether each part counts at most 1; if not, there is no upper bound.")

    supports = frozenset({Scale.NUMERIC})
    partial = True

    def fit(self, original: Table) -> "FittedDiscrepancy":
        """Take the five statistics of the original."""
        self.require_support(original)
        return FittedDiscrepancy(original, AVERAGED, "variation", 1.0 if self.params.bounded else np.inf, 100.0)


class FittedDiscrepancy(Incremental[State]):
    """Mean discrepancy of some contents of one original; an update takes what belongs to changed attributes anew."""

    def __init__(
        self, original: Table, contents: tuple[str, ...], error: Error, most: float = np.inf, factor: float = 1.0
    ) -> None:
        self._original = original.numbers
        self._contents = contents
        self._error: Error = error
        self._most = most
        self._factor = factor
        self._reference, moments = reference_of(original.numbers)
        self._wanted = {name: STATISTICS[name](moments, self._reference) for name in contents if name in STATISTICS}
        self._values = self._filled(original.numbers, np.arange(len(self._reference.judged)))
        self._cells = entries_of(self._values, error)

    def start(self, masked: Table) -> State:
        """Return the state of a table; O(n p**2)."""
        require_numbers(self._original, masked.numbers)
        sums = sums_of(masked.numbers)
        moments = moments_from(sums, np.arange(masked.numbers.shape[1]))
        return self._scored(masked.numbers, sums, moments, self._apart(masked.numbers))

    def update(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; O(p) for each value that differs, and O(n) now and then."""
        before, sums, moments, apart, _ = state
        columns = columns_that_differ(before, masked.numbers, rows)
        if not columns:
            return state._replace(numbers=masked.numbers)
        sums, changed, latest = sums_after(sums, before, masked.numbers, rows), np.array(columns), list(apart)
        for place in np.flatnonzero(np.isin(self._reference.judged, changed)).tolist():
            own = self._filled(masked.numbers[rows], np.array([place]))[0]
            figures = differences(self._values[place][rows], own, self._error)
            latest[place] = sum_after(latest[place], rows, figures)
        return self._scored(masked.numbers, sums, moments_from(sums, changed, moments), tuple(latest))

    def _filled(self, numbers: Numbers, places: NDArray[np.intp]) -> Numbers:
        """Return some judged attributes, shape (len(places), n), missing values at the original's mean."""
        values = numbers[:, self._reference.judged[places]].T
        return np.where(np.isnan(values), self._reference.means[places, None], values)

    def _apart(self, numbers: Numbers) -> tuple[FollowedSum, ...]:
        """Return the sum of the values' differences of each judged attribute, over its own column alone."""
        masked = self._filled(numbers, np.arange(len(self._reference.judged)))
        columns = zip(self._values, masked, strict=True)
        return tuple(followed_sum(differences(a, b, self._error)) for a, b in columns)

    def _scored(self, numbers: Numbers, sums: Sums, moments: Moments, apart: tuple[FollowedSum, ...]) -> State:
        parts = self._breakdown(moments, apart)
        return State(numbers, sums, moments, apart, sum(parts.values()) / len(parts))

    def _breakdown(self, moments: Moments, sums: tuple[FollowedSum, ...]) -> dict[str, float]:
        apart = {name: self._discrepancy(name, moments, sums) for name in self._contents}
        return {name: self._factor * min(value, self._most) for name, value in apart.items()}

    def _discrepancy(self, name: str, moments: Moments, sums: tuple[FollowedSum, ...]) -> float:
        if name == "data":
            return float(np.array([own.total for own in sums]).sum()) / self._cells if self._cells else 0.0
        wanted = self._wanted[name]
        entries = entries_of(wanted, self._error)
        found = STATISTICS[name](moments, self._reference)
        return float(differences(wanted, found, self._error).sum()) / entries if entries else 0.0

    def breakdown(self, masked: Table) -> dict[str, float]:
        """Return the discrepancies by content, each limited and scaled as the score is."""
        state = self.start(masked)
        return self._breakdown(state.moments, state.apart)

    def value(self, state: State) -> float:
        """Return the mean of the discrepancies, >= 0."""
        return state.score
