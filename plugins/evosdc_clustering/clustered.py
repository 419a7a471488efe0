"""A masking method that clusters records and masks each cluster by itself."""

from collections.abc import Sequence
from math import ceil

import numpy as np
from pydantic import Field

from evosdc.clustering.c_median import SAMPLE, STARTS
from evosdc.errors import InputError
from evosdc.model import Design, Dividing, InnerParameters, Range, Tunable
from evosdc.model.dividing import innermost
from evosdc.model.scales import require_scales
from evosdc.table.schema import Scale
from evosdc.table.table import Rows, Table
from evosdc_clustering.division import FEW_STARTS, Way, clusters_to_mask
from evosdc_clustering.merging import merged

FEWEST, RECORDS = 2, 25_000
"""Clusters where the user does not say how many: so many at least, and one for so many records. Fewer would take long,
and with more of them microaggregation loses more at their borders."""

MOST_TUNED, LARGEST_TUNED = 64, 50_000
"""Clusters that tuning tries at most, and records of a cluster at most, since it tries many files."""


class Clustered(Dividing, Tunable):
    """Cluster the records; have another method mask each cluster by itself.

    Like is masked with like, and a method whose time grows with the square of the records takes a fraction of it. The
    clusters are c-median clusters on the masked attributes (`evosdc.clustering.c_median`), of large files by a sample.
    Large files of numbers alone are cut apart where few neighbours are separated (`evosdc_clustering.cuts`). The order
    of the records is of no account. Methods that compare records measure differences of numbers by the spreads of the
    whole file (`MaskingMethod.scaled_by`).

    A cluster that the inner method refuses, or that has too few records, is merged with the one whose representative is
    nearest before anything is masked. So what the inner method promises of classes of records holds in each cluster and
    in the whole file: k-anonymity, where the inner method promises it.

    Source: thesis, chapter 5 (PSD 2012). Merging, the sample, and the cuts are reconstructions.
    """

    class Params(InnerParameters):
        """How many clusters, of what size, and what masks them."""

        c: int | None = Field(
            None,
            ge=1,
            description="number of clusters; as many as there are distinct records at most; default: one for "
            f"{RECORDS} records, at least {FEWEST}",
        )
        least: int | None = Field(
            None,
            ge=1,
            description="least number of records of a cluster, smaller ones are merged before anything is masked; "
            "default: what the inner method asks for, at least 2",
        )
        clustering: Way | None = Field(
            None,
            description="c-median, or cuts: numbers cut apart where few neighbours are separated, in clusters of "
            f"nearly equal size; default: c-median, and cuts of numbers alone with more than {SAMPLE} distinct records",
        )
        starts: int | None = Field(
            None,
            ge=1,
            description=f"starts of c-median, the best of which counts; default: {STARTS}, and {FEW_STARTS} of files "
            f"with more than {SAMPLE} distinct records, which are clustered by a sample",
        )

    name = "clustered"
    promise = 12
    params: Params

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return microaggregation within clusters, with free numbers of clusters and sizes of classes."""
        n = len(table)
        least = max(2, ceil(n / LARGEST_TUNED))
        if n < 8 * least:
            return []
        most = min(n // 8, max(MOST_TUNED, 4 * least))
        free = (Range("c", least, most, "log", whole=True), Range("inner.k", 2, n // 8, "log", whole=True))
        return [Design({"inner": {"method": "mdav"}}, free)]

    def clusters(self, n: int) -> int:
        """Return how many clusters n records get, before any are merged."""
        return max(FEWEST, ceil(n / RECORDS)) if self.params.c is None else self.params.c

    def require_fit(self, table: Table) -> None:
        """Raise `ParameterError` where the inner method does not fit, or where categories are to be cut apart."""
        if self.params.clustering == "cuts":
            who = f"method {self.name}: clustering: cuts"
            require_scales({Scale.NUMERIC}, table, who, "Choose c-median.")
        super().require_fit(table)

    def divided(self, table: Table, rng: np.random.Generator) -> Sequence[Rows]:
        """Return the positions of the records of each cluster."""
        found = clusters_to_mask(table, self.clusters(len(table)), rng, self.params.clustering, self.params.starts)
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
