"""Common values of the members of a household."""

from collections.abc import Sequence

import numpy as np

from evosdc.table.equivalence import Classes, key_codes, missing_apart, ordered_classes
from evosdc.table.schema import Role
from evosdc.table.table import Rows, Table


def households_of(table: Table) -> Classes:
    """Return the households of a file; a record without one is a household of its own."""
    return ordered_classes(missing_apart(key_codes(table, table.schema.with_role(Role.HOUSEHOLD)[:1])))


def shared_in_households(table: Table, names: Sequence[str]) -> tuple[str, ...]:
    """Return the named attributes that have one value in each household, such as its region."""
    return tuple(name for name, homes in differing_homes(table, names).items() if not len(homes))


def differing_homes(table: Table, names: Sequence[str]) -> dict[str, Rows]:
    """Return, by attribute, a record of each household whose members have different values."""
    keys = table.schema.with_role(Role.HOUSEHOLD)
    if not keys or len(homes := households_of(table)) == len(table):
        return {}
    found = {}
    for name in names:
        codes = key_codes(table, [name])[:, 0]
        if name != keys[0] and np.ptp(codes) > 0:
            rows = np.flatnonzero(codes != codes[homes.first[homes.of]])
            found[name] = rows[np.unique(homes.of[rows], return_index=True)[1]]
    return found
