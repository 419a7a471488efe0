"""The two files that judges compare, and which attributes they are asked about."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evosdc.errors import DataError, Fault
from evosdc.table.alignment import align_codes
from evosdc.table.schema import Role
from evosdc.table.table import Table


@dataclass(frozen=True)
class Sides:
    """The two files, and which attributes are judged in which way."""

    original: Table
    masked: Table
    chance: Table
    attributes: tuple[str, ...]

    @property
    def known(self) -> tuple[str, ...]:
        """What an intruder is taken to know: all but sensitive attributes, where there are others."""
        schema = self.original.schema
        return tuple(n for n in self.attributes if schema[n].role is not Role.SENSITIVE) or self.attributes

    @property
    def wanted(self) -> tuple[str, ...]:
        """What an intruder wants to learn: the sensitive attributes, where there are any."""
        schema = self.original.schema
        return tuple(n for n in self.attributes if schema[n].role is Role.SENSITIVE) or self.attributes

    @property
    def harmful(self) -> bool:
        """Whether to guess what is wanted is a harm: quasi-identifiers are known to the intruder already."""
        roles = {self.original.schema[name].role for name in self.attributes}
        return Role.SENSITIVE in roles or Role.QUASI_IDENTIFIER not in roles


def masked_attributes(original: Table, masked: Table, protect: Sequence[str] | None) -> tuple[str, ...]:
    """Return what was masked: the named attributes, else quasi-identifiers and all others that differ.

    Raises
    ------
    SchemaError
        A named attribute is not in the original.
    DataError
        The files have other records in number, an identifier is named, or nothing was masked.
    """
    schema = original.schema
    if protect is not None:
        schema.require(protect, "protect")
        identifiers = [name for name in protect if not schema[name].role.published]
        if identifiers:
            wanted = "attributes that are published"
            raise DataError(Fault("protect", f"{', '.join(identifiers)}, an identifier", wanted))
        chosen = tuple(dict.fromkeys(protect))
    else:
        common = [a.name for a in schema.attributes if a.role.published and a.name in masked.schema]
        published = align_codes(original.select(common), masked)
        chosen = tuple(
            name for name in common if schema[name].role is Role.QUASI_IDENTIFIER or _differs(original, published, name)
        )
    if not chosen:
        advice = "Name what was masked with --protect, or give it the role quasi-identifier."
        raise DataError(Fault("protect", "two files that do not differ", "at least one masked attribute", advice))
    return chosen


def _differs(original: Table, masked: Table, name: str) -> bool:
    return not np.array_equal(
        original.column(name), masked.column(name), equal_nan=not original.schema[name].categorical
    )
