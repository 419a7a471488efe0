"""Missing values where a schema allows none, and values that are made missing."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault
from evosdc.table.schema import MissingRule
from evosdc.table.table import MISSING, Table


def faults_of_missing(table: Table, names: Sequence[str]) -> list[Fault]:
    """Return a fault for each of some attributes with missing values, where the schema's rule is ``error``."""
    if table.schema.na is not MissingRule.ERROR:
        return []
    counts = {name: table.missing_in(table.schema[name]) for name in names}
    wanted, advice = "none, since the schema says na = 'error'", "Set na = 'category' or fill them in."
    return [Fault(name, f"{count} missing values", wanted, advice) for name, count in counts.items() if count]


def with_suppressed(table: Table, suppressed: NDArray[np.bool_]) -> Table:
    """Return the table with missing values where `suppressed`, shape (n, V) in the order of the schema, says so."""
    codes, numbers = table.codes.copy(), table.numbers.copy()
    categorical = np.array([a.categorical for a in table.schema.attributes], dtype=np.bool_)
    codes[suppressed[:, categorical]] = MISSING
    numbers[suppressed[:, ~categorical]] = np.nan
    return Table(table.schema, codes, numbers)
