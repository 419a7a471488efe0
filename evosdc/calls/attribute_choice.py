"""Which attributes the single functions, mask, measure and risk, work on."""

from collections.abc import Sequence

from evosdc.errors import DataError, Fault
from evosdc.model.microdata import one_value
from evosdc.table.schema import Role, Schema


def choose_attributes(
    schema: Schema, attributes: Sequence[str] | None, otherwise_all: bool = True, option: str = "--attributes"
) -> tuple[str, ...]:
    """Return the attributes to work on.

    Parameters
    ----------
    schema : Schema
    attributes : sequence of str, optional
        Those that were asked for; the quasi-identifiers when None.
    otherwise_all : bool
        Whether, with nothing asked for and no quasi-identifier declared, all attributes but identifiers are taken.
    option : str
        What names them on the command line.

    Raises
    ------
    SchemaError
        Attributes that the schema lacks.
    DataError
        Nothing is chosen, or identifiers are.
    """
    chosen = schema.with_role(Role.QUASI_IDENTIFIER) if attributes is None else tuple(dict.fromkeys(attributes))
    if attributes is None and not chosen and otherwise_all:
        chosen = tuple(a.name for a in schema.attributes if a.role.published)
    schema.require(chosen)
    withheld = [name for name in chosen if not schema[name].role.published]
    faults = []
    if not chosen:
        advice = f"Name them by {option} A,B, or give some the role quasi-identifier in the schema."
        given = f"none{one_value(schema)}"
        faults.append(Fault("attributes", given, "at least one attribute", advice))
    if withheld:
        faults.append(withheld_fault("attributes", withheld, schema))
    if faults:
        raise DataError(faults)
    return chosen


def withheld_fault(where: str, names: Sequence[str], schema: Schema, wanted: str = "quasi-identifiers") -> Fault:
    """Return the fault of attributes that are to be protected or read though their role keeps them from the file."""
    roles = " and ".join(sorted({"an identifier" if schema[n].role is Role.IDENTIFIER else "to drop" for n in names}))
    advice = "Attributes of these roles are left out of a protected file; give it another role if it is none."
    return Fault(where, f"{', '.join(names)}, {roles}", wanted, advice)
