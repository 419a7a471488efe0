"""Schema files in TOML: a user's description of attributes, read and checked, and written with comments to edit.

Schemas travel to workers as JSON-able data.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evosdc.errors import Fault, HierarchyError, SchemaError, did_you_mean
from evosdc.files.atomic import write_text
from evosdc.files.coding import WITHOUT, is_shown
from evosdc.files.encoding import read_text
from evosdc.files.schema.description import AttributeDescription, SchemaDescription
from evosdc.files.schema.hierarchies import HierarchyRule, read_hierarchy, rule_of, write_hierarchy
from evosdc.printing import printable
from evosdc.table.dates import in_time
from evosdc.table.edit_rules import EditRule, edit_rules_to_json, read_edit_rules
from evosdc.table.hierarchy import Hierarchy
from evosdc.table.numerals import MOST_DECIMALS, natural_order
from evosdc.table.schema import Attribute, MissingRule, NewValues, Role, Scale, Schema

_WORDS = tomllib.loads(files(__package__).joinpath("keys.toml").read_text(encoding="utf-8"))
SCHEMA_KEYS: Mapping[str, str] = _WORDS["schema"]  # what a schema file may say at its top, with the meaning of each key
ATTRIBUTE_KEYS: Mapping[str, str] = _WORDS["attribute"]  # what it may say of an attribute
_DATE = "date"  # what schema files call the scale of attributes whose categories are days
_KINDS = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list", dict: "a table"}
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_MOST_LISTED = 150


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
    missing = _texts(document, "missing", str(path), faults) if "missing" in document else ("",)
    na = _word(document, "na", [*map(str, MissingRule)], str(path), faults)
    tables, attributes = document.get("attributes", {}), {}
    if not isinstance(tables, dict):
        faults.append(Fault(f"{path}, attributes", _kind_of(tables), "a table [attributes]"))
        tables = {}
    for name, table in tables.items():
        where = printable(f"{path}, {name}")
        if isinstance(table, dict):
            attributes[name] = _description(table, name, where, path.parent, missing or (), faults)
        else:
            faults.append(Fault(where, _kind_of(table), 'a table, for example { role = "quasi-identifier" }'))
    for key, kind, wanted in (
        ("neutralise_formulas", bool, "true or false"), ("encoding", str, "a text"), ("sheet", str, "a text"),
    ):  # fmt: skip
        if key in document and not isinstance(document[key], kind):
            faults.append(Fault(f"{path}, {key}", _kind_of(document[key]), wanted))
    rules = read_edit_rules(document.get("edit_rules", []), printable(f"{path}: edit_rules"), faults)
    if faults:
        raise SchemaError(faults)
    return SchemaDescription(
        attributes, missing or (), MissingRule(na or MissingRule.CATEGORY), str(path), rules,
        document.get("neutralise_formulas", False), document.get("encoding"), document.get("sheet"),
    )  # fmt: skip


def _description(
    table: Mapping[str, Any], name: str, where: str, folder: Path, missing: Sequence[str], faults: list[Fault]
) -> AttributeDescription:
    faults += _unknown(table, ATTRIBUTE_KEYS, where)
    said_role = _word(table, "role", [*map(str, Role)], where, faults)
    said_scale = _word(table, "scale", [*map(str, Scale), _DATE], where, faults)
    role = None if said_role is None else Role(said_role)
    scale = None if said_scale is None else Scale.ORDINAL if said_scale == _DATE else Scale(said_scale)
    own, categories = (_texts(table, key, where, faults) for key in ("missing", "categories"))
    form, decimals, given = table.get("format"), table.get("decimals"), table.get("hierarchy")
    if form is not None and (table.get("scale") != _DATE or not isinstance(form, str) or "%" not in form):
        wanted = 'signs such as "%d.%m.%Y", of an attribute with scale = "date"'
        faults.append(Fault(f"{where}, format", repr(form), wanted))
    if decimals is not None and (type(decimals) is not int or not 0 <= decimals <= MOST_DECIMALS):
        faults.append(Fault(f"{where}, decimals", repr(decimals), f"a whole number from 0 to {MOST_DECIMALS}"))
        decimals = None
    numeric = scale in (Scale.NUMERIC, None)
    if scale is Scale.NUMERIC and categories is not None:
        wanted = "no categories, or the scale nominal or ordinal"
        faults.append(Fault(where, "categories of a numeric attribute", wanted))
    if decimals is not None and (not numeric or (scale is None and categories is not None)):
        faults.append(Fault(where, "decimals of a categorical attribute", "no decimals, or the scale numeric"))
    if role is Role.WEIGHT and (not numeric or categories is not None):
        faults.append(Fault(where, "a weight that is not numeric", 'scale = "numeric"'))
    new = NewValues(_word(table, "new_values", [*map(str, NewValues)], where, faults) or NewValues.REFUSE)
    if new is not NewValues.REFUSE and scale is Scale.NUMERIC:
        faults.append(
            Fault(f"{where}, new_values", "a numeric attribute", "one with categories or a hierarchy of them")
        )
    shown = is_shown(name, role)
    repeated = sorted(label for label, count in Counter(categories).items() if count > 1)
    if repeated:
        repetitions = printable(", ".join(repeated)) if shown else f"{len(repeated)} of them"
        faults.append(Fault(f"{where}, categories", f"{repetitions} more than once", "each category once"))
    # What is missing for this attribute only is no category of it.
    both = [label for label in categories or () if label in missing and label not in (own or ())]
    if both:
        both_given = f"{repr(both[0]) if shown else WITHOUT}, which also stands for a missing value in all attributes"
        faults.append(Fault(f"{where}, categories", both_given, "one meaning", "Take it from one of the two lists."))
    hierarchy, rule = None, None
    try:
        if isinstance(given, str):
            hierarchy = read_hierarchy(folder / given)
            if "levels" in table:
                hierarchy = replace(hierarchy, names=_texts(table, "levels", where, faults) or ())
        elif isinstance(given, dict):
            rule = rule_of(given, f"{where}, hierarchy")
        elif given is not None:
            wanted = "the path of a CSV file, or a rule such as { widths = [5, 10] }"
            faults.append(Fault(f"{where}, hierarchy", _kind_of(given), wanted))
    except HierarchyError as error:
        faults += error.faults
    if "levels" in table and not isinstance(given, str):
        wanted = 'hierarchy = "FILE.csv" besides'
        faults.append(Fault(f"{where}, levels", "names of levels without a hierarchy", wanted))
    dated = (form or "") if said_scale == _DATE else None
    return AttributeDescription(role, scale, categories, hierarchy, decimals, rule, own or (), dated, new)


def _unknown(table: Mapping[str, Any], keys: Iterable[str], where: str) -> list[Fault]:
    return [
        Fault(where, f"the key {key!r}", f"one of {', '.join(keys)}", did_you_mean(key, keys))
        for key in table
        if key not in keys
    ]


def _word(table: Mapping[str, Any], key: str, known: Sequence[str], where: str, faults: list[Fault]) -> str | None:
    """Return the word that is under a key, one of those that are known; None where there is none."""
    given = table.get(key)
    if given is None or (isinstance(given, str) and given in known):
        return given
    shown, advice = (repr(given), did_you_mean(given, known)) if isinstance(given, str) else (_kind_of(given), "")
    faults.append(Fault(f"{where}, {key}", shown, f"one of {', '.join(known)}", advice))
    return None


def _texts(table: Mapping[str, Any], key: str, where: str, faults: list[Fault]) -> tuple[str, ...] | None:
    """Return the texts that are under a key; None where there are none."""
    given = table.get(key)
    if isinstance(given, list) and all(type(item) in (str, int) for item in given):
        return tuple(map(str, given))
    if given is not None:
        faults.append(Fault(f"{where}, {key}", _kind_of(given), 'a list of texts, for example ["low", "high"]'))
    return None


def _kind_of(given: Any) -> str:
    return _KINDS.get(type(given), f"a {type(given).__name__}")


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
    reasons: Mapping[str, str] = MappingProxyType({}),
    rules: Mapping[str, HierarchyRule] = MappingProxyType({}),
    proposed: Sequence[EditRule] = (),
    reading: Mapping[str, str] = MappingProxyType({}),
    open_ended: bool = False,
    complete: bool = False,
) -> tuple[Path, ...]:
    """Write a schema file, and beside it one CSV file for each hierarchy; `complete`: with all published categories."""
    path = Path(path)
    written = hierarchy_files(schema, path)
    lines = [*_comments(_WORDS["legend"].split("\n")), *([""] if notes else []), *_comments(notes)]
    lines += ["", f"missing = {value_text(schema.missing)}  # texts that stand for a missing value"]
    lines += [f"na = {text(schema.na)}  # how it counts: category (of its own), wildcard (equal to all) or error"]
    lines += [f"{key} = {text(value)}" for key, value in reading.items()]
    lines += ["", "[attributes]"]
    for attribute in schema.attributes:
        lines += _comments([reasons[attribute.name]] if reasons.get(attribute.name) else [])
        rule, file = rules.get(attribute.name), written.get(attribute.name)
        said: dict[str, Any] = {"role": str(attribute.role), "scale": attribute.scale_word}
        if attribute.date_format:
            said["format"] = attribute.date_format
        listed = attribute.role.published if complete else _listed(attribute, rule, open_ended)
        if attribute.categorical and listed:
            said["categories"] = attribute.categories
        if attribute.scale is Scale.NUMERIC:
            said["decimals"] = attribute.decimals
        if attribute.hierarchy is not None and file is not None:
            write_hierarchy(attribute.hierarchy, file)
            said |= {"hierarchy": file.name} | (
                {"levels": attribute.hierarchy.names} if attribute.hierarchy.names else {}
            )
        elif rule is not None:
            said["hierarchy"] = rule.model_dump(exclude_defaults=True)
        if attribute.missing:
            said["missing"] = attribute.missing
        if attribute.new_values is not NewValues.REFUSE:
            said["new_values"] = str(attribute.new_values)
        lines.append(f"{key_text(attribute.name)} = {value_text(said)}")
    lines += [line for rule in schema.edit_rules for line in _rule(rule)]
    if proposed:
        lines += ["", "# Never together in this file; take the # away where it is a rule."]
        lines += [f"# {line}" if line else "" for rule in proposed for line in _rule(rule)]
    write_text(path, "\n".join(lines) + "\n")
    return (path, *written.values())


def _listed(attribute: Attribute, rule: HierarchyRule | None, open_ended: bool) -> bool:
    """Whether the categories of an attribute are written; else the file, or the next wave, has them itself."""
    # Those of identifiers and households, long lists in natural order, and numbers with a rule are values of records.
    if attribute.role.published and attribute.new_values is not NewValues.REFUSE:
        return True  # else no value would be new
    if not attribute.role.published or (open_ended and attribute.scale is Scale.NOMINAL):
        return False
    if attribute.date_format:
        return attribute.categories != in_time(attribute.categories, attribute.date_format)
    many = attribute.role is Role.HOUSEHOLD or len(attribute.categories) > _MOST_LISTED
    return not (open_ended or rule is not None or many) or attribute.categories != natural_order(attribute.categories)


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
        levels = [list(tree.leaves), [list(level) for level in tree.levels], list(tree.names)] if tree else None
        attributes.append({
            "name": a.name, "role": str(a.role), "scale": str(a.scale), "categories": list(a.categories),
            "decimals": a.decimals, "missing": list(a.missing), "date_format": a.date_format, "hierarchy": levels,
        })  # fmt: skip
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
        kept = {"categories": tuple(a["categories"]), "missing": tuple(a.get("missing", ())), "hierarchy": tree}
        plain = {"role": Role(a["role"]), "scale": Scale(a["scale"]), "date_format": str(a.get("date_format", ""))}
        attributes.append(Attribute(**a | kept | plain))
    return Schema(tuple(attributes), tuple(document["missing"]), MissingRule(document["na"]), rules)
