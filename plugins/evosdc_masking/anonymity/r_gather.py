"""r-gather clustering."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from pydantic import Field

from evosdc.model import Design
from evosdc.table.schema import MissingRule
from evosdc.table.table import Numbers, Table
from evosdc_masking.anonymity.cluster_publishing import ClusterPublishing
from evosdc_masking.anonymity.r_gather_partition import Gathering, gathered
from evosdc_masking.averaging_method import ClassParameters
from evosdc_masking.class_averages import ClassNumbers
from evosdc_masking.space import space_of


class RGather(ClusterPublishing):
    """Find clusters of at least k records (r in the source) of small radius; publish one record for each.

    The greatest distance of a record from the centre of its cluster is at most twice the least that any clustering
    has. The distance is that of `evosdc_masking.space` for clustering, a metric; a missing value is always a category
    of its own while clusters are formed, since the bound needs a metric.

    The published file is k-anonymous on the masked attributes. Nothing is random.

    Source: Aggarwal et al. (2006), see `evosdc_masking.anonymity.r_gather_partition`. There the centres are published
    (`output` centre); averages (`output` point) are evosdc's choice.
    """

    class Params(ClassParameters):
        """Least size of the clusters, and what they publish."""

        output: Literal["point", "centre", "interval"] = Field(
            default="point",
            description="point: the average; centre: the record at the centre; interval: labels such as [17, 25], "
            "common ancestors, or sets.",
        )

    name = "r-gather"
    params: Params

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return averages and centres, each with k from 2 to a quarter of the file."""
        own = super().designs(table)
        return [Design({"output": output}, design.free) for design in own for output in ("point", "centre")]

    @property
    def generalises(self) -> bool:
        """Whether intervals, sets and labels of hierarchies are published."""
        return self.params.output == "interval"

    def published(self, table: Table, weights: Numbers | None, rng: np.random.Generator) -> Table:
        """Return the table in which the records of a cluster are the same."""
        if self.params.output != "centre":
            return super().published(table, weights, rng)
        gathering = self._gathering(table)
        return table.take(gathering.centres[gathering.classes].astype(np.intp))

    def classes(self, table: Table, rng: np.random.Generator) -> ClassNumbers:
        """Return the number of each record's cluster, shape (n,), from 0."""
        return self._gathering(table).classes

    def _gathering(self, table: Table) -> Gathering:
        judged = replace(table, schema=replace(table.schema, na=MissingRule.CATEGORY))
        return gathered(space_of(judged, clustering=True, spreads=self.spreads), self.params.k)
