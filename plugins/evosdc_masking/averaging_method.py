"""What all methods have in common that publish the averages of classes of at least k records."""

from abc import abstractmethod
from collections.abc import Sequence
from copy import copy
from typing import ClassVar, Self

import numpy as np
from pydantic import Field

from evosdc.errors import Fault, FaultCollector, ParameterError
from evosdc.model import Design, Parameters, Tunable
from evosdc.printing import printable
from evosdc.table.numerals import numbers
from evosdc.table.schema import Scale
from evosdc.table.spread import Spreads
from evosdc.table.table import Numbers, Table
from evosdc_masking.averages import Average
from evosdc_masking.class_sizes import class_sizes


class SizeParameters(Parameters):
    """Least size of the classes."""

    k: int = Field(default=3, ge=1, description="Least number of records of a class.")


class ClassParameters(SizeParameters):
    """Least size of the classes, and what they publish."""

    average: Average | None = Field(
        default=None,
        description="What a class publishes: median, convex-median, mode or mean, where an attribute's scale has it "
        "(nominal attributes always get their mode, and numbers their median for convex-median); if not given, the "
        "median of ordinal attributes, the mode of nominal ones, the mean of numbers.",
    )


class ClassAveraging(Tunable):
    """A method that divides the records in classes of at least k and publishes the average of each.

    Sampling weights count in the averages and not in the forming of classes: promises are about records.
    """

    class Params(ClassParameters):
        """Least size of the classes, and what they publish."""

    name: ClassVar[str]
    """The registered name, for messages."""

    weighted: ClassVar[bool] = True
    params: SizeParameters
    spreads: Spreads | None = None
    """Of the numbers of the whole file, where a part of it is masked."""

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return k from 2 to a quarter of the file."""
        sizes = class_sizes(len(table))
        return [Design(free=sizes)] if sizes else []

    def remarks(self, table: Table) -> tuple[str, ...]:
        """Return which whole numbers get medians, since they are read as ordered categories."""
        whole = [
            a.name
            for a in table.schema.attributes
            if a.scale is Scale.ORDINAL and not a.date_format and numbers(a.categories) is not None
        ]
        if not whole or getattr(self.params, "average", None) is not None:
            return ()
        return (
            f"{printable(', '.join(whole))}: whole numbers that are read as ordered categories, so that groups publish "
            'their median. The scale "numeric" in the schema publishes their mean.',
        )

    def scaled_by(self, spreads: Spreads) -> Self:
        """Return the method with distances by the whole file's spreads."""
        scaled = copy(self)
        scaled.spreads = spreads
        return scaled

    def require_fit(self, table: Table) -> None:
        """Raise `ParameterError` telling all at once: k above the number of records, scales, groups of attributes."""
        collect = FaultCollector()
        with collect.step():
            self.require_support(table, f"method {self.name}")
        with collect.step():
            self._require_records(len(table))
        with collect.step():
            self.require_blocks(table)
        if collect.faults:
            raise ParameterError(collect.faults)

    def require_blocks(self, table: Table) -> None:
        """Raise `ParameterError` when the parameters name blocks of attributes that do not fit the table."""

    def _require_records(self, n: int) -> None:
        where, k = f"method {self.name}", self.params.k
        if n == 0:
            raise ParameterError(Fault(f"{where}: data", "no record", "at least one record"))
        if k > n:
            advice = f"A class of {k} records cannot be made of {n}."
            raise ParameterError(Fault(f"{where}: k", str(k), f"1..{n}", advice))

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the table of averages.

        Raises
        ------
        ParameterError
            k exceeds the number of records, or attributes that the method cannot mask.
        """
        self.require_fit(table)
        return self.published(table, None, rng)

    def mask_weighted(self, table: Table, weights: Numbers, rng: np.random.Generator) -> Table:
        """Return the table of averages in which each record counts its weight."""
        self.require_fit(table)
        return self.published(table, weights, rng)

    @abstractmethod
    def published(self, table: Table, weights: Numbers | None, rng: np.random.Generator) -> Table:
        """Return the averages of the classes of a table that fits; all weights are equal where None is given."""
