"""Microaggregation by MDAV-generic."""

from collections.abc import Sequence

import numpy as np
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Design, Grouping
from evosdc.table.table import Numbers, Table
from evosdc_masking.averaging_method import ClassAveraging
from evosdc_masking.class_averages import ClassNumbers, aggregated
from evosdc_masking.class_sizes import QUADRATIC
from evosdc_masking.microaggregation.blocks import BlockParameters, block_sizes, blocks_of, masked_by_blocks
from evosdc_masking.microaggregation.mdav_partition import mdav_partition
from evosdc_masking.space import Space, space_of


class Mdav(ClassAveraging, Grouping):
    """Publish in place of each record the average record of a class of at least k similar ones.

    The published file is k-anonymous on the masked attributes, or on those of each group where attributes are masked
    by groups. Nothing is random. Distances are those of `evosdc_masking.space`, averages those of
    `evosdc_masking.averages`; the average record from which classes are formed has the chosen average of categories,
    and always the mean of numbers.

    Source: MDAV-generic, Domingo-Ferrer and Torra (2005), see `evosdc_masking.microaggregation.mdav_partition`.
    """

    class Params(BlockParameters):
        """Size of the classes, groups of attributes, and what is published."""

        destandardise: bool = Field(
            default=False,
            description="Stretch each masked numeric attribute so that its mean and variance are the original's "
            "(published values can then leave the original range).",
        )
        hierarchies: bool | None = Field(
            default=None,
            description="Whether categories with a hierarchy are compared by the level of their lowest common "
            "ancestor, and numbers by their difference over the range, as clustering does; not so unless given.",
        )

    name = "mdav"
    promise = 10
    params: Params

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return k and the number of attributes masked together; of numbers with and without destandardising."""
        free = block_sizes(table)
        if not free or len(table) > 10 * QUADRATIC:
            return []
        return (
            [Design({"destandardise": True}, free), Design(free=free)] if table.schema.numeric else [Design(free=free)]
        )

    def require_blocks(self, table: Table) -> None:
        """Raise `ParameterError` when groups do not hold every masked attribute once."""
        blocks_of(table, self.params, self.name)

    def published(self, table: Table, weights: Numbers | None, rng: np.random.Generator) -> Table:
        """Return the microaggregated table."""
        blocks = blocks_of(table, self.params, self.name)
        return masked_by_blocks(table, blocks, lambda part: self._microaggregated(part, weights))

    def classes(self, table: Table, rng: np.random.Generator) -> ClassNumbers:
        """Return the number of each record's class, shape (n,), from 0; of all attributes together.

        Raises
        ------
        ParameterError
            Groups of attributes, of which each has classes of its own.
        """
        if self.params.groups is not None or self.params.group_size is not None:
            advice = "Leave groups and group_size out."
            raise ParameterError(Fault(f"method {self.name}", "attributes in groups", "classes of all of them", advice))
        return mdav_partition(self._space(table), self.params.k)

    def _space(self, part: Table) -> Space:
        return space_of(part, bool(self.params.hierarchies), self.params.average, self.spreads)

    def _microaggregated(self, part: Table, weights: Numbers | None) -> Table:
        masked = aggregated(part, mdav_partition(self._space(part), self.params.k), self.params.average, weights)
        if not self.params.destandardise:
            return masked
        numbers = np.empty_like(masked.numbers)
        for j in range(numbers.shape[1]):
            numbers[:, j] = destandardised(masked.numbers[:, j], part.numbers[:, j], weights)
        return Table(masked.schema, masked.codes, numbers)


def destandardised(masked: Numbers, original: Numbers, weights: Numbers | None = None) -> Numbers:
    """Return masked numbers shifted and stretched to the mean and the variance of the original ones.

    Parameters
    ----------
    masked, original : ndarray of float64, shape (n,)
        Missing values (NaN) stay missing and are left out of means and variances.
    weights : ndarray of float64, shape (n,), optional
        Sampling weights with which means and variances are taken; all equal if not given.

    Returns
    -------
    ndarray of float64, shape (n,)
        Equal values stay equal. A constant column, or one whose mean and variance are right already, is returned as it
        is. The formula's line is lost in the source and restored from its symbols: a reconstruction.
    """
    known, true = ~np.isnan(masked), ~np.isnan(original)
    if not known.any() or not true.any():
        return masked
    counted = np.ones(masked.size) if weights is None else weights
    wanted_mean = np.average(original[true], weights=counted[true])
    # spreads are taken in units of the greatest deviation: squares of large numbers would overflow
    unit = np.abs(original[true] - wanted_mean).max()
    if unit == 0:
        return masked
    mean, spread = _moments(masked[known], counted[known], unit)
    _, wanted_spread = _moments(original[true], counted[true], unit)
    if spread <= 1e-12 or (mean == wanted_mean and spread == wanted_spread):
        return masked
    stretched: Numbers = (masked - mean) * (wanted_spread / spread) + wanted_mean
    return stretched


def _moments(values: Numbers, weights: Numbers, unit: float) -> tuple[float, float]:
    """Return the mean, and the standard deviation in the given unit."""
    mean = float(np.average(values, weights=weights))
    return mean, float(np.sqrt(np.average(((values - mean) / unit) ** 2, weights=weights)))
