"""Masking methods that put records into groups, and can say which without publishing anything."""

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from evosdc.model.masking import MaskingMethod
from evosdc.table.table import Table


class Grouping(MaskingMethod):
    """A masking method that divides the records in groups and publishes one record for each.

    Another method or a genotype may take the groups and publish something else for them.
    """

    @abstractmethod
    def classes(self, table: Table, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the number of each record's group, shape (n,), from 0 without gaps.

        Parameters
        ----------
        table : Table
            One that the method fits (`MaskingMethod.require_fit`).
        rng : numpy.random.Generator
        """
