"""Spearman's correlation of columns, of which each is ranked once."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evosdc.table.distinct_values import placed_values
from evosdc.table.table import Numbers


@dataclass(frozen=True, eq=False)
class Ranking:
    """A column whose ranks are found once, for its correlations with several others.

    Parameters
    ----------
    values : ndarray of float64, shape (n,)
    """

    values: Numbers

    @cached_property
    def missing(self) -> NDArray[np.bool_]:
        """Where there is no value."""
        return np.isnan(self.values)

    @cached_property
    def ranks(self) -> Numbers:
        """Of a column without missing values, equal ones at the middle of theirs."""
        return _ranked(self.values)

    def among(self, records: NDArray[np.bool_]) -> Numbers:
        """Return the ranks of some of the records among these, none of which is missing."""
        return self.ranks if records.all() else _ranked(self.values[records])


def rank_correlation(first: Ranking, second: Ranking, fewest: int) -> float | None:
    """Return Spearman's correlation over the records that have both values.

    None where those are fewer than `fewest`, or one of the columns does not vary.
    """
    both = ~(first.missing | second.missing)
    if both.sum() < fewest:
        return None
    ranks = first.among(both), second.among(both)
    if ranks[0].std() == 0.0 or ranks[1].std() == 0.0:
        return None
    return float(np.corrcoef(*ranks)[0, 1])


def _ranked(values: Numbers) -> Numbers:
    # As scipy.stats.rankdata, whose import alone takes longer than the rest of a small run.
    _, places, counts = placed_values(values)
    averages: Numbers = np.cumsum(counts) - (counts - 1) / 2
    return averages[places]
