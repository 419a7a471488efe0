"""Numbers published with as many decimals as the file has."""

import numpy as np
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Parameters
from evosdc.table.table import Numbers, Table


class RoundingParameters(Parameters):
    """Base of the parameters of methods that publish computed numbers."""

    rounding: bool = Field(
        True,
        description="Round to the decimals of each attribute, as a written file does; what is judged is then what is "
        "published. false keeps all digits in memory.",
    )


def published(table: Table, numbers: Numbers, rounding: bool) -> Table:
    """Return a table with other numbers."""
    # What is missing in `table` stays missing; rounding is to each attribute's decimals, halves to the even digit.
    values = np.where(np.isnan(table.numbers), np.nan, numbers)
    beyond = [a.name for a, column in zip(table.schema.numeric, values.T, strict=True) if np.isinf(column).any()]
    if beyond:
        given = f"parameters that take {', '.join(beyond)} beyond the largest number there is"
        raise ParameterError(Fault("masking", given, "finite published numbers", "Choose less noise."))
    if rounding:
        for j, attribute in enumerate(table.schema.numeric):
            with np.errstate(over="ignore"):  # numbers too large to have such decimals are kept as they are
                short = np.round(values[:, j], attribute.decimals)
            values[:, j] = np.where(np.isinf(short), values[:, j], short) + 0.0  # no negative zero
    return Table(table.schema, table.codes, values)
