"""Reading microdata files: bytes, a format, a schema, and the table of what they hold."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from evosdc.errors import DataError, Fault, SchemaError
from evosdc.files.categories import merged, merging_sentences
from evosdc.files.coding import Origin, encode
from evosdc.files.column import Column
from evosdc.files.delimited_file import DelimitedFile
from evosdc.files.encoding import read_bytes
from evosdc.files.formats import Reading, parse_file
from evosdc.files.inference.proposal import MISSING_TEXTS, infer
from evosdc.files.original import Original, Remarking
from evosdc.files.packed import unpacked
from evosdc.files.quoting import quoted
from evosdc.files.schema.description import SchemaDescription, describe
from evosdc.files.schema.hierarchies import with_hierarchies
from evosdc.files.schema.schema_file import load_schema
from evosdc.files.source import Source
from evosdc.printing import printable
from evosdc.table.numerals import same_number
from evosdc.table.schema import Schema


def read_source(
    path: Path | str,
    schema: Path | str | Schema | SchemaDescription | None = None,
    *,
    separator: str | None = None,
    names: Sequence[str] | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> Source:
    """Read a data file: delimited text, Parquet, Feather, Excel, SPSS, Stata or SAS, also packed by gzip or ZIP."""
    path = Path(path)
    description: SchemaDescription | None
    if isinstance(schema, (str, Path)):
        description = load_schema(Path(schema))
    else:
        description = describe(schema) if isinstance(schema, Schema) else schema
    options = Reading(separator, names, encoding, sheet)
    return source_of(parsed(path, options, described=description), str(path), description)


def read_published(
    path: Path,
    schema: Path | None = None,
    generalised: bool = False,
    *,
    encoding: str | None = None,
    sheet: str | None = None,
) -> Source:
    """Read a file that was published, by the schema of its original, whose identifiers it may lack."""
    if schema is None:
        return read_source(path, encoding=encoding, sheet=sheet)
    description = load_schema(schema)
    original = parsed(path, Reading(encoding=encoding, sheet=sheet), described=description)
    return source_of(original, str(path), description.published(original.columns, generalised))


def parsed(
    path: Path,
    options: Reading | None = None,
    like: Original | None = None,
    described: SchemaDescription | Reading | None = None,
) -> Original:
    """Return a file that was read, before its schema is known; `like` is the file that it was made from."""
    # An encoding or a sheet that a schema says is of the original: a file of another format has none.
    given, otherwise = options or Reading(), described or Reading()
    whole = replace(given, encoding=given.encoding or otherwise.encoding, sheet=given.sheet or otherwise.sheet)
    found = parse_file(read_bytes(path), path, whole, like)
    inner, faults = unpacked(found), []
    if given.encoding is not None and not isinstance(inner, DelimitedFile):
        wanted = "none: only delimited text is read in an encoding that is named"
        faults.append(Fault(printable(str(path)), f"the encoding {given.encoding!r}", wanted))
    if given.sheet is not None and inner.suffix != ".xlsx":
        faults.append(Fault(printable(str(path)), f"the sheet {given.sheet!r}", "none: only workbooks have sheets"))
    if faults:
        raise DataError(faults)
    return found


def source_of(
    original: Original,
    origin: str,
    description: SchemaDescription | None = None,
    codes: Mapping[str, Sequence[str]] | None = None,
) -> Source:
    """Return the source of a file that was parsed; raises as `read_source`."""
    # Without a description a schema is proposed; `codes` are texts that were confirmed to stand for missing values.
    listed = {name: said.categories or () for name, said in description.attributes.items()} if description else {}
    found = [merged(column, listed.get(column.name, ())) for column in original.columns]
    columns = [column for column, _ in found]
    variants = {column.name: own for column, own in found}
    inner = unpacked(original)
    notes = tuple(getattr(inner, "notes", ()))
    inference = None
    if description is None:
        labels = getattr(inner, "variable_labels", None), getattr(inner, "code_labels", None)
        inference = infer(columns, original.declared, codes, *labels)
        remarks = tuple(original.remarks(inference.schema)) if isinstance(original, Remarking) else ()
        schema = inference.schema
        notes = (*notes, *remarks, *merging_sentences(variants, schema), *inference.notes)
    else:
        schema, usual = _with_usual_words(description.resolve(columns, original.declared), columns)
        absent = description.absent([column.name for column in columns])
        gone = (f"Not in this file, whose schema leaves it out: {printable(', '.join(absent))}.",) if absent else ()
        notes += (*gone, *usual, *_unused_codes(description, columns), *merging_sentences(variants, schema))
    if isinstance(inner, DelimitedFile):  # better now than after the search
        faults, encoding = [], inner.encoding.name
        for attribute, label in ((a, label) for a in schema.attributes for label in a.categories):
            try:
                label.encode(encoding)
            except UnicodeEncodeError:
                given = f"the category {quoted(label, attribute)}, which the file's encoding {encoding} cannot write"
                where = printable(f"{origin}, {attribute.name}")
                faults.append(Fault(where, given, "categories in that encoding", "Save the file as UTF-8."))
        if faults:
            raise SchemaError(faults)
    table = encode(columns, schema, Origin(origin, original.place))
    rules = inference.rules if inference is not None else description.rules if description is not None else {}
    table = with_hierarchies(table, rules)
    neutral = description is not None and description.neutralise_formulas
    return Source(table, origin, original, np.arange(len(table), dtype=np.intp), notes, inference, neutral)


def _unused_codes(description: SchemaDescription, columns: Sequence[Column]) -> list[str]:
    """Return a sentence for each column on codes of missing values that no record has."""
    said = []
    for column in columns:
        own = description.attributes[column.name].missing if column.name in description.attributes else ()
        unused = [c for c in own if not column.occurring([c]) and not same_number(column.texts, [c], column.mark)]
        if unused:
            codes = " and ".join(map(repr, unused))
            said.append(f"{printable(column.name)}: no record has {codes}, which the schema lists for a missing value.")
    return said


def _with_usual_words(schema: Schema, columns: Sequence[Column]) -> tuple[Schema, tuple[str, ...]]:
    """Return a schema for which usual words for missing values, such as NA, are missing where they are nothing else."""
    taken: dict[str, list[str]] = {}
    for column, attribute in zip(columns, schema.attributes, strict=True):
        missing = schema.missing_of(attribute.name)
        for text in column.occurring([word for word in MISSING_TEXTS if word not in missing]):
            if not attribute.categorical or text not in attribute.code:
                taken.setdefault(text, []).append(attribute.name)
    listed = {label for attribute in schema.attributes for label in attribute.categories}
    words = [text for text in taken if text not in listed]
    if not words:
        return schema, ()
    shown = [f"{text!r} in {printable(', '.join(taken[text]))}" if text else "empty values" for text in words]
    note = f"Taken for missing, though the schema does not say so: {', '.join(shown)}."
    return replace(schema, missing=(*schema.missing, *words)), (note,)
