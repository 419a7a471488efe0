"""Probabilistic information loss, pil and aPIL."""

from typing import ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from evosdc.model import Batched, Changes, Measure
from evosdc.model.parameters import Parameters
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Rows, Table
from evosdc_measures.changed_columns import columns_that_differ
from evosdc_measures.numeric_loss.estimates import (
    PARTS,
    Part,
    losses_after,
    losses_of_children,
    parts_of,
    population_of,
)
from evosdc_measures.numeric_loss.estimators import LEVELS, OriginalStatistics, original_statistics
from evosdc_measures.numeric_loss.exact_moments import moments_from, write_moments
from evosdc_measures.numeric_loss.exact_sums import Sums, sums_after, sums_of
from evosdc_measures.numeric_loss.moments import Moments, require_numbers
from evosdc_measures.numeric_loss.quick_moments import QuickSums, moments_of_children, quick_sums_of
from evosdc_measures.ordered_values import (
    OrderedValues,
    ordered_values,
    quantiles_of,
    quantiles_of_children,
    values_after,
)
from evosdc_measures.record_figures import means_of, means_of_rows


class State(NamedTuple):
    """The estimates of a masked table.

    Parameters
    ----------
    numbers : ndarray of float64, shape (n, p)
        Of the table.
    sums : Sums
    quick : QuickSums
        The same as doubles.
    moments : Moments
    values : tuple of OrderedValues
        Of the attributes that vary in the original.
    quantiles : ndarray of float64, shape (q, 19)
        Of these.
    losses : ndarray of float64
        See `evosdc_measures.numeric_loss.estimates`.
    """

    numbers: Numbers
    sums: Sums
    quick: QuickSums
    moments: Moments
    values: tuple[OrderedValues, ...]
    quantiles: Numbers
    losses: Numbers


class AverageProbabilisticLoss(Measure):
    """Mean of the probabilistic losses of means, variances, covariances, correlations and quantiles, times 100.

    The loss of one statistic is ``pil = 2 P(0 <= Z <= |theta' - theta| / sqrt(Var(theta')))`` with Z standard normal:
    the original is taken as the population, the masked file as a sample of it, and pil is the probability that a sample
    of n records strays less far (Mateo-Sanz, Domingo-Ferrer and Sebe, 2005). A part is the mean of pil over attributes,
    over pairs of attributes, or over attributes and the quantiles 5 %, 10 %, ..., 95 %; a file with one attribute has
    no pairs and is judged by three parts. Range 0..100, smaller is better; 0 if nothing is changed. A large n makes the
    same change weigh more, by construction.

    Sampling variances, from central moments of the original: ``m20/n``; ``(m40 - m20^2)/n``; ``(m22 - m11^2)/n``; that
    of a correlation by the delta method without assuming normality; ``q (1 - q)/(n f^2)`` of a quantile with f the
    density there, by a Gaussian kernel with Silverman's bandwidth or of the normal with the attribute's mean and
    variance. That these general variances stand in the paper is not certain: a reconstruction.

    Attributes that are constant in the original are skipped. A masked attribute that is constant has correlation 0.
    Missing values are left out, by pairs for covariances and correlations, with n the masked values that remain; what
    cannot be estimated for want of masked values has pil 1.

    Sums of values and products are exact, and a moment is rounded once: it depends on no order of records.
    """

    class Params(Parameters):
        """The density at quantiles."""

        density: Literal["kernel", "normal"] = Field("kernel", description="Density estimate at quantiles.")

    supports = frozenset({Scale.NUMERIC})
    partial = True
    parts: ClassVar[tuple[Part, ...]] = PARTS
    """Which parts are averaged."""

    def fit(self, original: Table) -> "FittedProbabilisticLoss":
        """Take the statistics of the original and the variances of their estimators."""
        self.require_support(original)
        return FittedProbabilisticLoss(original_statistics(original.numbers, self.params.density), original, self.parts)


class MeansLoss(AverageProbabilisticLoss):
    """The part of means of `AverageProbabilisticLoss`, alone."""

    parts = ("means",)


class VariancesLoss(AverageProbabilisticLoss):
    """The part of variances of `AverageProbabilisticLoss`, alone."""

    parts = ("variances",)


class CovariancesLoss(AverageProbabilisticLoss):
    """The part of covariances of `AverageProbabilisticLoss`, alone; 0 for a file with one attribute."""

    parts = ("covariances",)


class CorrelationsLoss(AverageProbabilisticLoss):
    """The part of correlations of `AverageProbabilisticLoss`, alone; 0 for a file with one attribute."""

    parts = ("correlations",)


