"""Data shuffling."""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field
from scipy.stats import norm, rankdata

from evosdc.model import Parameters
from evosdc.table.schema import Scale, Schema
from evosdc.table.table import Numbers, Table
from evosdc_masking.auxiliary import ReadingOthers
from evosdc_masking.synthesis import basis, design_matrix, exact_residuals, fitted, residuals
from evosdc_masking.tuning import Untuned


class Shuffling(ReadingOthers, Untuned):
    """Give the values of each attribute to other records, as a model of them given the predictors would order them.

    Masked attributes are taken by their normal scores and regressed on predictors that are published as they are; the
    expectations plus normal residuals of the regression's covariance (``residuals = "drawn"``), or residuals that keep
    this covariance exactly and are orthogonal to the predictors (``"exact"``, as EGADP does), say in which order
    records come, and the record of each place gets the value of that place. Every marginal distribution is kept
    exactly, and rank correlations nearly, those with the predictors too; given the predictors a published value tells
    nothing of the person's own. Missing values stay where they are.

    Sources: Muralidhar and Sarathy (2006) for shuffling, (2005) for EGADP. Normal scores in place of correlations that
    are converted from ranks, dummies of categorical predictors, and that a missing value counts as the mean when the
    model is fitted, are reconstructions.
    """

    class Params(Parameters):
        """What explains, and how residuals are made."""

        predictors: tuple[str, ...] = Field(
            (),
            description="Attributes that explain, of any scale, not masked themselves; without any a constant alone.",
        )
        residuals: Literal["drawn", "exact"] = Field("drawn", description="drawn, or keeping their covariance exactly")

    where = "method shuffling: predictors"
    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.NUMERIC})
    params: Params

    def named(self, schema: Schema | None = None) -> Sequence[str]:
        """Return the predictors."""
        return self.params.predictors

    def mask_given(self, table: Table, auxiliary: Table, rng: np.random.Generator) -> Table:
        """Return the shuffled table."""
        self.require_fit(table)
        n, p = table.numbers.shape
        draws = rng.standard_normal((n, p))
        if n < 2 or p == 0:
            return table
        scores = normal_scores(table.numbers)
        explained = Table(auxiliary.schema, auxiliary.codes, normal_scores(auxiliary.numbers))
        space = basis(design_matrix(explained, n))
        rest = residuals(space, scores)
        noise = self._noise(space, rest, draws)
        wanted = fitted(space, scores) + noise
        numbers = table.numbers.copy()
        for j in range(p):
            present = np.flatnonzero(~np.isnan(table.numbers[:, j]))
            order = present[np.argsort(wanted[present, j], kind="stable")]
            numbers[order, j] = np.sort(table.numbers[present, j])
        return Table(table.schema, table.codes, numbers)

    def _noise(self, space: Numbers, rest: Numbers, draws: Numbers) -> Numbers:
        """Return residuals with the covariance of `rest`, shape (n, p)."""
        n, p = rest.shape
        _, triangle = np.linalg.qr(rest)
        if self.params.residuals == "exact" and n >= p + space.shape[1]:
            return exact_residuals(space, draws, triangle)
        noise: Numbers = draws[:, : len(triangle)] @ triangle / np.sqrt(n)
        return noise


def normal_scores(numbers: Numbers) -> Numbers:
    """Return normal quantiles of ``(rank - 0.5) / n`` in each column, ties at their mean rank, missing values at 0."""
    scores = np.zeros(numbers.shape)
    for j, column in enumerate(numbers.T):
        present = ~np.isnan(column)
        if present.any():
            scores[present, j] = norm.ppf((rankdata(column[present]) - 0.5) / present.sum())
    return scores
