"""Writing schema files: TOML with comments, for a user to edit."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from evosdc.files.atomic import write_text
from evosdc.files.schema.hierarchy_file import write_hierarchy
from evosdc.files.schema.hierarchy_rules import HierarchyRule
from evosdc.table.dates import in_time
from evosdc.table.edit_rules import EditRule, edit_rules_to_json
from evosdc.table.numerals import natural_order
from evosdc.table.schema import Attribute, Role, Scale, Schema

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


def hierarchy_files(schema: Schema, path: Path) -> tuple[Path, ...]:
    """Return the files that hierarchies of a schema are written to beside its own file."""
    return tuple(path.parent / name for name in _hierarchy_names(schema, path).values())


def _hierarchy_names(schema: Schema, path: Path) -> dict[str, str]:
    names: dict[str, str] = {}
    for attribute in schema.attributes:
        if attribute.hierarchy is not None:
            names[attribute.name] = hierarchy_name(path.stem, attribute.name, names.values())
    return names


def dump_schema(
    schema: Schema,
    path: Path,
    notes: Sequence[str] = (),
    reasons: Mapping[str, str] | None = None,
    rules: Mapping[str, HierarchyRule] | None = None,
    proposed: Sequence[EditRule] = (),
    reading: Mapping[str, str] | None = None,
) -> tuple[Path, ...]:
    """Write a schema file, and beside it one CSV file for each hierarchy.

    Categories of identifiers and households, long lists in their natural order, and numbers with a rule are left out:
    they are values of records, and found again in the file, or other ones in the next wave. An attribute's categories
    come back from the file in the same order then.

    Parameters
    ----------
    schema : Schema
    path : Path
        Where to write; replaced if it exists.
    notes : sequence of str
        Remarks to put in as comments.
    reasons : mapping of str to str, optional
        By attribute, why it was taken for what it is: a comment above its line.
    rules : mapping of str to HierarchyRule, optional
        By attribute, the rule of its hierarchy where the schema holds none.
    proposed : sequence of EditRule
        Combinations that never occur: written as comments, for the user to make them rules.
    reading : mapping of str to str, optional
        How the data file is to be read: ``encoding``, ``sheet``.

    Returns
    -------
    tuple of Path
        All files written.
    """
    path = Path(path)
    written = _hierarchy_names(schema, path)
    files = [path, *hierarchy_files(schema, path)]
    for name, file in zip(written, files[1:], strict=True):
        hierarchy = schema[name].hierarchy
        assert hierarchy is not None
        write_hierarchy(hierarchy, file)
    lines = [*_comments(_INTRODUCTION.split("\n")), *([""] if notes else []), *_comments(notes)]
    lines += ["", f"missing = {_list(schema.missing)}  # texts that stand for a missing value"]
    lines += [f"na = {text(schema.na)}  # how it counts: category (of its own), wildcard (equal to all) or error"]
    lines += [f"{key} = {text(value)}" for key, value in (reading or {}).items()]
    lines += ["", "[attributes]"]
    for attribute in schema.attributes:
        reason = (reasons or {}).get(attribute.name)
        lines += _comments([reason]) if reason else []
        lines.append(_line(attribute, written.get(attribute.name), (rules or {}).get(attribute.name)))
    lines += [line for rule in schema.edit_rules for line in _rule(rule)]
    if proposed:
        lines += ["", "# Never together in this file; take the # away where it is a rule."]
        lines += [f"# {line}" if line else "" for rule in proposed for line in _rule(rule)]
    write_text(path, "\n".join(lines) + "\n")
    return tuple(files)


def text(value: str) -> str:
    """Return a TOML basic string."""
    return '"' + "".join(_ESCAPES.get(sign, sign if _plain(sign) else f"\\U{ord(sign):08x}") for sign in value) + '"'


def _plain(sign: str) -> bool:
    # Line separators are legal in TOML but break the file in editors.
    return sign.isprintable() or sign == " "


def _list(values: Iterable[str]) -> str:
    return f"[{', '.join(map(text, values))}]"


def _comments(lines: Iterable[str]) -> list[str]:
    return [
        f"# {''.join(s if _plain(s) else ' ' for s in part)}".rstrip() for line in lines for part in line.split("\n")
    ]


def _line(attribute: Attribute, hierarchy: str | None, rule: HierarchyRule | None) -> str:
    key = key_text(attribute.name)
    parts = [f"role = {text(attribute.role)}", f"scale = {text(attribute.scale_word)}"]
    if attribute.date_format:
        parts.append(f"format = {text(attribute.date_format)}")
    if attribute.categorical and _listed(attribute, rule):
        parts.append(f"categories = {_list(attribute.categories)}")
    if attribute.scale is Scale.NUMERIC:
        parts.append(f"decimals = {attribute.decimals}")
    if hierarchy is not None:
        parts.append(f"hierarchy = {text(hierarchy)}")
        if attribute.hierarchy is not None and attribute.hierarchy.names:
            parts.append(f"levels = {_list(attribute.hierarchy.names)}")
    elif rule is not None:
        parts.append(f"hierarchy = {_table(rule)}")
    if attribute.missing:
        parts.append(f"missing = {_list(attribute.missing)}")
    return f"{key} = {{ {', '.join(parts)} }}"


def _table(rule: HierarchyRule) -> str:
    parts = []
    for key, value in rule.model_dump(exclude_defaults=True).items():
        listed = [text(v) if isinstance(v, str) else f"{v:g}" for v in value] if isinstance(value, tuple) else None
        parts.append(f"{key} = [{', '.join(listed)}]" if listed is not None else f"{key} = {str(value).lower()}")
    return f"{{ {', '.join(parts)} }}"


def value_text(value: Any) -> str:
    """Return a value as TOML writes it within a line."""
    if isinstance(value, Mapping):
        parts = [f"{key_text(str(key))} = {value_text(inner)}" for key, inner in value.items()]
        return f"{{ {', '.join(parts)} }}" if parts else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(value_text, value))}]"
    return str(value).lower() if isinstance(value, bool) else text(value) if isinstance(value, str) else repr(value)


def key_text(name: str) -> str:
    """Return a name as TOML writes a key."""
    return name if _BARE.fullmatch(name) else text(name)


def _rule(rule: EditRule) -> Iterable[str]:
    yield from ("", "[[edit_rules]]")
    for name, values in edit_rules_to_json([rule])[0].items():
        listed = values if isinstance(values, list) else [values]
        texts = [text(value) if isinstance(value, str) else repr(value) for value in listed]
        yield f"{key_text(name)} = " + (f"[{', '.join(texts)}]" if isinstance(values, list) else texts[0])


def _listed(attribute: Attribute, rule: HierarchyRule | None) -> bool:
    if not attribute.role.published:
        return False
    if attribute.date_format:
        return attribute.categories != in_time(attribute.categories, attribute.date_format)
    left_out = rule is not None or attribute.role is Role.HOUSEHOLD or len(attribute.categories) > _MOST_LISTED
    return not left_out or attribute.categories != natural_order(attribute.categories)


def hierarchy_name(stem: str, attribute: str, taken: Iterable[str]) -> str:
    """Return a name for the file of an attribute's hierarchy that is not taken."""
    base = f"{stem}-{re.sub(r'[^A-Za-z0-9_-]+', '-', attribute).strip('-') or 'attribute'}"
    name, number = f"{base}.csv", 2
    while name in set(taken):
        name, number = f"{base}-{number}.csv", number + 1
    return name
