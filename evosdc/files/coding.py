"""From texts to the integer codes and numbers of a `Table`, by a schema."""

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evosdc.errors import DataError, Fault
from evosdc.files.column import Column
from evosdc.files.quoting import is_shown, quoted
from evosdc.printing import printable
from evosdc.table.numerals import NumberTexts, number, numeral
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import MISSING, Codes, Numbers, Table

# sizes of numbers that are read: the fourth powers that statistics take of them still fit a float64
LEAST, MOST = 1e-60, 1e60
_SHOWN = 12
_Kind = TypeVar("_Kind", bound=np.generic)


@dataclass(frozen=True)
class Origin:
    """Where records come from, for messages."""

    name: str  # a path or a data set
    place: Callable[[int], str]  # from a record's position to words that tell where it stands: ``"line 17"``


def encode(columns: Sequence[Column], schema: Schema, origin: Origin) -> Table:
    """Return the table of columns that stand in the schema's order."""
    size = len(columns[0]) if columns else 0
    codes: list[Codes] = []
    numbers: list[Numbers] = []
    faults: list[Fault] = []
    for column, attribute in zip(columns, schema.attributes, strict=True):
        if attribute.categorical:
            absent = frozenset(schema.missing_of(attribute.name))
            by_text = [MISSING if t in absent else attribute.code.get(t, MISSING) for t in column.texts]
            codes.append(np.array([*by_text, MISSING], dtype=np.int32)[column.index])
        else:
            numbers.append(column.record_numbers(schema.missing_of(attribute.name), attribute.decimals))
        faults += faults_of(column, attribute, schema.missing_of(attribute.name), origin)
    if faults:
        raise DataError(faults)
    return Table(schema, _matrix(codes, size, np.int32), _matrix(numbers, size, np.float64))


def faults_of(column: Column, attribute: Attribute, missing: Sequence[str], origin: Origin) -> list[Fault]:
    """Return why a column's texts cannot be values of an attribute."""
    texts = column.present(missing)
    leaves: Mapping[str, str] = {}
    if attribute.categorical:
        unknown = [text for text in texts if text not in attribute.code]
        leaves = {text: text for text in texts} if attribute.hierarchy is not None else {}
        shown = is_shown(attribute.name, attribute.role)
        wanted = f"one of {_listed(attribute.categories)}" if shown else "one of its categories"
        taken = shlex.join(["evosdc", "edit", "SCHEMA", printable(attribute.name), "categories="])
        advice = (
            "Add it to the categories or to `missing` in the schema, or mend the file; "
            f"`{taken}` takes the list away, so that those of the file count."
        )
    else:
        words, unfit = _unfit(texts, column.mark)
        unknown = [*words, *unfit]
        if attribute.hierarchy is not None:
            unread = frozenset(unknown)
            read = {text: None if text in unread else number(text, column.mark) for text in texts}
            leaves = {t: t if value is None else numeral(value, attribute.decimals) for t, value in read.items()}
        wanted = "a number" if words else f"numbers of a size from {LEAST:g} to {MOST:g}, or 0"
        advice = "Add it to `missing` in the schema, choose the scale nominal or ordinal, or mend the file."
    faults = _first_of(column, unknown, attribute, wanted, advice, origin)
    if attribute.hierarchy is not None and attribute.role.published:
        outside = [text for text in texts if leaves[text] not in attribute.hierarchy.position]
        codes = attribute.scale is Scale.NOMINAL
        rule = "{ prefix = [1, 2] }" if codes else "{ widths = [5, 10] }"
        rule = '{ dates = ["month", "year"] }' if attribute.date_format else rule
        advice = f"Add a line for it to the hierarchy file, or give a rule in its place, such as {rule}."
        faults += _first_of(column, outside, attribute, "a leaf of the attribute's hierarchy", advice, origin)
    return faults


def _unfit(texts: Sequence[str], mark: str) -> tuple[list[str], list[str]]:
    """Return the texts that write no numbers, and those that write numbers of a size that is not read."""
    held = texts if isinstance(texts, NumberTexts) else NumberTexts(pa.array(list(texts), pa.string()), mark)
    sizes = np.abs(held.occurring)
    beyond = (sizes > MOST) | ((sizes < LEAST) & (sizes != 0.0))
    return list(held.words), list(held.of_cells(np.flatnonzero(beyond)))


def _matrix(columns: Sequence[NDArray[_Kind]], size: int, dtype: type[_Kind]) -> NDArray[_Kind]:
    matrix: NDArray[_Kind] = np.empty((size, len(columns)), dtype=dtype)
    for position, column in enumerate(columns):
        matrix[:, position] = column
    matrix.flags.writeable = False  # so that the table keeps it as it is instead of copying it
    return matrix


def _first_of(
    column: Column, texts: Iterable[str], attribute: Attribute, wanted: str, advice: str, origin: Origin
) -> list[Fault]:
    """Return one fault for all texts that do not fit, naming the one that stands first."""
    unfit = set(texts)
    if not unfit:
        return []
    record = int(np.argmax(column.standing(sorted(unfit))))
    text = column.texts[column.index[record]]
    others = f" (and {len(unfit) - 1} more values that do not fit)" if len(unfit) > 1 else ""
    where = printable(f"{origin.name}, {attribute.name}")
    return [Fault(where, f"{quoted(text, attribute)} in {origin.place(record)}{others}", wanted, advice)]


def _listed(categories: Sequence[str]) -> str:
    if not categories:
        return "no categories at all"
    shown = printable(", ".join(categories[:_SHOWN]))
    return shown if len(categories) <= _SHOWN else f"{shown}, ... ({len(categories)} categories)"
