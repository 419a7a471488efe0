"""Schema files in TOML: a user's description of attributes, read and checked, and written with comments to edit.

Schemas travel to workers as JSON-able data.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from evosdc.errors import Fault, HierarchyError, SchemaError, did_you_mean
from evosdc.files.atomic import write_text
from evosdc.files.encoding import read_text
from evosdc.files.quoting import WITHOUT, is_shown
from evosdc.files.schema.description import AttributeDescription, SchemaDescription
from evosdc.files.schema.hierarchies import HierarchyRule, read_hierarchy, rule_of, write_hierarchy
from evosdc.printing import printable
from evosdc.table.dates import in_time
from evosdc.table.edit_rules import EditRule, edit_rules_to_json, read_edit_rules
from evosdc.table.hierarchy import Hierarchy
from evosdc.table.numerals import MOST_DECIMALS, natural_order
from evosdc.table.schema import Attribute, MissingRule, Role, Scale, Schema

# what a schema file may say at its top, with the meaning of each key
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
# what a schema file may say of an attribute, with the meaning of each key
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
_DATE = "date"  # what schema files call the scale of attributes whose categories are days
_Word = TypeVar("_Word", bound=StrEnum)


def load_schema(path: Path) -> SchemaDescription:
    """Read a schema file."""
    path = Path(path)
    return schema_of_text(read_text(path, SchemaError), path)


def schema_of_text(text: str, path: Path) -> SchemaDescription:
    """Return the description in the text of a schema file."""
    try:
        document = tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise SchemaError(Fault(str(path), f"text that is not TOML: {error}", "a schema file in TOML")) from None
    faults: list[Fault] = _unknown(document, SCHEMA_KEYS, str(path))
    missing = _texts(document.get("missing", [""]), f"{path}, missing", faults)
    na = _word(document.get("na", MissingRule.CATEGORY), MissingRule, f"{path}, na", faults)
    tables = document.get("attributes", {})
    if not isinstance(tables, dict):
        faults.append(Fault(f"{path}, attributes", _kind_of(tables), "a table [attributes]"))
        tables = {}
    attributes = {}
    for name, table in tables.items():
        where = printable(f"{path}, {name}")
        if not isinstance(table, dict):
            faults.append(Fault(where, _kind_of(table), 'a table, for example { role = "quasi-identifier" }'))
            continue
        attributes[name] = _description(table, name, where, path.parent, missing or (), faults)
    neutral = document.get("neutralise_formulas", False)
    if not isinstance(neutral, bool):
        faults.append(Fault(f"{path}, neutralise_formulas", _kind_of(neutral), "true or false"))
    for key in ("encoding", "sheet"):
        if not isinstance(document.get(key, ""), str):
            faults.append(Fault(f"{path}, {key}", _kind_of(document[key]), "a text"))
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
            faults.append(Fault(f"{where}, hierarchy", _kind_of(given), wanted))
    except HierarchyError as error:
        faults += error.faults
    if "levels" in table and not isinstance(given, str):
        faults.append(
            Fault(f"{where}, levels", "names of levels without a hierarchy", 'hierarchy = "FILE.csv" besides')
        )
    return AttributeDescription(role, scale, categories, hierarchy, decimals, rule, own or (), date_format)


def _scale(table: Mapping[str, Any], where: str, faults: list[Fault]) -> tuple[Scale | None, str | None]:
    """Return the scale and how days are written: empty for dates without a format, None for other scales."""
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
        repetitions = printable(", ".join(repeated)) if shown else f"{len(repeated)} of them"
        yield Fault(f"{where}, categories", f"{repetitions} more than once", "each category once")
    both = [label for label in listed if label in missing]
    if both:
        value = repr(both[0]) if shown else WITHOUT
        given = f"{value}, which also stands for a missing value in all attributes"
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
    shown = repr(given) if isinstance(given, str) else _kind_of(given)
    faults.append(Fault(where, shown, f"one of {', '.join(known)}", advice))
    return None


def _texts(given: Any, where: str, faults: list[Fault]) -> tuple[str, ...] | None:
    if isinstance(given, list) and all(type(item) in (str, int) for item in given):
        return tuple(map(str, given))
    faults.append(Fault(where, _kind_of(given), 'a list of texts, for example ["low", "high"]'))
    return None


def _kind_of(given: Any) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list", dict: "a table"}
    return names.get(type(given), f"a {type(given).__name__}")


_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_MOST_LISTED = 150
_INTRODUCTION = """\
What evosdc may take the attributes of a file for. Edit it as you see fit.

