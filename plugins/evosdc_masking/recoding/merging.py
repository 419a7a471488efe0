"""What is said of categories that cannot be merged."""

from __future__ import annotations

from evosdc.errors import Fault
from evosdc.table.schema import Attribute


def too_many(method: str, attribute: Attribute, q: int, occurring: int) -> Fault:
    """Return the fault of merging more categories than an attribute has in the file."""
    return Fault(
        f"method {method}: q for attribute {attribute.name}",
        str(q),
        f"1..{occurring}",
        f"Only {occurring} of its categories occur in the file." if occurring else "All its values are missing.",
    )
