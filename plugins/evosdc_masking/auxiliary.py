"""Checks shared by methods that read attributes which they do not mask."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from evosdc.errors import Fault, FaultCollector, ParameterError
from evosdc.model import Tunable
from evosdc.table.schema import Role, Schema
from evosdc.table.table import Table


class ReadingOthers(Tunable):
    """A method whose parameters name attributes that it reads; `mask_given` has them, `mask` works without any."""

    where: ClassVar[str]  # the parameter, for messages
    read_identifiers: ClassVar[bool] = False

    @abstractmethod
    def named(self, schema: Schema | None = None) -> Sequence[str]:
        """Return the attributes that parameters name, with those that a schema names by their role."""

    def auxiliary_names(self, schema: Schema, masked: Sequence[str]) -> tuple[str, ...]:
        """Return the attributes to read; raise `InputError` for unknown ones, masked ones and identifiers."""
        names, collect = tuple(dict.fromkeys(self.named(schema))), FaultCollector()
        with collect.step():
            schema.require(names, self.where)
        identifiers = () if self.read_identifiers else schema.with_role(Role.IDENTIFIER)
        for wrong, why, wanted in (
            (masked, "masked", "attributes that are not masked"),
            (identifiers, "an identifier", "attributes that say something about many records"),
        ):
            both = [name for name in names if name in wrong]
            if both:
                advice = "Leave it out: such attributes are published as they are."
                collect.faults.append(Fault(self.where, f"{', '.join(both)}, {why}", wanted, advice))
        collect.settle()
        return names

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the masked table where no attribute is named; `mask_given` has those that are."""
        if names := self.named():
            advice = "Call mask_given, or evosdc.mask, which has the whole file."
            raise ParameterError(
                Fault(self.where, f"{', '.join(names)} without the file", "the attributes' values", advice)
            )
        return self.mask_given(table, table.select(()), rng)
