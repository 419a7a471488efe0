"""Data files whose schema comes with them: projects of ARX, and Frictionless Data Packages."""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from evosdc.errors import DataError, Fault, InputError
from evosdc.files.changes import Change
from evosdc.files.column import Column
from evosdc.files.delimited_reading import parse_delimited
from evosdc.files.encoding import decode, read_bytes
from evosdc.files.original import Original
from evosdc.files.schema.description import AttributeDescription, SchemaDescription
from evosdc.files.schema.hierarchy_file import hierarchy_of_text
from evosdc.printing import printable
from evosdc.table.dates import date_format_of, in_time
from evosdc.table.distinct_values import distinct_values
from evosdc.table.numerals import decimals_of, natural_order, numbers
from evosdc.table.schema import Attribute, Role, Scale
from evosdc.table.table import Rows, Table

_ARX_ROLES = {
    "IDENTIFYING_ATTRIBUTE": Role.IDENTIFIER, "QUASI_IDENTIFYING_ATTRIBUTE": Role.QUASI_IDENTIFIER,
    "SENSITIVE_ATTRIBUTE": Role.SENSITIVE, "INSENSITIVE_ATTRIBUTE": Role.OTHER,
}  # fmt: skip
_INPUT, _DEFINITION, _PROJECT = "data/input.csv", "input/definition.xml", "project.xml"
_HIERARCHIES = "input/hierarchies/"
_ARX_MISSING = ("", "NULL")


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
    notes : tuple of str
        What came with it and is not used, in plain words.
    file : Path or None
        Where the data stand, if that is not the file that was named.
    """

    inner: Original
    described: SchemaDescription | None = None
    declared: Mapping[str, Attribute] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    file: Path | None = None

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

    Of its XML and CSV only what is needed is looked at, never its serialised objects (``.dat``). Hierarchies without a
    root get one. What cannot be used, or does not fit the data, is left out, and a note tells of it.

    Raises
    ------
    DataError
        The project is damaged.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist() if _is_read(name)}
    separator = _separator(members, where)
    inner = parse_delimited(members[_INPUT], f"{where}, {_INPUT}", separator)
    held = {column.name: column for column in inner.columns}
    described, notes = {}, []
    for entry in xml_of(members[_DEFINITION], f"{where}, {_DEFINITION}").iter():
        name, kind = entry.findtext("name"), entry.findtext("type")
        if name not in held or kind is None:
            continue
        said, lost = _described(entry, held[name], members, separator)
        described[name] = replace(said, role=_ARX_ROLES.get(kind, Role.OTHER))
        notes += [f"{what} of {printable(name)} that comes with the file is left out: {why}." for what, why in lost]
    return DescribedFile(inner, SchemaDescription(described, _ARX_MISSING, origin=where), {}, tuple(notes))


def _is_read(name: str) -> bool:
    return name in (_INPUT, _DEFINITION, _PROJECT) or (name.startswith(_HIERARCHIES) and name.endswith(".csv"))


def _separator(members: Mapping[str, bytes], where: str) -> str:
    """Return what separates the values of a project's files: what it says, else what occurs most in the first line."""
    said = xml_of(members[_PROJECT], f"{where}, {_PROJECT}").findtext("separator") if _PROJECT in members else None
    head = members[_INPUT].split(b"\n", 1)[0].decode("utf-8", "replace")
    return said if said and len(said) == 1 and said in head else max(";,\t|", key=head.count)


def _described(
    entry: ElementTree.Element, column: Column, members: Mapping[str, bytes], separator: str
) -> tuple[AttributeDescription, list[tuple[str, str]]]:
    """Return what a project says of a column as far as it fits the column, and what does not, with the reason."""
    texts = column.present(_ARX_MISSING)
    kind, form = entry.findtext("datatype") or "", entry.findtext("format") or ""
    said, lost = AttributeDescription(), []
    if kind.startswith("Date"):
        if date_format_of(texts):
            said = AttributeDescription(scale=Scale.ORDINAL, date_format="")
        else:
            lost.append(("The format of dates", "it is none that evosdc reads"))
    order = tuple(dict.fromkeys(form.splitlines())) if kind.startswith("Ordered") else ()
    if order and set(texts) <= set(order):
        said = AttributeDescription(scale=Scale.ORDINAL, categories=order)
    elif order:
        lost.append(("The order", "it lacks values of the data"))
    reference = f"input/{entry.findtext('ref')}"
    if reference not in members:
        return said, lost
    try:
        text = decode(members[reference], reference)[0]
        hierarchy = hierarchy_of_text(text, reference, separator, rooted=True)
    except InputError as error:
        return said, [*lost, ("The hierarchy", f"given {error.faults[0].given}, wanted {error.faults[0].wanted}")]
    if hierarchy.lacking(texts):
        return said, [*lost, ("The hierarchy", "it lacks values of the data")]
    # Numbers that have one are its leaves, in their order.
    numeric = said.scale is None and numbers(texts, column.mark) is not None
    return replace(said, hierarchy=hierarchy, scale=Scale.ORDINAL if numeric else said.scale), lost


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
    return DescribedFile(inner, None, {name: a for name, a in declared.items() if a is not None}, (), file)


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
    present = set(distinct_values(table.column(attribute.name)).tolist())
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
