"""Mondrian: multidimensional partitioning by medians."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.data.table import MISSING, Table
from evosdc.errors import Fault, ParameterError
from evosdc.model import MaskingMethod, Parameters
from evosdc_masking.aggregation import aggregated

Ranks = NDArray[np.int64]
Split = Callable[[Ranks, int], tuple[NDArray[np.intp], NDArray[np.intp]] | None]


class Mondrian(MaskingMethod):
    """Cut the file again and again at a median, as long as both halves keep k records; publish each part's average.

    The attribute of the widest range is tried first, then the others. Values are compared by rank: numbers by value,
    ordinal categories by order, nominal ones by the order of their codes; a missing value stands behind all others
    (for nominal
    attributes and missing values a reconstruction). The source publishes the interval of each part; here its average is
    published, the median or mode of categories and the mean of numbers, so that the file keeps its domains. The
    result is k-anonymous on the masked attributes, and nothing is random.

    Source: LeFevre, DeWitt and Ramakrishnan (2006).
    """

    class Params(Parameters):
        """Size of the parts, and what happens to records with the median value."""

        k: int = Field(3, ge=1, description="least number of records of a part")
        partitioning: Literal["strict", "relaxed"] = Field(
            "strict", description="strict: records with the median value stay together; relaxed: halves of equal size"
        )

    params: Params

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the table of averages.

        Raises
        ------
        ParameterError
            k exceeds the number of records.
        """
        n, k = len(table), self.params.k
        if k > n:
            raise ParameterError(Fault("method mondrian: k", str(k), f"1..{n}", "There are not that many records."))
        return aggregated(table, mondrian_partition(ranks_of(table), k, self.params.partitioning))


def ranks_of(table: Table) -> Ranks:
    """Return the rank of each value among the distinct ones of its attribute, shape (n, V), in the schema's order."""
    columns = []
    for attribute in table.schema.attributes:
        values = table.column(attribute.name).astype(np.float64)
        absent = values == MISSING if attribute.categorical else np.isnan(values)
        columns.append(np.unique(np.where(absent, np.inf, values), return_inverse=True)[1].reshape(-1))
    return np.stack(columns, axis=1).astype(np.int64)


def mondrian_partition(ranks: Ranks, k: int, partitioning: Literal["strict", "relaxed"]) -> NDArray[np.intp]:
    """Return the part of each record, shape (n,).

    A strict cut at x is allowed if at least k records have at most x and at least k have more; besides the median,
    the cuts beside it are tried. A relaxed cut is allowed if there are 2k records; those with the median value are
    divided in
    the order of their positions.

    Parameters
    ----------
    ranks : ndarray of int64, shape (n, V)
    k : int
    partitioning : {"strict", "relaxed"}
    """
    split: Split = _strict if partitioning == "strict" else _relaxed
    spans = np.maximum(ranks.max(axis=0) - ranks.min(axis=0), 1)
    parts = np.zeros(len(ranks), dtype=np.intp)
    waiting, made = [np.arange(len(ranks), dtype=np.intp)], 0
    while waiting:
        rows = waiting.pop()
        halves = None
        if len(rows) >= 2 * k:
            widths = (ranks[rows].max(axis=0) - ranks[rows].min(axis=0)) / spans
            for axis in np.argsort(-widths, kind="stable"):
                if widths[axis] > 0:
                    halves = split(ranks[rows, axis], k)
                if halves is not None:
                    break
        if halves is None:
            parts[rows] = made
            made += 1
        else:
            waiting += [rows[half] for half in reversed(halves)]
    return parts


def _strict(values: Ranks, k: int) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    below = np.cumsum(np.bincount(values))
    present = np.flatnonzero(np.bincount(values))
    allowed = [x for x in present[:-1] if below[x] >= k and len(values) - below[x] >= k]
    if not allowed:
        return None
    median = np.sort(values)[(len(values) - 1) // 2]
    cut = min(allowed, key=lambda x: (abs(int(below[x]) - int(below[median])), x))
    return np.flatnonzero(values <= cut), np.flatnonzero(values > cut)


def _relaxed(values: Ranks, k: int) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    order = np.argsort(values, kind="stable")
    half = (len(values) + 1) // 2
    return np.sort(order[:half]), np.sort(order[half:])
