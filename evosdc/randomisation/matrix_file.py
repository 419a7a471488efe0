"""Matrices of categories in files: CSV for one attribute, JSON for any number and for crossed attributes."""

import csv
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, FaultCollector, ParameterError
from evosdc.files.encoding import read_text
from evosdc.randomisation.transition import Matrix, plain_rows
from evosdc.table.table import Table

State = tuple[str | None, ...]

UNNAMED = "original"  # first word of a CSV file that does not say which attribute it is for, as runs write it
TOLERANCE = 1e-5  # by how much a row may miss the sum 1; it is then brought to it

_CSV = "a header with the attribute's name and its categories, then one line for each category"
_JSON = 'a table such as { "sex": { "categories": ["f", "m"], "matrix": [[0.9, 0.1], [0.1, 0.9]] } }'


@dataclass(frozen=True, eq=False)
class LabelledMatrix:
    """A square matrix between the states of one attribute, or of several crossed into one."""

    attributes: tuple[str, ...]  # empty where the file does not name the attribute
    states: tuple[State, ...]  # one category for each attribute; None for a missing value
    matrix: Matrix
    where: str = ""  # the file, and the place in it, for messages
    rows: tuple[str, ...] = ()  # where each row stands, for messages

    def document(self) -> dict[str, Any]:
        """Return the document that `parse_matrices` reads."""
        single = len(self.attributes) == 1
        categories: list[Any] = [state[0] if single else list(state) for state in self.states]
        return {"attributes": list(self.attributes), "categories": categories, "matrix": plain_rows(self.matrix)}


def read_matrices(path: Path) -> tuple[LabelledMatrix, ...]:
    """Return the matrices of a file, JSON where it begins as such, CSV otherwise; entries are numbers, finite."""
    text, where = read_text(path, ParameterError), str(path)
    document = parse_json_text(text, where)
    if document is None:
        return (_parsed_csv(text, where),)
    if isinstance(document, list):
        if len(document) != 1 or not isinstance(document[0], Mapping) or "account" not in document[0]:
            raise ParameterError(Fault(where, "a list, of the matrices of strata for one", _JSON))
        document = document[0]["account"]
    return parse_matrices(document, where)


