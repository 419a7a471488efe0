"""Mondrian: multidimensional partitioning by medians and along hierarchies."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import Field

from evosdc.model import Design, Grouping
from evosdc.table.table import Numbers, Table
from evosdc_masking.anonymity.mondrian_axes import axes_of
from evosdc_masking.anonymity.mondrian_partition import CUTS, mondrian_partition
from evosdc_masking.anonymity.publication import generalised
from evosdc_masking.averaging_method import ClassAveraging, ClassParameters
from evosdc_masking.class_averages import ClassNumbers, aggregated
from evosdc_masking.class_sizes import class_sizes


class Mondrian(ClassAveraging, Grouping):
    """Cut the file again and again at a median, as long as all pieces keep k records; publish one value for each part.

    The attribute of which a part spans most is tried first (or they are tried in random order), then the others.
    Numbers are compared by value, ordinal categories by order, nominal ones by the order of their codes (a fixed order
    is all that is asked of them; which one is a reconstruction); categories with a hierarchy are cut into the children
    of their lowest common ancestor instead. A missing value stands behind all others, or below the root (a
    reconstruction). The published file is k-anonymous on the masked attributes. Without hierarchies a relaxed part has
    at most 2k - 1 records, unless all are the same. A strict one has at most 2 V (k - 1) + m, with m the greatest
    number of equal records in it. The paper's algorithm cuts a strict part at the median alone, and the part stays
    whole where k forbids that (`partitioning` median). Nothing bounds such parts: the default looks for another cut.

    Source: LeFevre, DeWitt and Ramakrishnan (2006). There the interval of each part is published (`output` interval);
    averages (`output` point) keep the file in its domain.
    """

    class Params(ClassParameters):
        """Least size of the parts, how they are cut, and what they publish."""

        partitioning: Literal["strict", "median", "relaxed"] = Field(
            "strict",
            description="strict: records of equal value stay together, cut as near to the median as k allows; median: "
            "the same, cut at the median or not at all; relaxed: halves of equal size",
        )
        dimension: Literal["widest", "random"] = Field(
            "widest", description="which attribute is tried first: the one of which the part spans most, or any"
        )
        hierarchies: bool = Field(
            True, description="whether categories with a hierarchy are cut along it and published as its labels"
        )
        output: Literal["point", "interval"] = Field(
            "point", description="point: the average; interval: labels such as [17, 25]"
        )

    name = "mondrian"
    promise = 9
    params: Params

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return strict and relaxed parts, each with k from 2 to a quarter of the file."""
        sizes = class_sizes(len(table))
        return [Design({"partitioning": way}, sizes) for way in ("strict", "relaxed")] if sizes else []

    @property
    def generalises(self) -> bool:
        """Whether intervals, sets and labels of hierarchies are published."""
        return self.params.output == "interval"

    def published(self, table: Table, weights: Numbers | None, rng: np.random.Generator) -> Table:
        """Return the table of averages or of labels; the generator is used for the random choice of dimensions only.

        Raises
        ------
        HierarchyError
            A category that the attribute's hierarchy lacks.
        """
        classes = self.classes(table, rng)
        if self.generalises:
            return generalised(table, classes, self.params.hierarchies)
        return aggregated(table, classes, self.params.average, weights)

    def classes(self, table: Table, rng: np.random.Generator) -> ClassNumbers:
        """Return the number of each record's part, shape (n,), from 0."""
        k = self.params.k
        axes = axes_of(table, self.params.hierarchies, self.spreads)
        parts = 2 * (len(table) // k) + 1 if self.params.dimension == "random" else 0
        priorities = rng.random((parts, len(table.schema)))
        return mondrian_partition(axes, k, CUTS[self.params.partitioning], priorities)
