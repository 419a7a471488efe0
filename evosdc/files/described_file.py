"""Data files whose schema comes with them: projects of ARX, and Frictionless Data Packages."""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np

from evosdc.errors import DataError, Fault
from evosdc.files.changes import Change
from evosdc.files.column import Column
from evosdc.files.delimited_file import parse_delimited
from evosdc.files.encoding import decode, read_bytes
from evosdc.files.schema.description import AttributeDescription, SchemaDescription
from evosdc.files.schema.hierarchy_file import hierarchy_of_text
from evosdc.printing import printable
from evosdc.table.dates import date_format_of, in_time
from evosdc.table.numerals import decimals_of, natural_order, numbers
from evosdc.table.schema import Attribute, Role, Scale
from evosdc.table.table import Rows, Table

if TYPE_CHECKING:
    from evosdc.files.original import Original

_ARX_ROLES = {
    "IDENTIFYING_ATTRIBUTE": Role.IDENTIFIER, "QUASI_IDENTIFYING_ATTRIBUTE": Role.QUASI_IDENTIFIER,
    "SENSITIVE_ATTRIBUTE": Role.SENSITIVE, "INSENSITIVE_ATTRIBUTE": Role.OTHER,
}  # fmt: skip
_INPUT, _DEFINITION = "data/input.csv", "input/definition.xml"


@dataclass(frozen=True, eq=False)
class DescribedFile:
    """A data file and what comes with it.

    Parameters
    ----------
    inner : Original
        The data, which are written without what came with them.
    described : SchemaDescription or None
        Roles, scales and hierarchies, where the file tells roles.
    declared : mapping of str to Attribute
        Scales, categories and missing values, where it tells no roles.
    """

    inner: "Original"
    described: SchemaDescription | None = None
    declared: Mapping[str, Attribute] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The values as they stand, by column."""
        return self.inner.columns

    @property
    def suffix(self) -> str:
        """Of the file that is written."""
        return self.inner.suffix

    def place(self, record: int) -> str:
        """Return where a record stands in the data."""
        return self.inner.place(record)

    def render(
        self, changes: Mapping[int, Change], dropped: Sequence[int], rows: Rows, missing: Sequence[Sequence[str]]
    ) -> bytes:
        """Return the bytes of the data with some values changed and some columns and records left out."""
        return self.inner.render(changes, dropped, rows, missing)


def is_project(names: Sequence[str]) -> bool:
    """Return whether files of these names in a ZIP archive are a project of ARX."""
    return _INPUT in names and _DEFINITION in names


def parse_project(content: bytes, where: str) -> DescribedFile:
    """Read a project of ARX (``.deid``): its input data, roles, formats of dates and hierarchies.

    Only its XML and CSV are looked at, never its serialised objects.

    Raises
    ------
    DataError
        The project is damaged.
    HierarchyError
        With what is wrong in its hierarchies.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = set(archive.namelist())
        data = archive.read(_INPUT)
        definition = xml_of(archive.read(_DEFINITION), f"{where}, {_DEFINITION}")
        described = {}
        for entry in definition.iter():
            name, kind = entry.findtext("name"), entry.findtext("type")
            if name is None or kind is None:
                continue
            reference = f"input/{entry.findtext('ref')}"
            hierarchy = None
            if reference in names:
                text = decode(archive.read(reference), f"{where}, {reference}")[0]
                hierarchy = hierarchy_of_text(text, f"{where}, {reference}")
            date = (entry.findtext("datatype") or "").startswith("Date")
            described[name] = AttributeDescription(
                _ARX_ROLES.get(kind, Role.OTHER),
                Scale.ORDINAL if date else None,
                hierarchy=hierarchy,
                date_format="" if date else None,
            )
    separators = {";": 0, ",": 0, "\t": 0, "|": 0}
    head = data.split(b"\n", 1)[0].decode("utf-8", "replace")
    separator = max(separators, key=head.count)
    inner = parse_delimited(data, f"{where}, {_INPUT}", separator)
    held = {column.name: column for column in inner.columns}
    described = {name: _fitting(said, held[name]) for name, said in described.items() if name in held}
    return DescribedFile(inner, SchemaDescription(described, ("", "NULL"), origin=where))


def _fitting(said: AttributeDescription, column: Column) -> AttributeDescription:
    """Return a description without a hierarchy that lacks values of the column, and numbers that have one ordinal."""
    if said.hierarchy is None:
        return said
    texts = column.present(("", "NULL"))
    if said.hierarchy.lacking(texts):
        return replace(said, hierarchy=None)
    if numbers(texts, column.mark) is not None and said.scale is None:
        return replace(said, scale=Scale.ORDINAL)
    return said


def xml_of(content: bytes, where: str) -> ElementTree.Element:
    """Return the root of an XML document; one that declares entities is refused, as it could be an attack.

    Raises
    ------
    DataError
        It is no XML, or declares entities.
    """
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise DataError(Fault(where, "an XML file that declares entities", "one without a DOCTYPE"))
    try:
        return ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise DataError(Fault(where, f"text that is not XML ({error})", "a whole XML file")) from None


