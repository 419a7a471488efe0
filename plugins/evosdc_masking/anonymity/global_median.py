"""Global median: blocks of records in one global order publish their medians."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import Field

from evosdc.model import Design
from evosdc.table.spread import Spreads
from evosdc.table.table import MISSING, Codes, Numbers, Rows, Table
from evosdc_masking.anonymity.mondrian import CUTS, axes_of, mondrian_partition
from evosdc_masking.averages import ClassAveraging, ClassNumbers, SizeParameters, aggregated
from evosdc_masking.point_search import incomplete_columns, measure
from evosdc_masking.space import Space, space_of
from evosdc_masking.tuning import class_sizes


def global_order(table: Table, spreads: Spreads | None = None) -> Rows:
    """Return the positions of the records, shape (n,), n >= 1, the nearest to the median record first."""
    # Records at the same distance are in lexicographic order: attribute by attribute as the schema has them,
    # categories by their order and numbers by value, a missing value behind all others. Equal ones are as in the
    # file. Numbers are scaled by the spreads given, by default the table's own.
    keys = [_ranked(table, name) for name in reversed(table.schema.names)]
    return np.lexsort([*keys, distances_to_median(table, spreads)])


def distances_to_median(table: Table, spreads: Spreads | None = None) -> Numbers:
    """Return the distance of each record to the median record of the file, shape (n,)."""
    # That record has the lower median of each ordinal or numeric attribute and the mode of each nominal one; nobody
    # need be like it.
    n = len(table)
    median = aggregated(table, np.zeros(n, dtype=np.int64), "median", in_domain=True)
    space = space_of(table, spreads=spreads)
    codes = np.where(median.codes[0] == MISSING, space.metric.sizes - 1, median.codes[0]).astype(np.int32)
    away = np.empty(len(space.points))
    numbers = _scaled(table, median, space)
    measure(space.metric, space.codes, space.numbers, incomplete_columns(space.numbers), codes, numbers, away)
    distances = np.empty(n)
    distances[space.points.members] = np.repeat(away, space.points.counts)
    return distances


def _scaled(table: Table, median: Table, space: Space) -> Numbers:
    """Return the numbers of the median record on the scale of the space, read off records that have them."""
    scaled = np.full(table.numbers.shape[1], np.nan)
    for j, value in enumerate(median.numbers[0]):
        if not np.isnan(value):
            # With numbers each record is a point of its own.
            scaled[j] = space.numbers[j, np.flatnonzero(table.numbers[:, j] == value)[0]]
    return scaled


def _ranked(table: Table, name: str) -> Codes | Numbers:
    column = table.column(name)
    if table.schema[name].categorical:
        return np.where(column == MISSING, np.iinfo(np.int32).max, column)
    return column


def blocks_of_order(order: Rows, k: int) -> ClassNumbers:
    """Return the number of each record's block, shape (n,): consecutive blocks of k, the last one of k to 2k - 1."""
    n = order.size
    blocks = np.empty(n, dtype=np.int64)
    blocks[order] = np.minimum(np.arange(n) // k, n // k - 1)
    return blocks


class GlobalMedian(ClassAveraging):
    """Form groups of at least k records; publish the lower median of each attribute in a group, or its mode.

    Ordinal categories and numbers get the lower median, nominal categories the mode, ties by the order of the
    categories: published values are values that some record of the group has. The file is k-anonymous on the masked
    attributes. Nothing is random, and the order of the records is of no account but among equal ones.

    The method is a reconstruction. The thesis that evosdc follows (5.3.1) names it after medians and derives it from
    Mondrian; its text is lost. Two readings are offered. Groups are the parts of a strict Mondrian partition (LeFevre,
    DeWitt and Ramakrishnan, 2006) along the order of the categories. Or they are runs of one global order: by distance
    to the median record of the whole file, then by the values (`evosdc_masking.anonymity.global_median`).

    For missing values see `evosdc_masking.averages`: under the rule ``category`` a median is missing
    where more than half of the values are.
    """

    class Params(SizeParameters):
        """Least size of the groups, and how they are formed."""

        partitioning: Literal["mondrian", "global-order"] = Field(
            "mondrian",
            description="mondrian: cuts at medians, attribute by attribute; global-order: runs of the records ordered "
            "by their distance to the median record",
        )

    name = "global-median"
    promise = 12
    params: Params

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return both ways to form groups, each with k from 2 to a quarter of the file."""
        sizes = class_sizes(len(table))
        return [Design({"partitioning": way}, sizes) for way in ("mondrian", "global-order")] if sizes else []

    def published(self, table: Table, weights: Numbers | None, rng: np.random.Generator) -> Table:
        """Return the table of medians and modes; the generator is not used."""
        return aggregated(table, self.classes(table), "median", weights, in_domain=True)

    def classes(self, table: Table) -> ClassNumbers:
        """Return the number of each record's group, shape (n,), from 0."""
        if self.params.partitioning == "global-order":
            return blocks_of_order(global_order(table, self.spreads), self.params.k)
        return mondrian_partition(
            axes_of(table, False, self.spreads), self.params.k, CUTS["strict"], np.empty((0, len(table.schema)))
        )
