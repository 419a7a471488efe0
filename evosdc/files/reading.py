"""Reading microdata files: bytes, a format, a schema, and the table of what they hold."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from evosdc.errors import Fault, SchemaError
from evosdc.files.coding import Origin, encode
from evosdc.files.column import unnamed_sentences
from evosdc.files.described_file import DescribedFile, is_package, parse_package
from evosdc.files.encoding import Encoding, read_bytes
from evosdc.files.formats import parse_file
from evosdc.files.inference.proposal import infer
from evosdc.files.number_recognition import thousands_sentences
from evosdc.files.original import Original, Remarking
from evosdc.files.packed import text_file, unnamed_columns
from evosdc.files.quoting import quoted
from evosdc.files.schema.description import SchemaDescription, describe
from evosdc.files.schema.hierarchy_rules import with_hierarchies
from evosdc.files.schema.schema_reader import load_schema
from evosdc.files.source import Source
from evosdc.printing import printable
from evosdc.table.schema import Schema

_RECODE = "Save the file as UTF-8."


def read_source(
    path: Path | str,
    schema: Path | str | Schema | SchemaDescription | None = None,
    *,
    separator: str | None = None,
    names: Sequence[str] | None = None,
) -> Source:
    """Read a data file: delimited text, Parquet, Feather, Excel, SPSS, Stata or SAS, also packed by gzip or ZIP.

    Encoding, separator and decimal mark are recognised. The first line holds the names of the attributes.

    Parameters
    ----------
    path : Path
    schema : Path, Schema or SchemaDescription, optional
        A schema file, or a schema; proposed from the data if not given (`evosdc.files.inference.proposal`).
    separator : str, optional
        The separator, if recognition fails; a blank stands for runs of blanks.
    names : sequence of str, optional
        Names of the attributes, for a file without a header line.

    Raises
    ------
    DataError
        The file cannot be read, or holds values that the schema does not allow.
    SchemaError, HierarchyError
        The schema cannot be used, or does not fit the file.
    """
    path = Path(path)
    description: SchemaDescription | None
    if isinstance(schema, (str, Path)):
        description = load_schema(Path(schema))
    else:
        description = describe(schema) if isinstance(schema, Schema) else schema
    return source_of(parsed(path, separator, names), str(path), description)


def read_published(path: Path, schema: Path | None = None, generalised: bool = False) -> Source:
    """Read a file that was published, by the schema of its original, whose identifiers it may lack.

    Parameters
    ----------
    path : Path
    schema : Path, optional
        Proposed from the data if not given.
    generalised : bool
        Whether values may be labels that the schema does not have.

    Raises
    ------
    DataError, SchemaError, HierarchyError
        As `read_source`.
    """
    if schema is None:
        return read_source(path)
    description, original = load_schema(schema), parsed(path)
    return source_of(original, str(path), description.published(original.columns, generalised))


def parsed(
    path: Path,
    separator: str | None = None,
    names: Sequence[str] | None = None,
    like: Original | None = None,
) -> Original:
    """Return a file that was read, before its schema is known; `like` is what it was made from."""
    content = read_bytes(path)
    if is_package(content):
        return parse_package(content, path)
    return parse_file(content, path, separator, names, like)


def source_of(
    original: Original,
    origin: str,
    description: SchemaDescription | None = None,
    codes: Mapping[str, Sequence[str]] | None = None,
) -> Source:
    """Return the source of a file that was parsed; raises as `read_source`.

    Without a description a schema is proposed; `codes` are then texts that were confirmed to stand for missing values,
    by column.
    """
    columns = original.columns
    notes: tuple[str, ...] = ()
    text = text_file(original)
    if text is not None and text.encoding.guessed:
        notes = (f"The file is not UTF-8; it was read as {text.encoding.name}.",)
    notes += tuple(unnamed_sentences(unnamed_columns(original)))
    notes += tuple(thousands_sentences(columns))
    inference = None
    if description is None and isinstance(original, DescribedFile) and original.described is not None:
        description = original.described
        notes += ("Roles and hierarchies are those that come with the file.", *original.notes)
    if description is None:
        inference = infer(columns, original.declared, codes)
        told = tuple(original.remarks(inference.schema)) if isinstance(original, Remarking) else ()
        schema, notes = inference.schema, (*notes, *told, *inference.notes)
    else:
        schema = description.resolve(columns, original.declared)
    if text is not None:
        _check_labels(schema, text.encoding, origin)
    table = encode(columns, schema, Origin(origin, original.place))
    rules = inference.rules if inference is not None else description.rules if description is not None else {}
    table = with_hierarchies(table, rules)
    neutral = description is not None and description.neutralise_formulas
    return Source(table, origin, original, np.arange(len(table), dtype=np.intp), notes, inference, neutral)


def _check_labels(schema: Schema, encoding: Encoding, origin: str) -> None:
    """Raise when the file's encoding could not write some category: better now than after the search."""
    faults = []
    for attribute in schema.attributes:
        for label in attribute.categories:
            try:
                label.encode(encoding.name)
            except UnicodeEncodeError:
                given = (
                    f"the category {quoted(label, attribute)}, which the file's encoding {encoding.name} cannot write"
                )
                where = printable(f"{origin}, {attribute.name}")
                faults.append(Fault(where, given, "categories in that encoding", _RECODE))
    if faults:
        raise SchemaError(faults)
