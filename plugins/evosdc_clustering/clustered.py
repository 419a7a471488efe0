"""A masking method that clusters records and masks each cluster by itself."""

from collections.abc import Sequence

import numpy as np
from pydantic import Field

from evosdc.clustering.c_median import c_median
from evosdc.errors import InputError
from evosdc.model import Design, Dividing, InnerParameters, Range, Tunable
from evosdc.model.dividing import innermost
from evosdc.table.table import Rows, Table
from evosdc_clustering.merging import merged

FEWEST = 8
"""Clusters where the user does not say how many, in files that are not large."""

RECORDS = 5000
"""Records for which there is a cluster each where the user does not say how many, in large files."""

MOST_TUNED = 64
"""Clusters that tuning tries at most."""


class Clustered(Dividing, Tunable):
    """Cluster the records by c-median; have another method mask each cluster by itself.

    Like is masked with like, so that less is lost; and a method whose time grows with the square of the records takes a
    fraction of it. Clusters are those of `evosdc.clustering.c_median` on the masked attributes; what represents them
    depends on the records alone, whatever their order. A cluster that the inner method refuses, or that has fewer
    records than it is to have, is merged with the one whose representative is nearest before anything is masked. So
    what the inner method promises of classes of records holds in each cluster, and in the whole file: k-anonymity,
    where the inner method promises it.

    Source: thesis, chapter 5 (PSD 2012). Merging is a reconstruction.
    """

    class Params(InnerParameters):
        """How many clusters, of what size, and what masks them."""

        c: int | None = Field(
            None,
            ge=1,
            description=f"number of clusters; as many as there are distinct records at most; default: {FEWEST}, and in "
            f"large files one for {RECORDS} records",
        )
        least: int | None = Field(
            None,
            ge=1,
            description="least number of records of a cluster, smaller ones are merged before anything is masked; "
            "default: what the inner method asks for, at least 2",
        )
        starts: int = Field(10, ge=1, description="starts of the clustering, the best of which counts")

    name = "clustered"
    params: Params

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return microaggregation within clusters, with free numbers of clusters and sizes of classes."""
        n = len(table)
        most = min(n // 8, MOST_TUNED)
        if most < 2:
            return []
        free = (Range("c", 2, most, "log", whole=True), Range("inner.k", 2, max(2, n // 8), "log", whole=True))
        return [Design({"inner": {"method": "mdav"}}, free)]

    def clusters(self, n: int) -> int:
        """Return how many clusters n records get, before any are merged."""
        return max(FEWEST, n // RECORDS) if self.params.c is None else self.params.c

    def divided(self, table: Table, rng: np.random.Generator) -> Sequence[Rows]:
        """Return the positions of the records of each cluster."""
        found = c_median(table, self.clusters(len(table)), rng, self.params.starts)
        return merged(table, found, lambda rows: self._fits(table, rows))

    def _fits(self, table: Table, rows: Rows) -> bool:
        """Whether some records can be masked by themselves."""
        if len(rows) < self._least():
            return False
        try:
            self.inner.require_fit(table.take(rows))
        except InputError:
            return False
        return True

    def _least(self) -> int:
        if self.params.least is not None:
            return self.params.least
        k = getattr(innermost(self).params, "k", None)
        return max(2, k) if isinstance(k, int) else 2