class QuantilesLoss(AverageProbabilisticLoss):
    """The part of quantiles of `AverageProbabilisticLoss`, alone."""

    parts = ("quantiles",)


class FittedProbabilisticLoss(Batched[State]):
    """`AverageProbabilisticLoss` of one original; an update estimates anew what belongs to changed attributes."""

    def __init__(self, original: OriginalStatistics, table: Table, parts: tuple[Part, ...]) -> None:
        self._population = population_of(original)
        self._original = table.numbers
        self._judged = {int(v): place for place, v in enumerate(original.judged)}
        places = parts_of(self._population)
        # Parts without any attribute or pair to judge are left out.
        self._parts = {part: places[part] for part in parts if places[part].stop > places[part].start}
        self._length = max(place.stop for place in places.values())

    def start(self, masked: Table) -> State:
        """Return the state of a table; O(n p**2)."""
        numbers = masked.numbers
        require_numbers(self._original, numbers)
        values = tuple(ordered_values(numbers[:, v]) for v in self._judged)
        quantiles = np.array([quantiles_of(*own, LEVELS) for own in values]).reshape(-1, len(LEVELS))
        every, sums = np.arange(numbers.shape[1]), sums_of(numbers)
        moments = moments_from(sums, every)
        losses = losses_after(self._population, moments, quantiles, every, np.zeros(self._length))
        return State(numbers, sums, quick_sums_of(sums, every), moments, values, quantiles, losses)

    def update(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; O(p) for each value that differs, and O(n) now and then."""
        before, sums, quick, moments, values, quantiles, losses = state
        numbers = masked.numbers
        columns = columns_that_differ(before, numbers, rows)
        if not columns:
            return state._replace(numbers=numbers)
        known, quantiles = list(values), quantiles.copy()
        for v in columns:
            if v in self._judged:
                place = self._judged[v]
                known[place] = values_after(known[place], before, numbers, rows, v)
                quantiles[place] = quantiles_of(*known[place], LEVELS)
        changed = np.array(columns)
        sums = sums_after(sums, before, numbers, rows)
        moments = moments_from(sums, changed, moments)
        losses = losses_after(self._population, moments, quantiles, changed, losses)
        quick = quick_sums_of(sums, changed, quick)
        return State(numbers, sums, quick, moments, tuple(known), quantiles, losses)

    def values(self, state: State, changes: Changes) -> Numbers:
        """Return the losses of several children; O(p) for each value that differs."""
        before, after, ends = changes.before.numbers, changes.after.numbers, changes.ends
        moments, children = state.moments, len(ends)
        quantiles = np.repeat(state.quantiles[None], children, axis=0)
        differs = np.zeros((children, before.shape[1]), np.bool_)
        for v in (before != after).any(axis=0).nonzero()[0].tolist():
            if v in self._judged:
                place = self._judged[v]
                own = state.values[place]
                quantiles_of_children(*own, LEVELS, before, after, ends, v, place, differs, quantiles)
        counts, varying = np.repeat(moments.counts[None], children, 0), np.repeat(moments.varying[None], children, 0)
        means = np.repeat(moments.means[None], children, 0)
        covariances = np.repeat(moments.covariances[None], children, 0)
        latest = (counts, means, covariances, varying)
        # Copies: what can be written to is another type, for which kernels would be compiled again.
        certain = moments_of_children(state.quick, before.copy(), after.copy(), ends, differs, *latest)
        for child in np.flatnonzero(~certain).tolist():
            changed = np.arange(ends[child - 1] if child else 0, ends[child])
            columns = differs[child].nonzero()[0].tolist()
            write_moments(sums_after(state.sums, before, after, changed), columns, *(part[child] for part in latest))
        losses = losses_of_children(self._population, *latest, quantiles, differs, state.losses)
        every = means_of_rows(losses, list(self._parts.values()))
        return np.array([_mean([100.0 * mean for mean in own]) for own in every])

    def breakdown(self, masked: Table) -> dict[str, float]:
        """Return the loss by part, each 0..100; parts without any attribute or pair to judge are left out."""
        return self._breakdown(self.start(masked))

    def _breakdown(self, state: State) -> dict[str, float]:
        means = means_of(state.losses, list(self._parts.values()))
        return {part: 100.0 * mean for part, mean in zip(self._parts, means, strict=True)}

    def value(self, state: State) -> float:
        """Return the mean of the parts, 0..100; 0 where there is nothing to judge."""
        return _mean(list(self._breakdown(state).values()))


def _mean(parts: list[float]) -> float:
    return sum(parts) / len(parts) if parts else 0.0
