"""A user's description of a file's attributes, and the schema that follows from it for a file."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from evosdc.errors import Fault, SchemaError, did_you_mean
from evosdc.files.column import Column
from evosdc.files.inference.name_hints import hint_of, is_birth
from evosdc.files.inference.scales import ScaleGuess, guess_scale
from evosdc.files.quoting import quoted
from evosdc.files.schema.hierarchies import HierarchyRule
from evosdc.printing import printable
from evosdc.table.dates import SPAN, date_format_of, days_of, in_time, with_century
from evosdc.table.edit_rules import EditRule, edit_rule_faults
from evosdc.table.hierarchy import Hierarchy
from evosdc.table.numerals import decimals_of, natural_order, numbers, same_number
from evosdc.table.schema import WITHHELD, Attribute, MissingRule, Role, Scale, Schema

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
    missing: tuple[str, ...] = ()  # texts that stand for a missing value of this attribute, besides those of the file
    # how days are written; None: the attribute is said to be no date, empty: as is recognised
    date_format: str | None = None


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
        named = {column.name: column for column in columns}
        kept = {
            name: self._generalised(said, named[name]) if generalised and name in named else said
            for name, said in self.attributes.items()
            if name in named or said.role is None or said.role.published
        }
        return replace(self, attributes=kept, edit_rules=())

    def _generalised(self, said: AttributeDescription, column: Column) -> AttributeDescription:
        texts = column.present((*self.missing, *said.missing))
        hierarchy = said.hierarchy
        inner = {label for labels in hierarchy.levels for label in labels} if hierarchy is not None else set()
        dated = said.date_format is not None
        wide = [
            t for t in texts if t in inner or _SEVERAL.match(t) or _ENDS.fullmatch(t) or (dated and SPAN.fullmatch(t))
        ]
        if dated and wide:
            said = replace(said, date_format=None)
        if said.scale is Scale.NUMERIC and numbers(texts, column.mark) is None:
            others = [text for text in texts if text not in wide]
            if wide and (not others or numbers(others, column.mark) is not None):
                return replace(said, scale=Scale.NOMINAL, decimals=None, rule=None, hierarchy=None)
            return said
        if said.categories is not None:
            known = frozenset(said.categories)
            wide = [text for text in wide if text not in known]
            said = replace(said, categories=(*said.categories, *wide))
        # Hierarchies are of the original's values.
        return replace(said, hierarchy=None, rule=None) if wide else said

    def absent(self, names: Sequence[str]) -> list[str]:
        """Return identifiers and columns to drop that a file lacks, as one that was protected before; no slips."""
        lacking = [name for name, said in self.attributes.items() if said.role in WITHHELD and name not in names]
        return [name for name in lacking if not did_you_mean(name, names)]

    def resolve(
        self, columns: Sequence[Column], proposed: Mapping[str, Attribute] | None = None, holder: str = "file"
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
            if name not in names and name not in (proposed or {}) and name not in self.absent(names)
        ]
        attributes = []
        for column in columns:
            description = self.attributes.get(column.name, AttributeDescription())
            attribute = self._attribute(column, description, (proposed or {}).get(column.name))
            attributes.append(attribute)
            form, dated = attribute.date_format, description.date_format is not None
            foreign = int(np.isnat(days_of(attribute.categories, form)).sum()) if dated else 0
            if foreign:
                given = f"{foreign} values that are no days"
                given += f" written as {form}" if form else " written in one way that is known"
                advice = 'Give format = "%d.%m.%Y" in the schema, list what stands for a missing value, or mend it.'
                faults.append(Fault(printable(f"{holder}, {column.name}"), given, "dates", advice))
            if attribute.hierarchy is not None and description.categories is not None:
                lacking = attribute.hierarchy.lacking(attribute.categories)
                if lacking:
                    given = f"no line for the category {quoted(lacking[0], attribute)}"
                    given += f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
                    wanted = f"all categories of {printable(column.name)}"
                    faults.append(Fault(attribute.hierarchy.origin, given, wanted))
        schema = Schema(tuple(attributes), self.missing, self.na, self.edit_rules)
        faults += edit_rule_faults(self.edit_rules, schema, printable(f"{self.origin}: edit_rules"))
        if faults:
            raise SchemaError(faults)
        return schema

    def _attribute(self, column: Column, said: AttributeDescription, proposed: Attribute | None) -> Attribute:
        role = said.role or (proposed.role if proposed is not None else Role.OTHER)
        own = said.missing or (proposed.missing if proposed is not None else ())
        own = (*own, *same_number(column.texts, own, column.mark))
        missing = (*self.missing, *own)
        if said.categories is not None and own:
            # What stands for a missing value of this attribute is no category of it, though its schema lists it still.
            codes = {*own, *same_number(said.categories, own, column.mark)}
            said = replace(said, categories=tuple(label for label in said.categories if label not in codes))
        texts = column.present(missing)
        scale, decimals = said.scale, said.decimals
        categories: tuple[str, ...] | None = said.categories
        date_format = ""
        if scale is None and role is Role.WEIGHT:
            scale = Scale.NUMERIC
        elif scale is None and (role in (*WITHHELD, Role.HOUSEHOLD, Role.STRATUM) or categories is not None):
            scale = Scale.NOMINAL
        elif scale is None and proposed is not None:
            scale, categories, date_format = proposed.scale, proposed.categories, proposed.date_format
        elif scale is None:
            guess = _guess(column, missing)
            scale, categories, date_format = guess.scale, guess.categories, guess.date_format
        if scale is Scale.NUMERIC:
            found = proposed.decimals if proposed is not None else decimals_of(texts, column.mark)
            found = found if decimals is None else decimals
            return Attribute(column.name, role, scale, (), said.hierarchy, found, own)
        if said.date_format is not None:
            past = is_birth(column.name)
            date_format = with_century(texts, said.date_format, past) or date_format_of(texts, past)
            categories = said.categories or in_time(texts, date_format)
        if categories is None:
            known = proposed is not None and proposed.categorical
            categories = proposed.categories if known and proposed else natural_order(texts, column.mark)
            if scale is Scale.ORDINAL and not known and (guess := _guess(column, missing)).scale is Scale.ORDINAL:
                categories = guess.categories
        return Attribute(column.name, role, scale, categories, said.hierarchy, 0, own, date_format)


def _guess(column: Column, missing: Sequence[str]) -> ScaleGuess:
    hint = hint_of(column.name)
    return guess_scale(column, missing, hint.unordered, hint.ordered, past=is_birth(column.name))


def describe(schema: Schema) -> SchemaDescription:
    """Return the description that says all that a schema says."""
    attributes = {
        a.name: AttributeDescription(
            a.role,
            a.scale,
            a.categories if a.categorical else None,
            a.hierarchy,
            None if a.categorical else a.decimals,
            None,
            a.missing,
            a.date_format or None,
        )
        for a in schema.attributes
    }
    return SchemaDescription(attributes, schema.missing, schema.na, edit_rules=schema.edit_rules)
