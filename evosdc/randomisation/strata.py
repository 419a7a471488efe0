"""Which transition matrices a published file was masked with, stratum by stratum."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, FaultCollector, ParameterError
from evosdc.files.encoding import read_text
from evosdc.randomisation.matrix_file import LabelledMatrix, parse_json_text, parse_matrices, read_matrices, stochastic
from evosdc.randomisation.transition import plain_rows
from evosdc.table.table import Table

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Stratum:
    """The transition matrices of some records."""

    where: Mapping[str, Any]  # what these records have in common; empty for all records
    matrices: tuple[LabelledMatrix, ...]


def strata_of_matrices(given: Any, names: Sequence[str]) -> list[Stratum]:
    """Return the matrices that a user gives, stratum by stratum."""
    document, where = given, "matrices"
    if isinstance(given, str | Path):
        where = str(given)
        document = parse_json_text(read_text(Path(given), ParameterError), where)
        if document is None:
            return [Stratum({}, _checked(read_matrices(Path(given)), names))]
    if hasattr(document, "columns"):
        document = {names[0]: document}
    if isinstance(document, Mapping):
        entries = {name: _entry(value) for name, value in document.items()}
        return [Stratum({}, _checked(parse_matrices(entries, where), names))]
    if not isinstance(document, list) or not all(isinstance(e, Mapping) and "account" in e for e in document):
        raise ParameterError(Fault(where, "no matrices", "what evosdc mask wrote, or a table of matrices"))
    return [
        Stratum(dict(entry.get("stratum", {})), _checked(parse_matrices(entry["account"], where), names))
        for entry in document
    ]


def _entry(value: Any) -> Any:
    if not hasattr(value, "columns"):
        return value
    if list(map(str, value.columns)) != list(map(str, value.index)):
        raise ParameterError(Fault("matrices", "a DataFrame", "the same categories as index and as columns, in order"))
    return {"categories": [str(label) for label in value.columns], "matrix": plain_rows(value.to_numpy(dtype=float))}


def _checked(found: Sequence[LabelledMatrix], names: Sequence[str]) -> tuple[LabelledMatrix, ...]:
    collect, checked = FaultCollector(), []
    for one in found:
        with collect.step():
            own = one.attributes or (names[0],)
            checked.append(stochastic(LabelledMatrix(own, one.states, one.matrix, one.where, one.rows)))
    if collect.faults:
        raise ParameterError(collect.faults)
    return tuple(checked)


def records_of(table: Table, stratum: Stratum) -> Mask:
    """Return which records of a table belong to a stratum, shape (n,)."""
    table.schema.require(stratum.where, "strata of the matrices")
    rows = np.ones(len(table), dtype=np.bool_)
    for name, label in stratum.where.items():
        attribute, column = table.schema[name], table.column(name)
        if any(name in one.attributes for one in stratum.matrices):
            advice = "Form strata by attributes that are not masked."
            raise ParameterError(Fault(name, "strata by an attribute that was randomised", "known strata", advice))
        if attribute.categorical:
            rows &= column == (-1 if label is None else attribute.code.get(str(label), -2))
        else:
            rows &= np.isnan(column) if label is None else column == float(label)
    return rows