role:   identifier        names a respondent; left out of the protected file
        drop              left out as well: free text, or what nobody needs
        quasi-identifier  an intruder may know it; masked
        sensitive         nobody should learn it of a respondent; not masked
        other             all else
        weight, household, stratum   of the sampling design
scale:  nominal (no order), ordinal (the categories stand in their order), numeric,
        date (days; format = "%d.%m.%Y" says how they are written)
More:   categories = [...]   in order; without them those found in the file
        hierarchy = "x.csv"  value;level 1;...;* on each line, or child,parent; or a rule:
                    { widths = [5, 10] }, { prefix = [1, 2] }, { merge = [2, 4] },
                    { dates = ["month", "quarter", "year"] }
        levels = [...]       names of the levels of a hierarchy file, from the values on
        missing = [...]      texts for a missing value in this attribute only
        decimals = 2         digits after the point of a numeric attribute
Rules:  [[edit_rules]] at the end, a combination that no record may have in each, such as
        sex = "male"
        status = ["pregnant"]
        age = [0, 14]        least and greatest number"""


def hierarchy_files(schema: Schema, path: Path) -> dict[str, Path]:
    """Return, by attribute, the files that hierarchies of a schema are written to beside its own file."""
    names: dict[str, str] = {}
    for attribute in schema.attributes:
        if attribute.hierarchy is not None:
            names[attribute.name] = hierarchy_name(path.stem, attribute.name, names.values())
    return {attribute: path.parent / name for attribute, name in names.items()}


def dump_schema(
    schema: Schema,
    path: Path,
    notes: Sequence[str] = (),
    reasons: Mapping[str, str] | None = None,
    rules: Mapping[str, HierarchyRule] | None = None,
    proposed: Sequence[EditRule] = (),
    reading: Mapping[str, str] | None = None,
    open_ended: bool = False,
    complete: bool = False,
) -> tuple[Path, ...]:
    """Write a schema file, and beside it one CSV file for each hierarchy."""
    # Categories of identifiers and households, long lists in natural order, and numbers with a rule are left out: they
    # are values of records, which the file, or the next wave, has itself. `complete`: all that is published is listed.
    path = Path(path)
    written = hierarchy_files(schema, path)
    for name, file in written.items():
        hierarchy = schema[name].hierarchy
        assert hierarchy is not None
        write_hierarchy(hierarchy, file)
    lines = [*_comments(_INTRODUCTION.split("\n")), *([""] if notes else []), *_comments(notes)]
    lines += ["", f"missing = {value_text(schema.missing)}  # texts that stand for a missing value"]
    lines += [f"na = {text(schema.na)}  # how it counts: category (of its own), wildcard (equal to all) or error"]
    lines += [f"{key} = {text(value)}" for key, value in (reading or {}).items()]
    lines += ["", "[attributes]"]
    for attribute in schema.attributes:
        reason = (reasons or {}).get(attribute.name)
        lines += _comments([reason]) if reason else []
        beside, rule = written.get(attribute.name), (rules or {}).get(attribute.name)
        listed = attribute.role.published if complete else _listed(attribute, rule, open_ended)
        lines.append(_line(attribute, beside.name if beside else None, rule, listed))
    lines += [line for rule in schema.edit_rules for line in _rule(rule)]
    if proposed:
        lines += ["", "# Never together in this file; take the # away where it is a rule."]
        lines += [f"# {line}" if line else "" for rule in proposed for line in _rule(rule)]
    write_text(path, "\n".join(lines) + "\n")
    return (path, *written.values())


def text(value: str) -> str:
    """Return a TOML basic string."""
    return '"' + "".join(_ESCAPES.get(sign, sign if _plain(sign) else f"\\U{ord(sign):08x}") for sign in value) + '"'


def _plain(sign: str) -> bool:
    # Line separators are legal in TOML but break the file in editors.
    return sign.isprintable() or sign == " "


def _comments(lines: Iterable[str]) -> list[str]:
    return [
        f"# {''.join(s if _plain(s) else ' ' for s in part)}".rstrip() for line in lines for part in line.split("\n")
    ]


def _line(attribute: Attribute, hierarchy: str | None, rule: HierarchyRule | None, listed: bool) -> str:
    said: dict[str, Any] = {"role": str(attribute.role), "scale": attribute.scale_word}
    if attribute.date_format:
        said["format"] = attribute.date_format
    if attribute.categorical and listed:
        said["categories"] = attribute.categories
    if attribute.scale is Scale.NUMERIC:
        said["decimals"] = attribute.decimals
    if hierarchy is not None:
        said["hierarchy"] = hierarchy
        if attribute.hierarchy is not None and attribute.hierarchy.names:
            said["levels"] = attribute.hierarchy.names
    elif rule is not None:
        said["hierarchy"] = rule.model_dump(exclude_defaults=True)
    if attribute.missing:
        said["missing"] = attribute.missing
    return f"{key_text(attribute.name)} = {value_text(said)}"


def value_text(value: Any) -> str:
    """Return a value as TOML writes it within a line."""
    if isinstance(value, Mapping):
        parts = [f"{key_text(str(key))} = {value_text(inner)}" for key, inner in value.items()]
        return f"{{ {', '.join(parts)} }}" if parts else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(value_text, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    whole = isinstance(value, float) and abs(value) < 1e15 and value == int(value)
    return text(value) if isinstance(value, str) else str(int(value)) if whole else repr(value)


def key_text(name: str) -> str:
    """Return a name as TOML writes a key."""
    return name if _BARE.fullmatch(name) else text(name)


def _rule(rule: EditRule) -> Iterable[str]:
    conditions = edit_rules_to_json([rule])[0].items()
    return ["", "[[edit_rules]]", *(f"{key_text(name)} = {value_text(values)}" for name, values in conditions)]


def _listed(attribute: Attribute, rule: HierarchyRule | None, open_ended: bool) -> bool:
    if not attribute.role.published or (open_ended and attribute.scale is Scale.NOMINAL):
        return False
    if attribute.date_format:
        return attribute.categories != in_time(attribute.categories, attribute.date_format)
    left_out = (
        open_ended or rule is not None or attribute.role is Role.HOUSEHOLD or len(attribute.categories) > _MOST_LISTED
    )
    return not left_out or attribute.categories != natural_order(attribute.categories)


def hierarchy_name(stem: str, attribute: str, taken: Iterable[str]) -> str:
    """Return a name for the file of an attribute's hierarchy that is not taken."""
    base = f"{stem}-{re.sub(r'[^A-Za-z0-9_-]+', '-', attribute).strip('-') or 'attribute'}"
    name, number = f"{base}.csv", 2
    while name in set(taken):
        name, number = f"{base}-{number}.csv", number + 1
    return name


