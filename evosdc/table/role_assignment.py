"""A role given to an attribute by a user, in place of the schema's."""

from dataclasses import replace

from evosdc.table.schema import Role
from evosdc.table.table import Table


def assign_role(table: Table, role: Role, name: str | None) -> Table:
    """Return the table in which the named attribute, and no other, has the role; as it is where no name is given."""
    if name is None:
        return table
    table.schema.require([name], str(role))
    attributes = [replace(a, role=Role.OTHER) if a.role is role else a for a in table.schema.attributes]
    attributes = [replace(a, role=role) if a.name == name else a for a in attributes]
    return Table(replace(table.schema, attributes=tuple(attributes)), table.codes, table.numbers)
