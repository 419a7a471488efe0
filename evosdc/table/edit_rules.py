"""Edit rules: combinations of values that no record may have, as a user writes them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, ParameterError, did_you_mean
from evosdc.printing import printable
from evosdc.table.dates import days_of
from evosdc.table.numerals import values_of
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import Table

_DAYS = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})\.\.([0-9]{4}-[0-9]{2}-[0-9]{2})")
# a category, several, or the bounds of an interval of numbers, both included
Values = str | float | tuple[str, ...] | tuple[float, ...]
# which category codes are meant (the last entry for a missing value), or the least and the greatest number
Meant = NDArray[np.bool_] | tuple[float, float]


@dataclass(frozen=True)
class EditRule:
    """A combination that no record may have: a record breaks the rule where it meets all conditions."""

    # by attribute what is meant. Of a numeric attribute, and of an ordinal one with categories that are numbers, two
    # numbers are an interval; of any other attribute they are categories. Of dates ``2001-01-01..2009-12-31`` is an
    # interval.
    conditions: tuple[tuple[str, Values], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes of the rule."""
        return tuple(name for name, _ in self.conditions)

    @property
    def text(self) -> str:
        """The rule for people to read: ``sex = male, age = [0, 14]``."""
        return printable(", ".join(f"{name} = {_text(values)}" for name, values in self.conditions))

    def meant(self, schema: Schema, where: str = "edit_rules") -> tuple[tuple[str, Meant], ...]:
        """Return the conditions over the codes and numbers of a file."""
        faults, parts = [], []
        if not self.conditions:
            faults.append(Fault(where, "no attribute", "a combination of values"))
        for name, values in self.conditions:
            if name not in schema:
                wanted = f"one of the attributes {printable(', '.join(schema.names))}"
                faults.append(Fault(where, repr(name), wanted, did_you_mean(name, schema.names)))
                continue
            try:
                parts.append((name, meant_by(schema[name], values, schema.missing_of(name), where)))
            except ParameterError as error:
                faults += error.faults
        if faults:
            raise ParameterError(faults)
        return tuple(parts)

    def broken(self, table: Table) -> NDArray[np.bool_]:
        """Return which records break the rule, shape (n,); raises as `meant`."""
        met = np.ones(len(table), dtype=bool)
        for name, meant in self.meant(table.schema):
            column = table.column(name)
            met &= (meant[0] <= column) & (column <= meant[1]) if isinstance(meant, tuple) else meant[column]
        return met


def edit_rules_of(given: Sequence[Mapping[str, Values]]) -> tuple[EditRule, ...]:
    """Return the rules that a user wrote, each a mapping from attributes to values that must not occur together."""
    return tuple(EditRule(tuple(rule.items())) for rule in given)


def edit_rule_faults(rules: Sequence[EditRule], schema: Schema, where: str = "edit_rules") -> list[Fault]:
    """Return everything that is wrong with rules for a file: unknown attributes or categories, false intervals."""
    faults: list[Fault] = []
    for number, rule in enumerate(rules, start=1):
        try:
            rule.meant(schema, f"{where}: rule {number}")
        except ParameterError as error:
            faults += error.faults
    return faults


def read_edit_rules(given: Any, where: str, faults: list[Fault]) -> tuple[EditRule, ...]:
    """Return the rules of a document as parsed from TOML; faults of their form are added to `faults`."""
    wanted = "tables [[edit_rules]], each with attribute = category, [categories] or [least, greatest]"
    if not isinstance(given, list) or not all(isinstance(rule, Mapping) for rule in given):
        faults.append(Fault(where, "no list of tables", wanted))
        return ()
    rules: list[dict[str, Values]] = []
    for number, rule in enumerate(given, start=1):
        conditions = {}
        for name, values in rule.items():
            listed = values if isinstance(values, list) else [values]
            numbers = all(type(value) in (int, float) for value in listed)
            if not listed or not (numbers or all(isinstance(value, str) for value in listed)):
                advice = "Texts and numbers do not go together; an empty list means nothing."
                faults.append(Fault(printable(f"{where}: rule {number}, {name}"), repr(values), wanted, advice))
            else:
                conditions[name] = tuple(listed) if isinstance(values, list) else values
        rules.append(conditions)
    return edit_rules_of(rules)


def edit_rules_to_json(rules: Sequence[EditRule]) -> list[dict[str, Any]]:
    """Return rules as the document that `read_edit_rules` reads."""
    return [{name: list(v) if isinstance(v, tuple) else v for name, v in rule.conditions} for rule in rules]


def meant_by(attribute: Attribute, values: Values, missing: Sequence[str], where: str) -> Meant:
    """Return the meaning of values as categories or as an interval of an attribute."""
    if not attribute.categorical:
        return _bounds(attribute, values, where)
    given = values if isinstance(values, tuple) else (values,)
    meant = np.zeros(len(attribute.categories) + 1, dtype=bool)
    if attribute.scale is Scale.ORDINAL and not any(isinstance(value, str) for value in given):
        numbers = values_of(attribute.categories)
        if not np.isnan(numbers).all():
            low, high = _bounds(attribute, values, where)
            meant[:-1] = (low <= numbers) & (numbers <= high)
            return meant
    labels = [value if isinstance(value, str) else f"{value:g}" for value in given]
    if attribute.date_format and len(labels) == 1 and (ends := _DAYS.fullmatch(labels[0])):
        days = days_of(attribute.categories, attribute.date_format)
        meant[:-1] = (np.datetime64(ends[1]) <= days) & (days <= np.datetime64(ends[2]))
        return meant
    unknown = [label for label in labels if label not in attribute.code and label not in missing]
    if unknown:
        wanted = f"categories of {attribute.name}"
        raise ParameterError(
            [Fault(where, repr(label), wanted, did_you_mean(label, attribute.categories)) for label in unknown]
        )
    meant[[attribute.code.get(label, len(attribute.categories)) for label in labels]] = True
    return meant


def _bounds(attribute: Attribute, values: Values, where: str) -> tuple[float, float]:
    pair = values if isinstance(values, tuple) else (values, values)
    if len(pair) != 2 or any(isinstance(bound, str) for bound in pair):
        raise ParameterError(Fault(where, repr(values), f"[least, greatest] of {attribute.name}, which is numeric"))
    low, high = float(pair[0]), float(pair[1])
    if not low <= high:
        raise ParameterError(Fault(where, f"[{low}, {high}]", "the least number first"))
    return low, high


def _text(values: Values) -> str:
    if isinstance(values, tuple):
        return f"[{', '.join(map(_text, values))}]"
    return values if isinstance(values, str) else f"{values:g}"
