"""A user's description of a file's attributes, and the schema that follows from it for a file."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from evosdc.errors import Fault, SchemaError, did_you_mean
from evosdc.files.coding import quoted
from evosdc.files.column import Column
from evosdc.files.inference.column_proposal import guess_scale
from evosdc.files.inference.name_hints import hint_of
from evosdc.files.schema.hierarchies import HierarchyRule
from evosdc.printing import printable
from evosdc.table.dates import SPAN, date_format_of, days_of, in_time, with_century
from evosdc.table.edit_rules import EditRule, edit_rule_faults
from evosdc.table.hierarchy import Hierarchy
from evosdc.table.numerals import decimals_of, natural_order, numbers, same_number
from evosdc.table.schema import WITHHELD, Attribute, MissingRule, NewValues, Role, Scale, Schema

_SEVERAL = re.compile(r"(>=|<=|<|>) ?\S|.*([*\[{]|\.\.)", re.DOTALL)  # a label of several values
_ENDS = re.compile(r"-?[0-9]+(\.[0-9]+)?-[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True)
class AttributeDescription:
    """A schema's description of one attribute; None for open settings."""

    role: Role | None = None
    scale: Scale | None = None
    categories: tuple[str, ...] | None = None
    hierarchy: Hierarchy | None = None
    decimals: int | None = None
    rule: HierarchyRule | None = None  # how the hierarchy is made of the values that are found, in place of a given one
    missing: tuple[str, ...] = ()  # texts that represent a missing value of this attribute, besides those of the file
    # how days are written; None: the attribute is said to be no date, empty: as is recognised
    date_format: str | None = None
    new_values: NewValues = NewValues.REFUSE

    def new(self, texts: Sequence[str]) -> list[str]:
        """Return the values that neither the categories nor the hierarchy have, in natural order."""
        new = [text for text in natural_order(texts) if self.categories is not None and text not in self.categories]
        tree = self.hierarchy
        return new if tree is None else list(dict.fromkeys((*new, *tree.lacking(natural_order(texts)))))


@dataclass(frozen=True)
class SchemaDescription:
    """A user's description of a file, before the file is known."""

    attributes: Mapping[str, AttributeDescription] = field(default_factory=dict)
    missing: tuple[str, ...] = ("",)  # none: the empty text
    na: MissingRule = MissingRule.CATEGORY
    origin: str = "schema"  # the schema file, for messages
    edit_rules: tuple[EditRule, ...] = ()
    # whether cells that a spreadsheet would take for formulas are published with a quote before them
    neutralise_formulas: bool = False
    # encoding, sheet: of the data file, where they are not those that are recognised
    encoding: str | None = None
    sheet: str | None = None

    @property
    def rules(self) -> dict[str, HierarchyRule]:
        """Rules of hierarchies by attribute, for `evosdc.files.schema.hierarchies.with_hierarchies`."""
        return {name: said.rule for name, said in self.attributes.items() if said.rule is not None}

    def published(self, columns: Sequence[Column], generalised: bool = False) -> "SchemaDescription":
        """Return the description of a published file."""
        # Edit rules are those of the original. With `generalised` the labels that the file adds are categories.
        named, kept = {column.name: column for column in columns}, {}
        for name, said in self.attributes.items():
            if generalised and name in named:
                kept[name] = _generalised(said, named[name], (*self.missing, *said.missing))
            elif name in named or said.role is None or said.role.published:
                kept[name] = said
        return replace(self, attributes=kept, edit_rules=())

    def absent(self, names: Sequence[str]) -> list[str]:
        """Return identifiers and columns to drop that a file lacks, as one that was protected before; no slips."""
        lacking = [name for name, said in self.attributes.items() if said.role in WITHHELD and name not in names]
        return [name for name in lacking if not did_you_mean(name, names)]

    def resolve(
        self, columns: Sequence[Column], proposed: Mapping[str, Attribute] = MappingProxyType({}), holder: str = "file"
    ) -> Schema:
        """Return the schema of a file with these columns."""
        names = [column.name for column in columns]
        faults = [
            Fault(
                printable(self.origin),
                f"the attribute {name!r}, for which the {holder} has no column",
                f"attributes of the {holder}",
                did_you_mean(name, names) or f"Where the {holder} leaves it out, take its line away.",
            )
            for name in self.attributes
            if name not in names and name not in proposed and name not in self.absent(names)
        ]
        attributes = []
        for column in columns:
            said = self.attributes.get(column.name, AttributeDescription())
            attribute = self._attribute(column, said, proposed.get(column.name))
            attributes.append(attribute)
            form, hierarchy = attribute.date_format, attribute.hierarchy
            foreign = 0 if said.date_format is None else int(np.isnat(days_of(attribute.categories, form)).sum())
            if foreign:
                given = f"{foreign} values that are no days"
                given += f" written as {form}" if form else " written in one way that is known"
                advice = 'Give format = "%d.%m.%Y" in the schema, list what stands for a missing value, or mend it.'
                faults.append(Fault(printable(f"{holder}, {column.name}"), given, "dates", advice))
            lacking = hierarchy.lacking(attribute.categories) if hierarchy is not None and said.categories else ()
            if hierarchy is not None and lacking:
                given = f"no line for the category {quoted(lacking[0], attribute)}"
                given += f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
                faults.append(Fault(hierarchy.origin, given, f"all categories of {printable(column.name)}"))
        schema = Schema(tuple(attributes), self.missing, self.na, self.edit_rules)
        faults += edit_rule_faults(self.edit_rules, schema, printable(f"{self.origin}: edit_rules"))
        if faults:
            raise SchemaError(faults)
        return schema

    def _attribute(self, column: Column, said: AttributeDescription, proposed: Attribute | None) -> Attribute:
        name, mark = column.name, column.mark
        role = said.role or (proposed.role if proposed is not None else Role.OTHER)
        own = said.missing or (proposed.missing if proposed is not None else ())
        own = (*own, *same_number(column.texts, own, mark))
        categories = said.categories
        if categories is not None and own:
            # What represents a missing value of this attribute is no category of it, though its schema lists it still.
            codes = {*own, *same_number(categories, own, mark)}
            categories = tuple(label for label in categories if label not in codes)
        listed = categories
        missing = (*self.missing, *own)
        texts = column.present(missing)
        scale, date_format = said.scale, ""
        if scale is None and role is Role.WEIGHT:
            scale = Scale.NUMERIC
        elif scale is None and (role in (*WITHHELD, Role.HOUSEHOLD, Role.STRATUM) or categories is not None):
            scale = Scale.NOMINAL
        elif scale is None:
            guess = proposed if proposed is not None else guess_scale(column, missing)
            scale, categories, date_format = guess.scale, guess.categories, guess.date_format
        if scale is Scale.NUMERIC:
            decimals = said.decimals
            if decimals is None:
                decimals = proposed.decimals if proposed is not None else decimals_of(texts, mark)
            return Attribute(name, role, scale, (), said.hierarchy, decimals, own)
        if said.date_format is not None:
            past = hint_of(name).birth
            date_format = with_century(texts, said.date_format, past) or date_format_of(texts, past)
            categories = listed or in_time(texts, date_format)
        if categories is None:
            categories = proposed.categories if proposed is not None and proposed.categorical else None
            if categories is None and scale is Scale.ORDINAL:
                guess = guess_scale(column, missing)
                categories = guess.categories if guess.scale is Scale.ORDINAL else None
            categories = natural_order(texts, mark) if categories is None else categories
        attribute = Attribute(name, role, scale, categories, said.hierarchy, 0, own, date_format, said.new_values)
        return _with_new_values(attribute, said.new(texts)) if said.new_values is not NewValues.REFUSE else attribute


