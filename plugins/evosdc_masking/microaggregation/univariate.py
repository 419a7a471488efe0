"""Microaggregation of each attribute on its own: optimal, and individual ranking.

Hansen and Mukherjee (2003): an optimal partition of sorted values in groups of at least k consists of runs of k to 2k -
1 neighbours. The best partition of the first j values ends with one of the k runs (i, j], j - 2k < i <= j - k. Before
that run it is the best partition of the first i. A run's loss is updated value by value while the run is lengthened
downwards, which takes O(kn) steps and no differences of large sums.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.model import Design
from evosdc.table.schema import MissingRule, Scale
from evosdc.table.table import MISSING, Numbers, Table
from evosdc_masking.averages import ClassAveraging, ClassNumbers, ClassParameters, aggregated
from evosdc_masking.space import standardised
from evosdc_masking.tuning import OF_VALUES, class_sizes

Labels = NDArray[np.int64]
Integers = NDArray[np.int64]


def least_squares(points: Numbers, k: int) -> Labels:
    """Return the partition in runs of the least sum of squared deviations from the runs' means."""
    # Points (n, V) are in the order of the line, n >= k. Where V = 1 and they are sorted, it is the best of all.
    return _runs(_begins(np.ascontiguousarray(points, dtype=np.float64), k, True))


def least_deviations(codes: Integers, k: int) -> Labels:
    """Return the partition in runs of the least sum of absolute deviations from the runs' medians."""
    # Codes (n,) ascend, n >= k. It is the best partition of all in groups of at least k: groups may be taken as runs,
    # and a run of 2k or more can be cut without loss.
    return _runs(_begins(np.ascontiguousarray(codes[:, None], dtype=np.float64), k, False))


def equal_runs(n: int, k: int) -> Labels:
    """Return the partition of n places in runs of k, the last of which takes the fewer than k that are over."""
    return np.minimum(np.arange(n) // k, max(n // k - 1, 0))


@njit(cache=True)
def _begins(points: Numbers, k: int, squares: bool) -> Integers:
    """Return for each place, shape (n + 1,), where the run that ends before it begins, in the best partition."""
    # The loss of a run is its sum of squares, or its sum of absolute deviations of one attribute of whole numbers.
    n, width = points.shape
    best = np.full(n + 1, np.inf)
    best[0] = 0.0
    begins = np.zeros(n + 1, dtype=np.int64)
    mean, below = np.empty(width, dtype=np.float64), np.zeros(n + 1, dtype=np.float64)
    for i in range(n):
        below[i + 1] = below[i] + points[i, 0]
    for j in range(k, n + 1):
        mean[:] = 0.0
        loss = 0.0
        for size in range(1 if squares else k, min(2 * k - 1, j) + 1):
            i = j - size
            if squares:
                for v in range(width):
                    away = points[i, v] - mean[v]
                    mean[v] += away / size
                    loss += away * (points[i, v] - mean[v])
            else:
                half = size // 2
                loss = (below[j] - below[j - half]) - (below[i + half] - below[i])
            if size >= k and best[i] + loss < best[j]:
                best[j], begins[j] = best[i] + loss, i
    return begins


def _runs(begins: Integers) -> Labels:
    """Return the number of each place's run, where ``begins[j]`` is the begin of the run that ends at j."""
    before, ends = begins.tolist(), [begins.size - 1]
    while ends[-1] > 0:
        ends.append(before[ends[-1]])
    sizes = -np.diff(ends)[::-1]
    return np.repeat(np.arange(sizes.size), sizes)


def attribute_classes(table: Table, k: int, partition: Callable[[NDArray[Any], bool], Labels]) -> ClassNumbers:
    """Return the class of each record of a table of one ordinal or numeric attribute."""
    # Equal values are taken in the order of the records. Missing values are a class of their own; under the rule
    # ``category``, where they or the present ones are fewer than k, they join the class of the median record (where the
    # present ones are fewer than k, all records are one class), so that every class has k records: a reconstruction.
    (attribute,) = table.schema.attributes
    column = table.column(attribute.name)
    missing = column == MISSING if attribute.categorical else np.isnan(column)
    present = np.flatnonzero(~missing)
    order = present[np.argsort(column[present], kind="stable")]
    labels = (
        partition(column[order], attribute.categorical) if order.size >= k else np.zeros(order.size, dtype=np.int64)
    )
    classes = np.empty(len(table), dtype=np.int64)
    classes[order] = labels
    few = min(order.size, len(table) - order.size) < k and table.schema.na is not MissingRule.WILDCARD
    if order.size == 0:
        classes[missing] = 0
    elif few:
        classes[missing] = labels[(order.size - 1) // 2]
    else:
        classes[missing] = labels.max() + 1
    return classes


class OneByOne(ClassAveraging):
    """What both methods have in common: classes of one attribute's values, which may be large."""

    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.ORDINAL, Scale.NUMERIC})
    params: ClassParameters

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return k from 2 to half of the file."""
        sizes = class_sizes(len(table), OF_VALUES)
        return [Design(free=sizes)] if sizes else []

    @abstractmethod
    def runs(self, values: NDArray[Any], categorical: bool) -> Labels:
        """Return the number of each value's run, of sorted values, none missing and at least k."""

    def published(self, table: Table, weights: Numbers | None, rng: np.random.Generator) -> Table:
        """Return the table in which each attribute has the averages of classes of its own."""
        masked = table
        for name in table.schema.names:
            part = table.select([name])
            classes = attribute_classes(part, self.params.k, self.runs)
            masked = masked.with_columns(aggregated(part, classes, self.params.average, weights))
        return masked


class UnivariateMicroaggregation(OneByOne):
    """Publish of each attribute the averages of the optimal classes of at least k records.

    Every attribute has classes of its own. Numbers are divided so that the sum of squared deviations from the classes'
    means is the least possible, whatever average is published. Ordinal attributes are divided so that the sum of the
    distances of Eq. 2.6 to the classes' medians is the least possible; this is a reconstruction, since the sources
    define optimality for numbers only. Nominal attributes have no order and are refused.

    Every published value of an attribute occurs k times or more (see `attribute_classes` for missing values). The file
    is not k-anonymous on several attributes together. Nothing is random.

    Source: Hansen and Mukherjee (2003), see `evosdc_masking.microaggregation.univariate`.
    """

    name = "univariate-microaggregation"

    def runs(self, values: NDArray[Any], categorical: bool) -> Labels:
        """Return the optimal runs."""
        if categorical:
            return least_deviations(values.astype(np.int64), self.params.k)
        # in units of the attribute's deviation, squares stay in the range of floats
        return least_squares(standardised(values[:, None]), self.params.k)


class IndividualRanking(OneByOne):
    """Publish of each attribute the averages of runs of k records in the order of its values.

    Every attribute has classes of its own: its values are sorted, equal ones by the order of the records, and cut in
    runs of k; the last run takes the fewer than k values that are over. Ordinal attributes publish the medians of
    their runs. Nominal attributes have no order and are refused.

    Every published value of an attribute occurs k times or more (see `attribute_classes` for missing values). Values
    move by little, so that little is lost and much can be disclosed: the file is not k-anonymous on several attributes
    together. Nothing is random.

    Source: individual ranking of Defays and Nanopoulos (1993).
    """

    name = "individual-ranking"

    def runs(self, values: NDArray[Any], categorical: bool) -> Labels:
        """Return runs of k, the last of which takes the fewer than k that are over."""
        return equal_runs(values.size, self.params.k)
