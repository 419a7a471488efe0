"""k-anonymity by medians."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import Field

from evosdc.model import Design
from evosdc.table.table import Numbers, Table
from evosdc_masking.anonymity.global_order import blocks_of_order, global_order
from evosdc_masking.anonymity.mondrian_axes import axes_of
from evosdc_masking.anonymity.mondrian_partition import CUTS, mondrian_partition
from evosdc_masking.averaging_method import ClassAveraging, SizeParameters
from evosdc_masking.class_averages import ClassNumbers, aggregated
from evosdc_masking.class_sizes import class_sizes


class GlobalMedian(ClassAveraging):
    """Form groups of at least k records; publish the lower median of each attribute in a group, or its mode.

    Ordinal categories and numbers get the lower median, nominal categories the mode, ties by the order of the
    categories: published values are values that some record of the group has. The file is k-anonymous on the masked
    attributes. Nothing is random, and the order of the records is of no account but among equal ones.

    The method is a reconstruction. The thesis that evosdc follows (5.3.1) names it after medians and derives it from
    Mondrian; its text is lost. Two readings are offered. Groups are the parts of a strict Mondrian partition (LeFevre,
    DeWitt and Ramakrishnan, 2006) along the order of the categories. Or they are runs of one global order: by distance
    to the median record of the whole file, then by the values (`evosdc_masking.anonymity.global_order`).

    How missing values take part is told in `evosdc_masking.averages`: under the rule ``category`` a median is missing
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
    promise = 4
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