def parse_json_text(text: str, where: str) -> Any:
    """Return the content of a text that begins as JSON tables and lists do; None for another."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        given = f"text that is not JSON: {error.msg}"
        raise ParameterError(Fault(f"{where}: line {error.lineno}", given, _JSON)) from None


def parse_matrices(document: Any, where: str) -> tuple[LabelledMatrix, ...]:
    """Return the matrices of a JSON document; raises as `read_matrices`."""
    # Besides plain tables by attribute, files that runs write are read: ``transitions.json`` and ``analyst.json``.
    if isinstance(document, Mapping) and "method" in document and isinstance(document.get("attributes"), Mapping):
        document = {name: entry for name, entry in document["attributes"].items() if entry.get("randomised", True)}
    if not isinstance(document, Mapping):
        raise ParameterError(Fault(where, "no table of matrices", _JSON))
    found: list[LabelledMatrix] = []
    faults: list[Fault] = []
    for name, entry in document.items():
        try:
            found.append(_parsed_entry(name, entry, f"{where}: {name}"))
        except ParameterError as error:
            faults += error.faults
    repeated = [name for name, count in Counter(n for m in found for n in m.attributes).items() if count > 1]
    faults += [Fault(f"{where}: {name}", "more than one matrix", "one matrix for each attribute") for name in repeated]
    if faults:
        raise ParameterError(faults)
    return tuple(found)


def stochastic(given: LabelledMatrix) -> LabelledMatrix:
    """Return the matrix with rows that sum to one."""
    faults = []
    for place, row in zip(given.rows, given.matrix, strict=True):
        if (row < 0).any() or (row > 1 + TOLERANCE).any():
            faults.append(Fault(place, "an entry outside [0, 1]", "probabilities"))
        elif abs(row.sum() - 1.0) > TOLERANCE:
            faults.append(Fault(place, f"a row that sums to {row.sum():.6g}", "a row that sums to 1"))
    if faults:
        raise ParameterError(faults)
    matrix = given.matrix / given.matrix.sum(axis=1, keepdims=True) if given.matrix.size else given.matrix
    return LabelledMatrix(given.attributes, given.states, matrix, given.where, given.rows)


def _parsed_csv(text: str, where: str) -> LabelledMatrix:
    lines = [(number, row) for number, row in _rows(text) if any(cell.strip() for cell in row)]
    if not lines or len(lines[0][1]) < 2:
        raise ParameterError(Fault(f"{where}: line 1", "no header", _CSV))
    (first, header), body = lines[0], lines[1:]
    labels = [cell.strip() for cell in header[1:]]
    faults = _repeated(labels, f"{where}: line {first}", "categories")
    names = [row[0].strip() for _, row in body]
    faults += _repeated(names, where, "rows")
    absent = [label for label in labels if label not in names]
    if absent:
        faults.append(Fault(where, f"no row for {', '.join(absent)}", "a row for each category of the header"))
    matrix, places = np.zeros((len(labels), len(labels))), [""] * len(labels)
    for number, row in body:
        place, label = f"{where}: line {number}", row[0].strip()
        if label not in labels:
            faults.append(Fault(place, f"the row {label!r}", f"one of {', '.join(labels)}, as in the header"))
        elif len(row) != len(header):
            faults.append(Fault(place, f"{len(row) - 1} entries", f"{len(labels)}, one for each category"))
        else:
            at = labels.index(label)
            places[at] = f"{place} ({label})"
            faults += _filled(matrix[at], row[1:], places[at])
    if faults:
        raise ParameterError(faults)
    name = header[0].strip()
    attributes = () if name in ("", UNNAMED) else (name,)
    return LabelledMatrix(attributes, tuple((label,) for label in labels), matrix, where, tuple(places))


def _rows(text: str) -> list[tuple[int, list[str]]]:
    reader = csv.reader(text.splitlines())
    return [(reader.line_num, row) for row in reader]


def _parsed_entry(name: str, entry: Any, where: str) -> LabelledMatrix:
    if not isinstance(entry, Mapping):
        raise ParameterError(Fault(where, "no table", _JSON))
    if entry.get("matrix") is None:
        advice = "It may have been withheld since it is invariant: the custodian has it."
        raise ParameterError(Fault(where, "no matrix", _JSON, advice))
    attributes = tuple(map(str, entry.get("attributes", [name])))
    states, rows = _states(entry.get("categories"), len(attributes)), entry["matrix"]
    if states is None:
        wanted = "a list of categories, for crossed attributes of lists with one for each attribute"
        raise ParameterError(Fault(f"{where}: categories", "something else", wanted))
    faults = _repeated([_label(state) for state in states], f"{where}: categories", "categories")
    if not isinstance(rows, list) or len(rows) != len(states):
        given = f"{len(rows)} rows" if isinstance(rows, list) else "no list of rows"
        raise ParameterError([*faults, Fault(f"{where}: matrix", given, f"{len(states)} rows, one a category")])
    matrix = np.zeros((len(states), len(states)))
    places = tuple(f"{where}: row {_label(state)}" for state in states)
    for at, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != len(states):
            given = f"{len(row)} entries" if isinstance(row, list) else "no list of numbers"
            faults.append(Fault(places[at], given, f"{len(states)} numbers, one for each category"))
        else:
            faults += _filled(matrix[at], row, places[at])
    if faults:
        raise ParameterError(faults)
    return LabelledMatrix(attributes, states, matrix, where, places)


def _states(categories: Any, width: int) -> tuple[State, ...] | None:
    if not isinstance(categories, list):
        return None
    rows = [[category] for category in categories] if width == 1 else categories
    if not all(isinstance(row, list) and len(row) == width for row in rows):
        return None
    return tuple(tuple(None if cell is None else str(cell) for cell in row) for row in rows)


def _filled(target: Matrix, cells: Sequence[Any], place: str) -> list[Fault]:
    """Write the numbers of a row; return a fault where some cell is no finite number."""
    for at, cell in enumerate(cells):
        try:
            number = float("nan") if isinstance(cell, bool) or cell is None else float(cell)
        except (TypeError, ValueError):
            number = float("nan")
        if not np.isfinite(number):
            return [Fault(place, repr(cell), "a number")]
        target[at] = number
    return []


def _label(state: State) -> str:
    return ", ".join("(missing)" if cell is None else cell for cell in state)


def _repeated(labels: Sequence[str], where: str, what: str) -> list[Fault]:
    twice = [label for label, count in Counter(labels).items() if count > 1]
    return [Fault(where, f"the {what} {', '.join(twice)} more than once", "each once")] if twice else []


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
