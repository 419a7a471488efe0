"""Records as matrices of numbers, as regressions and classifiers take them."""

from collections.abc import Sequence

import numpy as np

from evosdc.errors import Fault, ParameterError
from evosdc.model import Microdata
from evosdc.table.table import MISSING, Codes, Numbers, Table


def dummies(codes: Codes, categories: int, full: bool = False) -> Numbers:
    """Return indicators of an attribute's categories and, last, of a missing value, shape (n, .)."""
    values = [*range(0 if full else 1, categories), MISSING]
    columns: Numbers = (codes[:, None] == np.array(values, dtype=np.int32)[None, :]).astype(np.float64)
    return columns


def matrix_of(table: Table, names: Sequence[str], full: bool = False) -> Numbers:
    """Return the columns of the named attributes side by side: numbers as they are, categories as dummies."""
    parts: list[Numbers] = [np.empty((len(table), 0))]
    for name in names:
        attribute = table.schema[name]
        column = table.column(name)
        if attribute.categorical:
            parts.append(dummies(column.astype(np.int32), len(attribute.categories), full))
        else:
            parts.append(np.asarray(column, dtype=np.float64)[:, None])
    return np.hstack(parts)


def with_protected(microdata: Microdata, needed: Sequence[str]) -> Table:
    """Return the protected attributes followed by the others needed."""
    further = [name for name in needed if name not in microdata.protect]
    return microdata.table.select([*microdata.protect, *further])


def chosen_target(table: Table, name: str | None, categorical: bool, where: str) -> str:
    """Return the attribute that is explained: the named one, or the last of the scale wanted."""
    wanted = "a categorical attribute" if categorical else "a numeric attribute"
    fitting = table.schema.categorical if categorical else table.schema.numeric
    if name is None:
        if not fitting:
            raise ParameterError(Fault(where, f"a file without {wanted[2:]}s", wanted, "Name one of the whole file."))
        name = fitting[-1].name
    table.schema.require([name], where)
    if table.schema[name].categorical is not categorical:
        raise ParameterError(Fault(where, f"{name}, which is {table.schema[name].scale}", wanted))
    if len(table.schema) < 2:
        raise ParameterError(Fault(where, f"{name} alone", "further attributes to explain it by"))
    return name
