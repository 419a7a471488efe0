"""The two files that judges compare, and which attributes they are asked about."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evosdc.errors import DataError, Fault, ParameterError
from evosdc.model import Measure
from evosdc.specs import Spec
from evosdc.table.alignment import align_codes, has_labels_of_its_own, restrict_to
from evosdc.table.schema import Role
from evosdc.table.table import Rows, Table


@dataclass(frozen=True)
class Sides:
    """The two files, and which attributes are judged in which way.

    Parameters
    ----------
    original : Table
        All attributes.
    masked, chance : Table
        The judged attributes of the published file, and these with their records in random order.
    attributes : tuple of str
        What is judged.
    published : frozenset of str
        All that the published file tells.
    wide : bool
        Whether it has labels that the original has not, and is therefore in a coding of its own.
    """

    original: Table
    masked: Table
    chance: Table
    attributes: tuple[str, ...]
    published: frozenset[str]
    wide: bool

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


def sides_of(original: Table, masked: Table, attributes: tuple[str, ...], order: Rows) -> Sides:
    """Return what judges compare; `order` is that of chance.

    Raises
    ------
    DataError
        The published file has other records in number, lacks an attribute or has another scale.
    """
    before = original.select(attributes)
    published = restrict_to(before, masked)
    wide = has_labels_of_its_own(before, published)
    if not wide:
        published = align_codes(before, published)
    return Sides(original, published, published.take(order), attributes, frozenset(masked.schema.names), wide)


def require_readable(spec: Spec, measure: Measure, sides: Sides) -> None:
    """Check that a judge reads a file's labels, and that the file has what it knows besides.

    Raises
    ------
    ParameterError
        It does not, or has not.
    """
    if sides.wide and not measure.generalised:
        raise ParameterError(Fault(spec.name, "labels wider than the original's", "the original's own categories"))
    lacking = [name for name in measure.auxiliary_names() if name not in sides.published]
    if lacking:
        raise ParameterError(Fault(spec.name, f"a file without {', '.join(lacking)}", "one that publishes it"))


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
        chosen = tuple(
            name for name in common if schema[name].role is Role.QUASI_IDENTIFIER or _differs(original, masked, name)
        )
    if not chosen:
        advice = "Name what was masked with --protect, or give it the role quasi-identifier."
        raise DataError(Fault("protect", "two files that do not differ", "at least one masked attribute", advice))
    return chosen


def _differs(original: Table, masked: Table, name: str) -> bool:
    before = original.select([name])
    if has_labels_of_its_own(before, masked):
        return True
    after = align_codes(before, masked)
    return not np.array_equal(before.column(name), after.column(name), equal_nan=not original.schema[name].categorical)
