"""One record a household, with what its members share, and the values of households put back to their members."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import DataError, Fault
from evosdc.table.alignment import align_codes
from evosdc.table.equivalence import equivalence_classes, key_codes, told_apart
from evosdc.table.households import shared_in_households
from evosdc.table.role_assignment import assign_role
from evosdc.table.schema import Role
from evosdc.table.table import Rows, Table


def households_of(table: Table, household: str | None = None) -> tuple[Rows, NDArray[np.int64], tuple[str, ...]]:
    """Return the first record of each household, the household of each record, and the attributes that members share.

    Parameters
    ----------
    table : Table
    household : str, optional
        Attribute that tells households apart; by default that of the role.

    Raises
    ------
    InputError
        There is no such attribute, or members share nothing.
    """
    known = assign_role(table, Role.HOUSEHOLD, household)
    keys = known.schema.with_role(Role.HOUSEHOLD)
    if len(keys) != 1:
        given = ", ".join(keys) or "no attribute of that role"
        raise DataError(Fault("household", given, "one attribute of households", "Name it by --household."))
    shared = shared_in_households(known, [name for name in known.schema.names if name != keys[0]])
    if not shared:
        raise DataError(Fault("household", f"{keys[0]}, whose members share no attribute", "attributes of households"))
    classes = equivalence_classes(told_apart(key_codes(known, keys)))
    return classes.first.astype(np.intp), classes.of, (keys[0], *shared)


def merged(table: Table, homes: Table, first: Rows, of: NDArray[np.int64], names: Sequence[str]) -> Table:
    """Return the shared attributes of all records with the values that a file of households has for them.

    Parameters
    ----------
    table : Table
        The persons.
    homes : Table
        The households, one record each, in the order of their first members.
    first, of, names
        As of `households_of`; the household's own number is not merged.

    Raises
    ------
    DataError
        Another number of households, other numbers of them, or categories that the persons' file does not have.
    """
    key, *shared = names
    held = [name for name in shared if name in homes.schema]
    own = table.take(first).select([key])
    aligned = align_codes(own, homes)
    if not aligned.same_records(own):
        wanted = "the households of the file in the order of their first members"
        raise DataError(Fault("households", f"other numbers {key}", wanted, "Do not sort or cut the file."))
    values = align_codes(table.take(first).select(held), homes)
    return values.take(of.astype(np.intp))
