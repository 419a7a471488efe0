"""Schema files: what a user writes on a file's attributes, read, checked against the file, and written."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from evosdc.errors import Fault, HierarchyError, SchemaError, did_you_mean
from evosdc.files.column import Column
from evosdc.files.encoding import read_text
from evosdc.files.inference.name_hints import hint_of
from evosdc.files.inference.scales import guess_scale
from evosdc.files.schema.hierarchy_file import read_hierarchy
from evosdc.files.schema.hierarchy_rules import HierarchyRule, rule_of
from evosdc.printing import printable
from evosdc.table.edit_rules import EditRule, edit_rule_faults, read_edit_rules
from evosdc.table.hierarchy import Hierarchy
from evosdc.table.numerals import MOST_DECIMALS, decimals_of, natural_order, numbers
from evosdc.table.schema import Attribute, MissingRule, Role, Scale, Schema

_KEYS = ("missing", "na", "neutralise_formulas", "attributes", "edit_rules")
_ATTRIBUTE_KEYS = ("role", "scale", "categories", "hierarchy", "decimals")
_Word = TypeVar("_Word", bound=StrEnum)


@dataclass(frozen=True)
class AttributeDescription:
    """What a schema says of one attribute; None where it says nothing."""

    role: Role | None = None
    scale: Scale | None = None
    categories: tuple[str, ...] | None = None
    hierarchy: Hierarchy | None = None
    decimals: int | None = None
    rule: HierarchyRule | None = None
    """How the hierarchy is made of the values that are found, in place of a given one."""


@dataclass(frozen=True)
class SchemaDescription:
    """What a user says of a file, before the file is known.

    Parameters
    ----------
    attributes : mapping of str to AttributeDescription
    missing : tuple of str or None
        None: the empty text.
    na : MissingRule
    origin : str
        The schema file, for messages.
    edit_rules : tuple of EditRule
    neutralise_formulas : bool
        Whether cells that a spreadsheet would take for formulas are published with a quote before them.
    """

    attributes: Mapping[str, AttributeDescription] = field(default_factory=dict)
    missing: tuple[str, ...] = ("",)
    na: MissingRule = MissingRule.CATEGORY
    origin: str = "schema"
    edit_rules: tuple[EditRule, ...] = ()
    neutralise_formulas: bool = False

    @property
    def rules(self) -> dict[str, HierarchyRule]:
        """Rules of hierarchies by attribute, for `evosdc.files.schema.hierarchy_rules.with_hierarchies`."""
        return {name: said.rule for name, said in self.attributes.items() if said.rule is not None}

    def published(self, columns: Sequence[Column], generalised: bool = False) -> "SchemaDescription":
        """Return the description of a published file.

        It is without those identifiers that the file leaves out. Where values may be `generalised` it has the labels
        that the file adds, after the categories of their attribute; numbers among which there are some become nominal.
        Edit rules are those of the original and are left out.
        """
        named = {column.name: column for column in columns}
        kept = {
            name: self._generalised(said, named[name]) if generalised and name in named else said
            for name, said in self.attributes.items()
            if name in named or said.role is not Role.IDENTIFIER
        }
        return replace(self, attributes=kept, edit_rules=())

    def _generalised(self, said: AttributeDescription, column: Column) -> AttributeDescription:
        texts = column.present(self.missing)
        if said.categories is not None:
            known = frozenset(said.categories)
            return replace(said, categories=(*said.categories, *(text for text in texts if text not in known)))
        if said.scale is Scale.NUMERIC and numbers(texts, column.mark) is None:
            return replace(said, scale=Scale.NOMINAL, decimals=None, rule=None)
        return said

    def resolve(
        self, columns: Sequence[Column], proposed: Mapping[str, Attribute] | None = None, holder: str = "file"
    ) -> Schema:
        """Return the schema of a file with these columns.

        Attributes that the description leaves out are `other`; categories that it leaves out are those found, by
        number if all are numbers, else sorted; a scale that it leaves out follows from the values
        (`evosdc.files.inference.scales`).

        Parameters
        ----------
        columns : sequence of Column
        proposed : mapping of str to Attribute, optional
            Scales, categories and decimals to use where the description has none, instead of those that the values
            suggest; by name.
        holder : str
            What holds the columns, for messages.

        Raises
        ------
        SchemaError
            With every attribute that has no column, every hierarchy that lacks a category, and every edit rule with an
            attribute or a category that is unknown.
        """
        names = [column.name for column in columns]
        faults = [
            Fault(
                printable(self.origin),
                f"the attribute {name!r}, for which the {holder} has no column",
                f"attributes of the {holder}",
                did_you_mean(name, names),
            )
            for name in self.attributes
            if name not in names
        ]
        attributes = []
        for column in columns:
            description = self.attributes.get(column.name, AttributeDescription())
            attribute = self._attribute(column, description, (proposed or {}).get(column.name))
            attributes.append(attribute)
            if attribute.hierarchy is not None and description.categories is not None:
                lacking = attribute.hierarchy.lacking(attribute.categories)
                if lacking:
                    given = f"no line for the category {lacking[0]!r}"
                    given += f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
                    wanted = f"all categories of {printable(column.name)}"
                    faults.append(Fault(attribute.hierarchy.origin, given, wanted))
        schema = Schema(tuple(attributes), self.missing, self.na, self.edit_rules)
        faults += edit_rule_faults(self.edit_rules, schema, printable(f"{self.origin}: edit_rules"))
        if faults:
            raise SchemaError(faults)
        return schema

    def _attribute(self, column: Column, said: AttributeDescription, proposed: Attribute | None) -> Attribute:
        role = said.role or Role.OTHER
        texts = column.present(self.missing)
        scale, decimals = said.scale, said.decimals
        categories: tuple[str, ...] | None = said.categories
        if scale is None and role is Role.WEIGHT:
            scale = Scale.NUMERIC
        elif scale is None and (role in (Role.IDENTIFIER, Role.HOUSEHOLD, Role.STRATUM) or categories is not None):
            scale = Scale.NOMINAL
        elif scale is None and proposed is not None:
            scale, categories = proposed.scale, proposed.categories
        elif scale is None:
            guess = guess_scale(column, self.missing, hint_of(column.name).unordered)
            scale, categories = guess.scale, guess.categories
        if scale is Scale.NUMERIC:
            found = proposed.decimals if proposed is not None else decimals_of(texts, column.mark)
            return Attribute(column.name, role, scale, (), said.hierarchy, found if decimals is None else decimals)
        if categories is None:
            known = proposed is not None and proposed.categorical
            categories = proposed.categories if known and proposed else natural_order(texts, column.mark)
        return Attribute(column.name, role, scale, categories, said.hierarchy)


def describe(schema: Schema) -> SchemaDescription:
    """Return the description that says all that a schema says."""
    attributes = {
        a.name: AttributeDescription(
            a.role, a.scale, a.categories if a.categorical else None, a.hierarchy, None if a.categorical else a.decimals
        )
        for a in schema.attributes
    }
    return SchemaDescription(attributes, schema.missing, schema.na, edit_rules=schema.edit_rules)


def load_schema(path: Path) -> SchemaDescription:
    """Read a schema file.

    Raises
    ------
    SchemaError
        The file cannot be read, is no TOML, or says something that is not understood: with everything that is wrong,
        faults of the hierarchies that it names included.
    """
    path = Path(path)
    text = read_text(path, SchemaError)
    try:
        document = tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise SchemaError(Fault(str(path), f"text that is not TOML: {error}", "a schema file in TOML")) from None
    faults: list[Fault] = _unknown(document, _KEYS, str(path))
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
        attributes[name] = _description(table, where, path.parent, missing or (), faults)
    neutral = document.get("neutralise_formulas", False)
    if not isinstance(neutral, bool):
        faults.append(Fault(f"{path}, neutralise_formulas", _kind(neutral), "true or false"))
    rules = read_edit_rules(document.get("edit_rules", []), printable(f"{path}: edit_rules"), faults)
    if faults:
        raise SchemaError(faults)
    return SchemaDescription(attributes, missing or (), na or MissingRule.CATEGORY, str(path), rules, bool(neutral))


def _description(
    table: Mapping[str, Any], where: str, folder: Path, missing: Sequence[str], faults: list[Fault]
) -> AttributeDescription:
    faults += _unknown(table, _ATTRIBUTE_KEYS, where)
    role = _word(table["role"], Role, f"{where}, role", faults) if "role" in table else None
    scale = _word(table["scale"], Scale, f"{where}, scale", faults) if "scale" in table else None
    categories = _texts(table["categories"], f"{where}, categories", faults) if "categories" in table else None
    decimals = table.get("decimals")
    if decimals is not None and (type(decimals) is not int or not 0 <= decimals <= MOST_DECIMALS):
        faults.append(Fault(f"{where}, decimals", repr(decimals), f"a whole number from 0 to {MOST_DECIMALS}"))
        decimals = None
    faults += _contradictions(where, role, scale, categories, decimals, missing)
    hierarchy, rule = None, None
    given = table.get("hierarchy")
    try:
        if isinstance(given, str):
            hierarchy = read_hierarchy(folder / given)
        elif isinstance(given, dict):
            rule = rule_of(given, f"{where}, hierarchy")
        elif given is not None:
            wanted = "the path of a CSV file, or a rule such as { widths = [5, 10] }"
            faults.append(Fault(f"{where}, hierarchy", _kind(given), wanted))
    except HierarchyError as error:
        faults += error.faults
    return AttributeDescription(role, scale, categories, hierarchy, decimals, rule)


def _contradictions(
    where: str,
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
    listed = list(categories or ())
    repeated = sorted({label for label in listed if listed.count(label) > 1}) if len(set(listed)) < len(listed) else []
    if repeated:
        yield Fault(f"{where}, categories", f"{printable(', '.join(repeated))} more than once", "each category once")
    both = [label for label in listed if label in missing]
    if both:
        given = f"{both[0]!r}, which also stands for a missing value"
        yield Fault(f"{where}, categories", given, "one meaning", "Take it from one of the two lists.")


def _unknown(table: Mapping[str, Any], keys: Sequence[str], where: str) -> list[Fault]:
    return [
        Fault(where, f"the key {key!r}", f"one of {', '.join(keys)}", did_you_mean(key, keys))
        for key in table
        if key not in keys
    ]


def _word(given: Any, words: type[_Word], where: str, faults: list[Fault]) -> _Word | None:
    known = [word.value for word in words]
    if isinstance(given, str) and given in known:
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


def dump_schema(schema: Schema, path: Path, notes: Sequence[str] = ()) -> tuple[Path, ...]:
    """Write a schema file that a user can edit; as `evosdc.files.schema.schema_writer.dump`."""
    from evosdc.files.schema.schema_writer import dump

    return dump(schema, path, notes)
