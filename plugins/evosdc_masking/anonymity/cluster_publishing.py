"""What clusterings for anonymity have in common: the clusters' averages or intervals are published."""

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from evosdc.model import Design, Grouping
from evosdc.table.table import Numbers, Table
from evosdc_masking.anonymity.publication import generalised
from evosdc_masking.averages import ClassAveraging, ClassNumbers, ClassParameters, aggregated
from evosdc_masking.tuning import QUADRATIC


class ClusterPublishing(ClassAveraging, Grouping):
    """A method that finds clusters of at least k records and publishes one record for each."""

    params: ClassParameters

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return k from 2 to a quarter of the file; nothing for large files, which take too long to cluster."""
        return super().designs(table) if len(table) <= QUADRATIC else []

    def published(self, table: Table, weights: Numbers | None, rng: np.random.Generator) -> Table:
        """Return the table in which the records of a cluster are the same."""
        classes = self.classes(table, rng)
        if self.generalises:
            return generalised(table, classes)
        return aggregated(table, classes, self.params.average, weights)

    @abstractmethod
    def classes(self, table: Table, rng: np.random.Generator) -> ClassNumbers:
        """Return the number of each record's cluster, shape (n,), from 0 without gaps."""
