"""Common values of the members of a household."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evosdc.table.schema import Role
from evosdc.table.table import MISSING, Rows, Table


def shared_in_households(table: Table, names: Sequence[str]) -> tuple[str, ...]:
    """Return the named attributes that have one value in each household, such as its region."""
    # Records without a household are households of their own.
    return tuple(name for name, homes in differing_homes(table, names).items() if not len(homes))


def differing_homes(table: Table, names: Sequence[str]) -> dict[str, Rows]:
    """Return, by attribute, a record of each household whose members have different values."""
    keys = table.schema.with_role(Role.HOUSEHOLD)
    if not keys:
        return {}
    home = home_of(table)
    order = np.argsort(home, kind="stable")
    same = home[order][1:] == home[order][:-1]
    if not same.any():
        return {}
    found = {}
    for name in names:
        codes = np.unique(table.column(name)[order], return_inverse=True)[1].reshape(-1)
        if name != keys[0] and codes.max() > 0:
            other = np.flatnonzero(same & (codes[1:] != codes[:-1])) + 1
            once = np.unique(home[order][other], return_index=True)[1]
            found[name] = order[other[once]].astype(np.intp)
    return found


def home_of(table: Table) -> NDArray[np.int64]:
    """Return the number of each record's household, from 0, shape (n,); without a household it is one of its own."""
    key = table.schema.with_role(Role.HOUSEHOLD)[0]
    column = table.column(key)
    home = np.unique(column, return_inverse=True)[1].reshape(-1).astype(np.int64)
    absent = column == MISSING if table.schema[key].categorical else np.isnan(column)
    home[absent] = len(home) + np.arange(int(absent.sum()))
    return np.unique(home, return_inverse=True)[1].reshape(-1).astype(np.int64)
