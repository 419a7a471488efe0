"""A role given to an attribute in place of the schema's: by a user, or since a search protects it."""

from collections.abc import Sequence
from dataclasses import replace

from evosdc.table.schema import Role
from evosdc.table.table import Table


def assign_role(table: Table, role: Role, name: str | None) -> Table:
    """Return the table in which the named attribute, and no other, has the role; as it is where no name is given."""
    if name is None:
        return table
    (name,) = table.schema.named([name], str(role))
    attributes = [replace(a, role=Role.OTHER) if a.role is role else a for a in table.schema.attributes]
    attributes = [replace(a, role=role) if a.name == name else a for a in attributes]
    return Table(replace(table.schema, attributes=tuple(attributes)), table.codes, table.numbers)


def only_known(table: Table, names: Sequence[str]) -> Table:
    """Return the table in which no other attributes than the named ones are quasi-identifiers."""
    attributes = [
        replace(a, role=Role.OTHER) if a.role is Role.QUASI_IDENTIFIER and a.name not in names else a
        for a in table.schema.attributes
    ]
    return Table(replace(table.schema, attributes=tuple(attributes)), table.codes, table.numbers)


def assign_known(table: Table, names: Sequence[str]) -> Table:
    """Return the table in which named attributes are quasi-identifiers, except sensitive ones."""
    known = [
        replace(a, role=Role.QUASI_IDENTIFIER) if a.name in names and a.role is not Role.SENSITIVE else a
        for a in table.schema.attributes
    ]
    return Table(replace(table.schema, attributes=tuple(known)), table.codes, table.numbers)
