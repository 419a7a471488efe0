"""Microaggregation of each attribute on its own: optimal, and individual ranking."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from evosdc.model import Design
from evosdc.table.schema import Scale
from evosdc.table.table import Numbers, Table
from evosdc_masking.averaging_method import ClassAveraging, ClassParameters
from evosdc_masking.class_sizes import OF_VALUES, class_sizes
from evosdc_masking.microaggregation.attribute_classes import Partition, attribute_by_attribute
from evosdc_masking.microaggregation.line_partition import equal_runs, least_deviations, least_squares
from evosdc_masking.space import standardised


class OneByOne(ClassAveraging):
    """What both methods have in common: classes of one attribute's values, which may be large."""

    supports: ClassVar[frozenset[Scale]] = frozenset({Scale.ORDINAL, Scale.NUMERIC})
    params: ClassParameters

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return k from 2 to half of the file."""
        sizes = class_sizes(len(table), OF_VALUES)
        return [Design(free=sizes)] if sizes else []


class UnivariateMicroaggregation(OneByOne):
    """Publish of each attribute the averages of the optimal classes of at least k records.

    Every attribute has classes of its own. Numbers are divided so that the sum of squared deviations from the classes'
    means is the least possible, whatever average is published. Ordinal attributes are divided so that the sum of the
    distances of Eq. 2.6 to the classes' medians is the least possible; this is a reconstruction, since the sources
    define optimality for numbers only. Nominal attributes have no order and are refused.

    Every published value of an attribute occurs k times or more (see `attribute_classes` for missing values). The file
    is not k-anonymous on several attributes together. Nothing is random.

    Source: Hansen and Mukherjee (2003), see `evosdc_masking.microaggregation.line_partition`.
    """

    name = "univariate-microaggregation"

    def published(self, table: Table, weights: Numbers | None, rng: np.random.Generator) -> Table:
        """Return the averages of each attribute's optimal classes."""
        k = self.params.k
        return attribute_by_attribute(table, k, lambda part: _optimal(part, k), self.params.average, weights)


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

    def published(self, table: Table, weights: Numbers | None, rng: np.random.Generator) -> Table:
        """Return the averages of each attribute's runs."""
        k, average = self.params.k, self.params.average
        return attribute_by_attribute(table, k, lambda _: lambda values: equal_runs(values.size, k), average, weights)


def _optimal(part: Table, k: int) -> Partition:
    if part.schema.categorical:
        return lambda codes: least_deviations(codes.astype(np.int64), k)
    # in units of the attribute's deviation, squares stay in the range of floats
    return lambda values: least_squares(standardised(values[:, None]), k)
