"""Probabilistic information loss, pil and aPIL."""

from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from evosdc.model import FollowedInPlace, Measure
from evosdc.model.parameters import Parameters
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Rows, Table
from evosdc_measures.numeric_loss.estimators import (
    PARTS,
    OriginalStatistics,
    Part,
    Sample,
    follow_sample,
    original_statistics,
    sample_of,
)
from evosdc_measures.numeric_loss.moments import require_numbers

State = tuple[Numbers, Sample, float]
"""Numbers of the masked table, its estimates, score."""


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
    """

    class Params(Parameters):
        """The density at quantiles."""

        density: Literal["kernel", "normal"] = Field("kernel", description="Density estimate at quantiles.")

    supports = frozenset({Scale.NUMERIC})
    partial = True
    parts: ClassVar[tuple[Part, ...]] = tuple(PARTS)
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


class FittedProbabilisticLoss(FollowedInPlace[State]):
    """`AverageProbabilisticLoss` of one original; an update estimates anew what belongs to changed attributes."""

    def __init__(self, population: OriginalStatistics, original: Table, parts: tuple[Part, ...]) -> None:
        self._population = population
        self._original = original.numbers
        self._parts = parts

    def start(self, masked: Table) -> State:
        """Return the state of a table; O(n p**2)."""
        require_numbers(self._original, masked.numbers)
        return self._scored(masked.numbers, sample_of(self._population, masked.numbers))

    def copied(self, state: State) -> State:
        """Return a copy of a state; numbers and moments are shared."""
        numbers, sample, score = state
        return numbers, replace(sample, ranked=sample.ranked.copy(), quantiles=sample.quantiles.copy()), score

    def follow(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; O(n p) for each attribute that differs somewhere."""
        before, sample, _ = state
        return self._scored(masked.numbers, follow_sample(self._population, sample, before[rows], masked.numbers, rows))

    def _scored(self, numbers: Numbers, sample: Sample) -> State:
        parts = self._breakdown(sample)
        return numbers, sample, sum(parts.values()) / len(parts) if parts else 0.0

    def _breakdown(self, sample: Sample) -> dict[str, float]:
        losses = {part: PARTS[part](self._population, sample) for part in self._parts}
        return {part: 100.0 * float(np.mean(pil)) for part, pil in losses.items() if pil.size}

    def breakdown(self, masked: Table) -> dict[str, float]:
        """Return the loss by part, each 0..100; parts without any attribute or pair to judge are left out."""
        return self._breakdown(self.start(masked)[1])

    def value(self, state: State) -> float:
        """Return the mean of the parts, 0..100; 0 where there is nothing to judge."""
        return state[2]