def is_package(content: bytes) -> bool:
    """Return whether the bytes are the descriptor of a Frictionless Data Package."""
    return content.lstrip()[:1] == b"{" and b'"resources"' in content


def parse_package(content: bytes, path: Path) -> DescribedFile:
    """Read the first resource of a Frictionless Data Package and what its schema says, of version 1 or 2.

    Types, formats of dates, categories with their order, enumerations and missing values are taken.

    Raises
    ------
    DataError
        The descriptor is no JSON, or names no data file beside it.
    """
    from evosdc.files.formats import parse_content

    where = printable(str(path))
    try:
        document: Any = json.loads(decode(content, where)[0])
        resource = document["resources"][0]
        name = resource["path"][0] if isinstance(resource["path"], list) else resource["path"]
        schema = resource.get("schema") or {}
        fields = {str(entry["name"]): entry for entry in schema.get("fields", ())} if isinstance(schema, dict) else {}
    except (ValueError, KeyError, IndexError, TypeError) as error:
        given = f"a data package that cannot be read ({type(error).__name__}: {error})"
        raise DataError(Fault(where, given, "a descriptor whose first resource has a path")) from None
    if not isinstance(name, str) or "://" in name or Path(name).is_absolute() or ".." in Path(name).parts:
        raise DataError(Fault(where, f"the path {name!r}", "a data file in the folder of the descriptor"))
    file = path.parent / name
    separator = (resource.get("dialect") or {}).get("delimiter") if isinstance(resource.get("dialect"), dict) else None
    inner = parse_content(read_bytes(file), file.name, printable(str(file)), separator)
    missing = _missing(schema.get("missingValues", ())) if isinstance(schema, dict) else ()
    declared = {
        column.name: _declared(column, fields[column.name], missing)
        for column in inner.columns
        if column.name in fields
    }
    return DescribedFile(inner, None, {name: a for name, a in declared.items() if a is not None})


def _missing(given: Any) -> tuple[str, ...]:
    return tuple(str(v["value"]) if isinstance(v, dict) else str(v) for v in given if v not in ("", None))


def _declared(column: Column, entry: Mapping[str, Any], missing: Sequence[str]) -> Attribute | None:
    own = _missing(entry.get("missingValues", ())) or tuple(missing)
    own = tuple(text for text in own if text in column.texts)
    texts = column.present(("", *own))
    listed = entry.get("categories") or (entry.get("constraints") or {}).get("enum") or ()
    labels = tuple(str(v["value"]) if isinstance(v, dict) else str(v) for v in listed)
    kind = str(entry.get("type", "any"))
    if labels and set(texts) <= set(labels):
        scale = Scale.ORDINAL if entry.get("categoriesOrdered") else Scale.NOMINAL
        return Attribute(column.name, Role.OTHER, scale, labels, None, 0, own)
    if kind in ("date", "datetime", "yearmonth") and (date_format := date_format_of(texts)):
        return Attribute(column.name, Role.OTHER, Scale.ORDINAL, in_time(texts, date_format), None, 0, own, date_format)
    if kind in ("string", "boolean"):
        return Attribute(column.name, Role.OTHER, Scale.NOMINAL, natural_order(texts), None, 0, own)
    if kind in ("number", "integer") and own:
        return Attribute(column.name, Role.OTHER, Scale.NUMERIC, (), None, decimals_of(texts, column.mark), own)
    return None


def package_of(published: Table, dropped: Sequence[str], name: str, file: str) -> dict[str, Any]:
    """Return the descriptor of a Data Package of one published file, by version 2 of the standard.

    Parameters
    ----------
    published : Table
        Categories that do not occur in it are not told: they are of the original.
    dropped : sequence of str
        Attributes that are left out of the file.
    name : str
        Of the package.
    file : str
        The path of the file, relative to the descriptor.
    """
    plain = "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in name.lower()) or "data"
    columns = [_occurring(published, a) for a in published.schema.attributes if a.name not in dropped]
    missing = list(published.schema.missing)
    return {
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": plain,
        "resources": [
            {
                "name": plain,
                "type": "table",
                "path": file,
                "schema": {"fields": [_field(column) for column in columns], "missingValues": missing},
            }
        ],
    }


def _occurring(table: Table, attribute: Attribute) -> Attribute:
    if not attribute.categorical:
        return attribute
    present = set(np.unique(table.column(attribute.name)).tolist())
    labels = tuple(label for code, label in enumerate(attribute.categories) if code in present)
    return replace(attribute, categories=labels, hierarchy=None)


def _field(attribute: Attribute) -> dict[str, Any]:
    extra: dict[str, Any] = {"missingValues": ["", *attribute.missing]} if attribute.missing else {}
    if not attribute.categorical:
        return {"name": attribute.name, "type": "number" if attribute.decimals else "integer", **extra}
    if attribute.date_format:
        return {"name": attribute.name, "type": "date", "format": attribute.date_format, **extra}
    ordered = attribute.scale is Scale.ORDINAL
    kept = {"categories": list(attribute.categories), "categoriesOrdered": ordered}
    return {"name": attribute.name, "type": "string", **kept, **extra}
