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
from evosdc.printing import printable
from evosdc.table.generalisation import LabelReader
from evosdc.table.numerals import NumberTexts, natural_order, number, numbers
from evosdc.table.schema import WITHHELD, Attribute, Role, Scale, Schema


def widened(schema: Schema, columns: Sequence[Column]) -> Schema:
    """Return the schema of a version of a file whose labels may leave the original's categories."""
    # Hierarchies and edit rules stay with the original, of whose values they are.
    named = {column.name: column for column in columns}
    attributes = tuple(
        _widened(a, named[a.name], schema.missing_of(a.name)) for a in schema.attributes if a.name in named
    )
    return replace(schema, attributes=attributes, edit_rules=())


def is_generalised(schema: Schema, columns: Sequence[Column]) -> bool:
    """Whether a version of a file has labels that the original has not, and all of them stand for several values."""
    added = [
        (attribute, text)
        for column in columns
        if column.name in schema and column.name not in schema.withheld
        for attribute in (schema[column.name],)
        for text in _wide(column.present(schema.missing_of(column.name)), attribute)
        if (text not in attribute.code if attribute.categorical else number(text, column.mark) is None)
    ]
    readers = {attribute.name: LabelReader(attribute) for attribute, _ in added}
    return bool(added) and all(readers[attribute.name].read(text) is not None for attribute, text in added)


def _wide(texts: Sequence[str], attribute: Attribute) -> Sequence[str]:
    """Return those texts that may be labels which an attribute has not."""
    return texts.words if isinstance(texts, NumberTexts) and not attribute.categorical else texts


def _widened(attribute: Attribute, column: Column, missing: Sequence[str]) -> Attribute:
    attribute = replace(attribute, hierarchy=None)
    texts = column.present(missing)
    if attribute.categorical:
        added = tuple(text for text in texts if text not in attribute.code)
        # Months and years are no days.
        return replace(attribute, categories=(*attribute.categories, *added), date_format="") if added else attribute
    if numbers(texts, column.mark) is not None:
        return attribute
    return replace(attribute, scale=Scale.NOMINAL, categories=natural_order(texts, column.mark), decimals=0)


def read_masked(
    path: Path | str, original: Source, require: Sequence[str] = (), generalised: bool | None = False
) -> Source:
    """Read a protected version of a file by the original's schema; it may leave attributes out."""
    # `generalised`: whether labels may be wider than values; None: where all that are no values are such labels.
    schema = original.table.schema
    held = parsed(Path(path), None, original.original, _as(original, Path(path)))
    text = text_file(held)
    if text is not None:
        # Without the quotes that kept names and texts from being formulas.
        named = [column.called(name_before(column.name, schema)) for column in text.columns]
        plain = [as_before(one, schema[one.name].categories) if one.name in schema else one for one in named]
        held = with_text(held, replace(text, columns=tuple(plain)))
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
    if is_generalised(schema, held.columns) if generalised is None else generalised:
        return source_of(held, str(path), describe(widened(schema, held.columns)))
    # Withheld columns that a file has all the same may hold anything, such as the edges of a graph; households may have
    # other numbers, and masked numbers need not be leaves of their hierarchy.
    kept = schema.select(names)
    free = {a.name: a for a in widened(kept, held.columns).attributes}
    free = {name: free[name] for name in kept.with_role(*WITHHELD, Role.HOUSEHOLD)}
    found = (free.get(a.name, a) for a in kept.attributes)
    lenient = replace(kept, attributes=tuple(a if a.categorical else replace(a, hierarchy=None) for a in found))
    return source_of(held, str(path), describe(lenient))


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


def holds_generalised(path: Path, original: Source) -> bool:
    """Whether a version of a file has labels wider than the original's values; raises as `read_masked`."""
    return is_generalised(original.table.schema, parsed(path, None, original.original, _as(original, path)).columns)
