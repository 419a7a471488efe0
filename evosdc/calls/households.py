"""Whether a search that masks record by record may work on a file of households."""

from collections.abc import Sequence

from evosdc.errors import DataError, Fault
from evosdc.table.households import shared_in_households
from evosdc.table.schema import Role
from evosdc.table.table import Table


def require_no_split_households(table: Table, protect: Sequence[str]) -> None:
    """Raise where members of a published household would get different values of what they share.

    A search changes records one by one. Of a household whose members live in two regions afterwards anybody sees that
    it was masked, and the majority of its members gives the original away.

    Parameters
    ----------
    table : Table
        With all attributes.
    protect : sequence of str
        What is masked.

    Raises
    ------
    DataError
        With the attributes that households share, and what can be done instead.
    """
    shared = shared_in_households(table, protect)
    if not shared:
        return
    key = table.schema.with_role(Role.HOUSEHOLD)[0]
    given = f"{', '.join(shared)}, the same for all members of a household, beside the household's number {key}"
    wanted = "attributes that members of a household do not share, since records are masked one by one"
    advice = (
        f"Give {key} the role drop, so that members cannot be put together; or leave {', '.join(shared)} out of what "
        "is protected; or protect a file of households, one record each, by itself."
    )
    raise DataError(Fault("protect", given, wanted, advice))
