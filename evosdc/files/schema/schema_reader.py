"""Schema files: what a user writes on a file's attributes, read and checked."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from evosdc.errors import Fault, HierarchyError, SchemaError, did_you_mean
from evosdc.files.encoding import read_text
from evosdc.files.quoting import WITHOUT, is_shown
from evosdc.files.schema.description import AttributeDescription, SchemaDescription
from evosdc.files.schema.hierarchy_file import read_hierarchy
from evosdc.files.schema.hierarchy_rules import rule_of
from evosdc.printing import printable
from evosdc.table.edit_rules import read_edit_rules
from evosdc.table.numerals import MOST_DECIMALS
from evosdc.table.schema import MissingRule, Role, Scale

SCHEMA_KEYS = {
    "missing": 'texts that stand for a missing value in all attributes; default: `[""]`, the empty text',
    "na": "how missing values are compared: `category` (one more category; default), "
    "`wildcard` (equal to any value), or `error` (not at all)",
    "neutralise_formulas": "true: cells that a spreadsheet would take for formulas are published with a quote in front",
    "encoding": 'of a text file whose letters look wrong: `"cp1250"`, `"cp1251"`, ...; default: as is recognised',
    "sheet": "of a workbook: the name of the sheet that is read; default: the first with records",
    "attributes": "the table of attributes: by name, what the keys below say",
    "edit_rules": "combinations of values that no record may have: a table of conditions for each, `[[edit_rules]]`",
}
"""What a schema file may say at its top, with the meaning of each key."""
ATTRIBUTE_KEYS = {
    "role": "identifier, drop, quasi-identifier, sensitive, weight, household, stratum or other",
    "scale": "nominal, ordinal, numeric or date",
    "categories": "all categories, of an ordinal attribute in their order; default: those found",
    "hierarchy": "a CSV file beside the schema, a line a category, or a rule such as `{ widths = [5, 10] }`",
    "decimals": "of a numeric attribute: decimals to publish; default: as many as the file has",
    "missing": "texts that stand for a missing value of this attribute, besides those of the file",
    "format": 'how days are written, of the scale date: `"%d.%m.%Y"`; default: as is recognised',
    "levels": "names of the levels of a hierarchy file, from the values on",
}
"""What a schema file may say of an attribute, with the meaning of each key."""
_DATE = "date"
"""What schema files call the scale of attributes whose categories are days."""

_Word = TypeVar("_Word", bound=StrEnum)


def load_schema(path: Path) -> SchemaDescription:
    """Read a schema file.

    Raises
    ------
    SchemaError
        The file cannot be read, is no TOML, or says something that is not understood: with everything that is wrong,
        faults of the hierarchies that it names included.
    """
    path = Path(path)
    return schema_of_text(read_text(path, SchemaError), path)


def schema_of_text(text: str, path: Path) -> SchemaDescription:
    """Return what the text of a schema file says.

    `path` is its place, for messages and hierarchies. Raises likewise.
    """
    try:
        document = tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise SchemaError(Fault(str(path), f"text that is not TOML: {error}", "a schema file in TOML")) from None
    faults: list[Fault] = _unknown(document, SCHEMA_KEYS, str(path))
    missing = _texts(document.get("missing", [""]), f"{path}, missing", faults)
    na = _word(document.get("na", MissingRule.CATEGORY), MissingRule, f"{path}, na", faults)
    tables = document.get("attributes", {})
    if not isinstance(tables, dict):
        faults.append(Fault(f"{path}, attributes", _kind(tables), "a table [attributes]"))
        tables = {}
    attributes = {}
    for name, table in tables.items():
        where = printable(f"{path}, {name}")
        if not isinstance(table, dict):
            faults.append(Fault(where, _kind(table), 'a table, for example { role = "quasi-identifier" }'))
            continue
        attributes[name] = _description(table, name, where, path.parent, missing or (), faults)
    neutral = document.get("neutralise_formulas", False)
    if not isinstance(neutral, bool):
        faults.append(Fault(f"{path}, neutralise_formulas", _kind(neutral), "true or false"))
    for key in ("encoding", "sheet"):
        if not isinstance(document.get(key, ""), str):
            faults.append(Fault(f"{path}, {key}", _kind(document[key]), "a text"))
    rules = read_edit_rules(document.get("edit_rules", []), printable(f"{path}: edit_rules"), faults)
    if faults:
        raise SchemaError(faults)
    return SchemaDescription(
        attributes, missing or (), na or MissingRule.CATEGORY, str(path), rules, bool(neutral),
        document.get("encoding"), document.get("sheet"),
    )  # fmt: skip


def _description(
    table: Mapping[str, Any], name: str, where: str, folder: Path, missing: Sequence[str], faults: list[Fault]
) -> AttributeDescription:
    faults += _unknown(table, ATTRIBUTE_KEYS, where)
    role = _word(table["role"], Role, f"{where}, role", faults) if "role" in table else None
    scale, date_format = _scale(table, where, faults)
    own = _texts(table["missing"], f"{where}, missing", faults) if "missing" in table else None
    categories = _texts(table["categories"], f"{where}, categories", faults) if "categories" in table else None
    decimals = table.get("decimals")
    if decimals is not None and (type(decimals) is not int or not 0 <= decimals <= MOST_DECIMALS):
        faults.append(Fault(f"{where}, decimals", repr(decimals), f"a whole number from 0 to {MOST_DECIMALS}"))
        decimals = None
    everywhere = [
        text for text in missing if text not in (own or ())
    ]  # what is an attribute's own is no category of it
    faults += _contradictions(where, name, role, scale, categories, decimals, everywhere)
    hierarchy, rule = None, None
    given = table.get("hierarchy")
    try:
        if isinstance(given, str):
            hierarchy = read_hierarchy(folder / given)
            if "levels" in table:
                hierarchy = replace(hierarchy, names=_texts(table["levels"], f"{where}, levels", faults) or ())
        elif isinstance(given, dict):
            rule = rule_of(given, f"{where}, hierarchy")
        elif given is not None:
            wanted = "the path of a CSV file, or a rule such as { widths = [5, 10] }"
            faults.append(Fault(f"{where}, hierarchy", _kind(given), wanted))
    except HierarchyError as error:
        faults += error.faults
    if "levels" in table and not isinstance(given, str):
        faults.append(
            Fault(f"{where}, levels", "names of levels without a hierarchy", 'hierarchy = "FILE.csv" besides')
        )
    return AttributeDescription(role, scale, categories, hierarchy, decimals, rule, own or (), date_format)


def _scale(table: Mapping[str, Any], where: str, faults: list[Fault]) -> tuple[Scale | None, str | None]:
    """Return the scale and how days are written: empty for dates without a format, None for what are no dates."""
    given, date_format = table.get("scale"), table.get("format")
    if date_format is not None and (given != _DATE or not isinstance(date_format, str) or "%" not in date_format):
        wanted = 'signs such as "%d.%m.%Y", of an attribute with scale = "date"'
        faults.append(Fault(f"{where}, format", repr(date_format), wanted))
        date_format = None
    if given == _DATE:
        return Scale.ORDINAL, date_format or ""
    if given is None:
        return None, None
    return _word(given, Scale, f"{where}, scale", faults, [_DATE]), None


def _contradictions(
    where: str,
    name: str,
    role: Role | None,
    scale: Scale | None,
    categories: Sequence[str] | None,
    decimals: int | None,
    missing: Sequence[str],
) -> Iterable[Fault]:
    if scale is Scale.NUMERIC and categories is not None:
        yield Fault(where, "categories of a numeric attribute", "no categories, or the scale nominal or ordinal")
    if decimals is not None and (scale not in (Scale.NUMERIC, None) or (scale is None and categories is not None)):
        yield Fault(where, "decimals of a categorical attribute", "no decimals, or the scale numeric")
    if role is Role.WEIGHT and (scale not in (Scale.NUMERIC, None) or categories is not None):
        yield Fault(where, "a weight that is not numeric", 'scale = "numeric"')
    listed, shown = list(categories or ()), is_shown(name, role)
    repeated = sorted({label for label in listed if listed.count(label) > 1}) if len(set(listed)) < len(listed) else []
    if repeated:
        told = printable(", ".join(repeated)) if shown else f"{len(repeated)} of them"
        yield Fault(f"{where}, categories", f"{told} more than once", "each category once")
    both = [label for label in listed if label in missing]
    if both:
        told = repr(both[0]) if shown else WITHOUT
        given = f"{told}, which also stands for a missing value in all attributes"
        yield Fault(f"{where}, categories", given, "one meaning", "Take it from one of the two lists.")


def _unknown(table: Mapping[str, Any], keys: Iterable[str], where: str) -> list[Fault]:
    return [
        Fault(where, f"the key {key!r}", f"one of {', '.join(keys)}", did_you_mean(key, keys))
        for key in table
        if key not in keys
    ]


def _word(given: Any, words: type[_Word], where: str, faults: list[Fault], more: Sequence[str] = ()) -> _Word | None:
    known = [*(word.value for word in words), *more]
    if isinstance(given, str) and given in known and given not in more:
        return words(given)
    advice = did_you_mean(given, known) if isinstance(given, str) else ""
    faults.append(Fault(where, repr(given) if isinstance(given, str) else _kind(given), _choice(known), advice))
    return None


def _choice(words: Sequence[str]) -> str:
    return f"one of {', '.join(words)}"


def _texts(given: Any, where: str, faults: list[Fault]) -> tuple[str, ...] | None:
    if isinstance(given, list) and all(type(item) in (str, int) for item in given):
        return tuple(map(str, given))
    faults.append(Fault(where, _kind(given), 'a list of texts, for example ["low", "high"]'))
    return None


def _kind(given: Any) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list", dict: "a table"}
    return names.get(type(given), f"a {type(given).__name__}")