def schema_to_json(schema: Schema) -> dict[str, Any]:
    """Return a schema as JSON-able data."""
    attributes = []
    for a in schema.attributes:
        tree = a.hierarchy
        plain: dict[str, Any] = {
            "name": a.name,
            "role": str(a.role),
            "scale": str(a.scale),
            "categories": list(a.categories),
        }
        plain |= {"decimals": a.decimals, "missing": list(a.missing), "date_format": a.date_format}
        levels = [list(tree.leaves), [list(level) for level in tree.levels], list(tree.names)] if tree else None
        attributes.append(plain | {"hierarchy": levels})
    rules = edit_rules_to_json(schema.edit_rules)
    return {"missing": list(schema.missing), "na": str(schema.na), "edit_rules": rules, "attributes": attributes}


def schema_from_json(document: Mapping[str, Any]) -> Schema:
    """Return the schema that `schema_to_json` wrote."""
    faults: list[Fault] = []
    rules = read_edit_rules(document["edit_rules"], "edit_rules", faults)
    if faults:
        raise SchemaError(faults)
    attributes = []
    for a in document["attributes"]:
        leaves, levels, names = (*(a["hierarchy"] or ()), (), (), ())[:3]
        tree = Hierarchy(tuple(leaves), tuple(map(tuple, levels)), names=tuple(names)) if leaves else None
        categories, missing = tuple(a["categories"]), tuple(a.get("missing", ()))
        scale, date_format = Scale(a["scale"]), str(a.get("date_format", ""))
        attributes.append(
            Attribute(a["name"], Role(a["role"]), scale, categories, tree, a["decimals"], missing, date_format)
        )
    return Schema(tuple(attributes), tuple(document["missing"]), MissingRule(document["na"]), rules)
