"""Data distortion by probability distribution."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from pydantic import Field

from evosdc.model import Design, Tunable
from evosdc.table.schema import Scale
from evosdc.table.table import MISSING, Codes, Numbers, Table
from evosdc_masking.frequencies import frequencies
from evosdc_masking.rounding import RoundingParameters, published
from evosdc_masking.synthesis.densities import best_density

Column = TypeVar("Column", Codes, Numbers)


class Liew(Tunable):
    """Replace each attribute by draws from its fitted distribution, the least for the least value and so on.

    *Numbers*: of the densities in `evosdc_masking.synthesis.densities` that the Kolmogorov-Smirnov test accepts the one
    with the least statistic is drawn from. Where none is accepted, the distortion is frequency-imposed: the range is
    cut into 8 to 20 intervals, and each gets as many uniform draws as it has values. *Ordinal* values are drawn from
    the empirical frequencies. Draws are given out by rank, equal originals in random order, so that a value above
    another one is never published below it.

    *Nominal* values have no rank: they are drawn from the empirical frequencies independently of the original, and
    their relation to all else is lost. Missing values stay missing; a constant attribute stays as it is.

    Source: Liew, Choi and Liew (1985), after the Handbook on Statistical Disclosure Control. The families of densities,
    the number of intervals (the square root of the number of values, from 8 to 20) and the treatment of categories
    are reconstructions.
    """

    class Params(RoundingParameters):
        """When a density is accepted, and what happens where none is."""

        significance: float = Field(
            default=0.05,
            ge=0,
            le=1,
            description="Densities with a smaller p-value are rejected; 0 rejects none, 1 all of them.",
        )
        intervals: int | None = Field(
            default=None,
            ge=8,
            le=20,
            description="Intervals of the frequency-imposed distortion; by the number of values unless given.",
        )

    promise = 7
    params: Params

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return the method as it is: nothing of it trades loss for risk."""
        return [Design()]

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the distorted table."""
        self.require_fit(table)
        numbers = table.numbers.copy()
        for j in range(numbers.shape[1]):
            present = ~np.isnan(table.numbers[:, j])
            values = table.numbers[present, j]
            if len(values) and np.ptp(values) > 0:
                numbers[present, j] = by_rank(values, self._drawn(values, rng), rng)
        codes = table.codes.copy()
        for j, attribute in enumerate(table.schema.categorical):
            present = table.codes[:, j] != MISSING
            column = table.codes[present, j]
            draws = drawn_categories(column, len(attribute.categories), rng)
            codes[present, j] = by_rank(column, draws, rng) if attribute.scale is Scale.ORDINAL else draws
        masked = published(table, numbers, self.params.rounding)
        return Table(table.schema, codes, masked.numbers)

    def _drawn(self, values: Numbers, rng: np.random.Generator) -> Numbers:
        density = best_density(values, self.params.significance)
        if density is not None:
            draws: Numbers = density.distribution.rvs(size=len(values), random_state=rng)
            if np.isfinite(draws).all():
                return draws
        default = int(np.clip(round(np.sqrt(len(values))), 8, 20))
        return frequency_imposed(values, self.params.intervals or default, rng)


def by_rank(values: Column, draws: Column, rng: np.random.Generator) -> Column:
    """Return the draws in the order of the values: the k-th least draw where the k-th least value stands.

    Equal values are put in random order.
    """
    shuffled = rng.permutation(len(values))
    order = shuffled[np.argsort(values[shuffled], kind="stable")]
    placed = np.empty_like(draws)
    placed[order] = np.sort(draws)
    return placed


def frequency_imposed(values: Numbers, intervals: int, rng: np.random.Generator) -> Numbers:
    """Return as many uniform draws in each of the equal intervals of the range as it has values, ascending by interval.

    Drawing over the whole range and discarding what is too much for its interval, as the source does, gives the same
    distribution.
    """
    edges = np.linspace(values.min(), values.max(), intervals + 1)
    inside = np.clip(np.searchsorted(edges, np.sort(values), side="right") - 1, 0, intervals - 1)
    low, high = edges[inside], edges[inside + 1]
    draws: Numbers = np.clip(low + (high - low) * rng.random(len(values)), low, high)
    return draws


def drawn_categories(column: Codes, size: int, rng: np.random.Generator) -> Codes:
    """Return independent draws from the empirical frequencies of a column without missing values."""
    if not len(column):
        return column
    share = frequencies(column, size) / len(column)
    return rng.choice(size, len(column), p=share).astype(np.int32)
