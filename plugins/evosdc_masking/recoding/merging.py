"""How many categories of an attribute can be merged, and what is said of more."""

from evosdc.errors import Fault
from evosdc.model import Design, Range
from evosdc.table.schema import Attribute
from evosdc.table.table import Table
from evosdc_masking.frequencies import occurring


def too_many(method: str, attribute: Attribute, q: int, present: int) -> Fault:
    """Return the fault of merging more categories than an attribute has in the file."""
    return Fault(
        f"method {method}: q for attribute {attribute.name}",
        str(q),
        f"1..{present}",
        f"Only {present} of its categories occur in the file." if present else "All its values are missing.",
    )


def mergings(table: Table) -> list[Design]:
    """Return the design of a method that merges q categories: up to one less than an attribute has in the file.

    Merging a single category changes nothing, so that the range begins at 2; it is empty for attributes of two
    categories or fewer.
    """
    columns = zip(table.schema.categorical, table.codes.T, strict=True)
    sizes = {attribute.name: occurring(column) for attribute, column in columns}
    most = {name: size - 1.0 for name, size in sizes.items() if size > 2}
    if not most:
        return []
    return [Design(free=(Range("q", 2, max(most.values()), whole=True),), attributes=tuple(most), most=most)]
