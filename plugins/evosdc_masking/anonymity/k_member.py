"""k-member clustering."""

from typing import Literal

import numpy as np
from pydantic import Field

from evosdc.table.table import Table
from evosdc_masking.anonymity.cluster_publishing import ClusterPublishing
from evosdc_masking.anonymity.k_member_partition import k_member_partition
from evosdc_masking.averaging_method import ClassParameters
from evosdc_masking.class_averages import ClassNumbers
from evosdc_masking.space import space_of


class KMember(ClusterPublishing):
    """Grow clusters of k records, each record the one that costs the least generalisation; publish one record for each.

    The loss of a cluster is its size times the sum of the attributes' spreads: the range of its numbers over the range
    of the file's, and the height of its categories' lowest common ancestor over that of the hierarchy. Without a
    hierarchy, ordinal categories are measured by Eq. 2.6 and nominal ones by whether they differ: a reconstruction, as
    is the treatment of missing values (see `evosdc_masking.space`).

    The published file is k-anonymous on the masked attributes. The first record is drawn at random.

    Source: Byun, Kamra, Bertino and Li (2007), where intervals and common ancestors are published (`output` interval);
    averages (`output` point) keep the file in its domain.
    """

    class Params(ClassParameters):
        """Least size of the clusters, and what they publish."""

        output: Literal["point", "interval"] = Field(
            default="point",
            description="point: the average; interval: labels such as [17, 25], common ancestors, or sets.",
        )

    name = "k-member"
    promise = 5
    params: Params

    @property
    def generalises(self) -> bool:
        """Whether intervals, sets and labels of hierarchies are published."""
        return self.params.output == "interval"

    def classes(self, table: Table, rng: np.random.Generator) -> ClassNumbers:
        """Return the number of each record's cluster, shape (n,), from 0."""
        space = space_of(table, clustering=True, spreads=self.spreads)
        return k_member_partition(space, self.params.k, int(rng.integers(len(table))))