def _with_new_values(attribute: Attribute, new: Sequence[str]) -> Attribute:
    """Return an attribute without values that its schema lacks, or with them, as its schema says."""
    known = tuple(label for label in attribute.categories if label not in new)
    if attribute.new_values is NewValues.MISSING:
        return replace(attribute, categories=known)
    labels: tuple[str, ...] = (*known, *new)
    if attribute.date_format:
        labels = in_time(labels, attribute.date_format)
    elif attribute.scale is Scale.ORDINAL:
        if known != natural_order(known):
            return replace(attribute, categories=known)  # nothing tells where in the order they stand
        labels = natural_order(labels)
    tree = attribute.hierarchy
    tree = tree.with_leaves(tree.lacking(labels)) if tree is not None else None
    return replace(attribute, categories=labels, hierarchy=tree)


def _generalised(said: AttributeDescription, column: Column, missing: Sequence[str]) -> AttributeDescription:
    """Return the description of an attribute with the labels that represent several values in a published file."""
    texts, dated = column.present(missing), said.date_format is not None
    inner = {label for labels in said.hierarchy.levels for label in labels} if said.hierarchy is not None else set()
    wide = [t for t in texts if t in inner or _SEVERAL.match(t) or _ENDS.fullmatch(t) or (dated and SPAN.fullmatch(t))]
    if not wide:
        return said
    if dated:
        said = replace(said, date_format=None)
    if said.scale is Scale.NUMERIC and numbers(texts, column.mark) is None:
        others = [text for text in texts if text not in wide]
        if others and numbers(others, column.mark) is None:
            return said
        return replace(said, scale=Scale.NOMINAL, decimals=None, rule=None, hierarchy=None)
    if said.categories is not None:
        added = tuple(text for text in wide if text not in said.categories)
        said = replace(said, categories=(*said.categories, *added))
        if not added:
            return said
    return replace(said, hierarchy=None, rule=None)  # hierarchies are of the original's values


def describe(schema: Schema) -> SchemaDescription:
    """Return the description that says all that a schema says."""
    attributes = {}
    for a in schema.attributes:
        categories, decimals = (a.categories, None) if a.categorical else (None, a.decimals)
        dated = a.date_format or None
        said = AttributeDescription(a.role, a.scale, categories, a.hierarchy, decimals, None, a.missing, dated)
        attributes[a.name] = said
    return SchemaDescription(attributes, schema.missing, schema.na, edit_rules=schema.edit_rules)
