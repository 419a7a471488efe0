"""A role given to an attribute in place of the schema's: by a user, or since a search protects it."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from evosdc.table.schema import Attribute, Role
from evosdc.table.table import Table


def _with_roles(table: Table, role_of: Callable[[Attribute], Role]) -> Table:
    attributes = tuple(replace(a, role=role_of(a)) for a in table.schema.attributes)
    return Table(replace(table.schema, attributes=attributes), table.codes, table.numbers)


def assign_role(table: Table, role: Role, name: str | None) -> Table:
    """Return the table in which the named attribute, and no other, has the role; as it is where no name is given."""
    if name is None:
        return table
    (named,) = table.schema.named([name], str(role))
    return _with_roles(table, lambda a: role if a.name == named else Role.OTHER if a.role is role else a.role)


def only_known(table: Table, names: Sequence[str]) -> Table:
    """Return the table in which no other attributes than the named ones are quasi-identifiers."""
    known = Role.QUASI_IDENTIFIER
    return _with_roles(table, lambda a: Role.OTHER if a.role is known and a.name not in names else a.role)


def assign_known(table: Table, names: Sequence[str]) -> Table:
    """Return the table in which named attributes are quasi-identifiers, except sensitive ones."""
    known, sensitive = Role.QUASI_IDENTIFIER, Role.SENSITIVE
    return _with_roles(table, lambda a: known if a.name in names and a.role is not sensitive else a.role)
