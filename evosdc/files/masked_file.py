"""Protected versions of a file, read by the schema of the original."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from evosdc.errors import DataError, Fault, SchemaError
from evosdc.files.column import Column
from evosdc.files.encoding import read_bytes
from evosdc.files.formats import Reading
from evosdc.files.formulas import as_before, name_before
from evosdc.files.packed import text_file, with_text
from evosdc.files.reading import parsed, source_of
from evosdc.files.schema.description import describe
from evosdc.files.source import Source
from evosdc.files.widening import is_generalised, widened
from evosdc.printing import printable
from evosdc.table.schema import Schema


def read_masked(path: Path | str, original: Source, require: Sequence[str] = (), generalised: bool = False) -> Source:
    """Read a protected version of a file by the original's schema; it may leave attributes out."""
    schema = original.table.schema
    held = parsed(Path(path), _as(original, Path(path)), original.original)
    text = text_file(held)
    if text is not None:
        held = with_text(held, replace(text, columns=tuple(_readable(column, schema) for column in text.columns)))
    names = [column.name for column in held.columns]
    unknown = [name for name in names if name not in schema]
    where, whole = printable(str(path)), printable(original.origin)
    faults = []
    if unknown:
        given = f"the column {printable(', '.join(unknown))}"
        advice = (
            "Give the file it was made from; to judge the other way round, leave what that one lacks out of this one."
        )
        faults.append(Fault(where, given, f"attributes of {whole}", advice))
    lacking = [name for name in require if name in schema and name not in names]
    if lacking:
        given = f"no column {printable(', '.join(lacking))}"
        advice = "Give a file that holds it, or leave it out of the attributes that are judged."
        faults.append(Fault(where, given, f"the protected attributes of {whole}", advice))
    if faults:
        raise SchemaError(faults)
    size = len(held.columns[0])
    if size != len(original.table):
        wanted = f"{len(original.table)} as in {whole}"
        raise DataError(Fault(where, f"{size} records", wanted, "Masked files keep all records in their order."))
    if generalised:
        return source_of(held, str(path), describe(widened(schema, held.columns)))
    return source_of(held, str(path), describe(_lenient(schema.select(names), held.columns)))


def _as(original: Source, path: Path) -> Reading:
    """Return how a version of a file is read: in the original's encoding, unless it is UTF-8."""
    text = text_file(original.original)
    if text is None or text.encoding.name.startswith("utf"):
        return Reading()
    try:
        read_bytes(path).decode("utf-8")
    except UnicodeDecodeError:
        return Reading(encoding=text.encoding.name)
    return Reading()


def _lenient(schema: Schema, columns: Sequence[Column]) -> Schema:
    """Return a schema without hierarchies of numbers, among whose leaves masked numbers need not be."""
    # Withheld columns that a file has nevertheless, such as the edges of a graph, may hold anything.
    free = {a.name: a for a in widened(schema, columns).attributes if a.name in schema.withheld}
    found = (free.get(a.name, a) for a in schema.attributes)
    return replace(schema, attributes=tuple(a if a.categorical else replace(a, hierarchy=None) for a in found))


def holds_generalised(path: Path, original: Source) -> bool:
    """Whether a version of a file has labels wider than the original's values; raises as `read_masked`."""
    return is_generalised(original.table.schema, parsed(path, _as(original, path), original.original).columns)


def _readable(column: Column, schema: Schema) -> Column:
    """Return a column without the quotes that kept its name and its texts from being formulas."""
    column = column.called(name_before(column.name, schema))
    return as_before(column, schema[column.name].categories) if column.name in schema else column
