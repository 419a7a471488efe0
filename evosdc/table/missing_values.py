"""Missing values where a schema allows none."""

from collections.abc import Sequence

from evosdc.errors import Fault
from evosdc.table.schema import MissingRule
from evosdc.table.table import Table


def faults_of_missing(table: Table, names: Sequence[str]) -> list[Fault]:
    """Return a fault for each of some attributes with missing values, where the schema's rule is ``error``."""
    if table.schema.na is not MissingRule.ERROR:
        return []
    counts = {name: table.missing_in(table.schema[name]) for name in names}
    wanted, advice = "none, since the schema says na = 'error'", "Set na = 'category' or fill them in."
    return [Fault(name, f"{count} missing values", wanted, advice) for name, count in counts.items() if count]
