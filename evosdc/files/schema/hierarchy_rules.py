"""Hierarchies that a user gives by file or by rule, for the attributes of a table."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, FiniteFloat, ValidationError, model_validator

from evosdc.errors import Fault, FaultCollector, HierarchyError, InputError, did_you_mean
from evosdc.files.quoting import quoted
from evosdc.files.schema.hierarchy_file import read_hierarchy
from evosdc.table.dates import LEVELS, date_hierarchy
from evosdc.table.hierarchy import Hierarchy, prefix_hierarchy
from evosdc.table.intervals import number_intervals, ordered_merging
from evosdc.table.numerals import number, numeral
from evosdc.table.schema import Attribute
from evosdc.table.table import Table


class HierarchyRule(BaseModel):
    """How a hierarchy is made of an attribute's values: by one of `widths`, `prefix`, `merge` and `dates`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    widths: tuple[FiniteFloat, ...] | None = Field(None, description="interval widths at levels 1, 2, ...")
    start: FiniteFloat = Field(0.0, description="where intervals begin")
    prefix: tuple[int, ...] | bool | None = Field(
        None, description="characters masked from the right at levels 1, 2, ...; true: one more at each level"
    )
    merge: tuple[int, ...] | None = Field(None, description="neighbours merged at levels 1, 2, ...")
    dates: tuple[str, ...] | None = Field(None, description=f"what days become, of {', '.join(LEVELS)}")

    @model_validator(mode="after")
    def _one_rule(self) -> "HierarchyRule":
        if sum(rule is not None and rule is not False for rule in self._rules) != 1:
            raise ValueError("one of widths = [...], prefix = [...], merge = [...] and dates = [...]")
        return self

    @property
    def _rules(self) -> tuple[object, ...]:
        return self.widths, self.prefix, self.merge, self.dates

    def hierarchy(self, attribute: Attribute, table: Table) -> Hierarchy:
        """Return the hierarchy of an attribute.

        Raises
        ------
        HierarchyError
            The rule does not fit the attribute's values.
        """
        if self.widths is not None:
            values, decimals = _numbers(attribute, table)
            return number_intervals(values, self.widths, self.start, decimals)
        if self.dates is None and not attribute.categorical:
            raise HierarchyError(Fault("rule", "one for categories", "widths = [...] for a numeric attribute"))
        if self.dates is not None:
            if not attribute.date_format:
                advice = 'Declare scale = "date", with format = "%d.%m.%Y" where it is not recognised.'
                raise HierarchyError(Fault("dates", f"the scale {attribute.scale}", "an attribute of dates", advice))
            return date_hierarchy(attribute.categories, attribute.date_format, self.dates)
        if self.merge is not None:
            return ordered_merging(attribute.categories, self.merge)
        return prefix_hierarchy(attribute.categories, None if self.prefix is True else tuple(self.prefix or ()))


def rule_of(given: Mapping[str, Any], where: str) -> HierarchyRule:
    """Return the rule that a user wrote as a table.

    Raises
    ------
    HierarchyError
        With everything that is wrong in it.
    """
    try:
        return HierarchyRule(**given)
    except ValidationError as error:
        known = list(HierarchyRule.model_fields)
        faults = []
        for item in error.errors(include_url=False):
            key = str(item["loc"][0]) if item["loc"] else ""
            if item["type"] == "extra_forbidden":
                faults.append(Fault(where, f"the key {key!r}", f"one of {', '.join(known)}", did_you_mean(key, known)))
            else:
                wanted = item["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
                faults.append(
                    Fault(where, f"{key} = {given[key]!r}" if key in given else "none or several of them", wanted)
                )
        raise HierarchyError(faults) from None


def _rule_or_file(given: Any) -> Any:
    """Return the rule that a user wrote as a table, or what else was given; one sentence tells all that is wrong."""
    if isinstance(given, Mapping):
        try:
            return rule_of(given, "")
        except HierarchyError as error:
            raise ValueError("; ".join(f"{fault.wanted} ({fault.given})" for fault in error.faults)) from None
    if not isinstance(given, Path | HierarchyRule) and not (isinstance(given, str) and given.strip()):
        raise ValueError("a file's path in quotes, or a rule such as { widths = [5, 10] }")
    return given


HierarchySource = Annotated[Path | HierarchyRule, BeforeValidator(_rule_or_file)]
"""Where a hierarchy comes from, as a field of a model: a file or a rule."""


def _numbers(attribute: Attribute, table: Table) -> tuple[list[float] | NDArray[np.float64], int]:
    if not attribute.categorical:
        column = table.column(attribute.name).astype(np.float64, copy=False)
        return column[~np.isnan(column)], attribute.decimals
    values = {label: number(label) for label in attribute.categories}
    whole = {label: value for label, value in values.items() if value is not None and numeral(value, 0) == label}
    others = [label for label in attribute.categories if label not in whole]
    if others:
        more = f" and {len(others) - 1} more" if len(others) > 1 else ""
        given, wanted = f"the category {quoted(others[0], attribute)}{more}", "whole numbers without leading zeros"
        advice = "Say in the schema what stands for a missing value, or use prefix or merge."
        raise HierarchyError(Fault("widths", given, wanted, advice))
    return list(whole.values()), 0


def _by_rule(rule: HierarchyRule, attribute: Attribute, table: Table) -> Hierarchy:
    origin = f"hierarchy of {attribute.name}"
    try:
        return rule.hierarchy(attribute, table).named(origin)
    except HierarchyError as error:
        raise HierarchyError([replace(fault, where=f"{origin}: {fault.where}") for fault in error.faults]) from None


def _has_values(table: Table, name: str) -> bool:
    attribute = table.schema[name]
    return bool(attribute.categories) if attribute.categorical else not np.isnan(table.column(name)).all()


def with_hierarchies(table: Table, rules: Mapping[str, Path | HierarchyRule]) -> Table:
    """Return a table whose attributes have the hierarchies that a user gives by file or by rule.

    Raises
    ------
    InputError
        Attributes that the table lacks, files that are no hierarchies, rules that do not fit; all at once.
    """
    if not rules:
        return table
    collect = FaultCollector()
    with collect.step():
        table.schema.require(rules, "hierarchies")
    made: dict[str, Hierarchy] = {}
    for name, rule in rules.items():
        if name not in table.schema:
            continue
        if not isinstance(rule, HierarchyRule):
            with collect.step():
                made[name] = read_hierarchy(rule)
        elif _has_values(table, name):  # else there is nothing to put in order
            with collect.step():
                made[name] = _by_rule(rule, table.schema[name], table)
    if collect.faults:
        raise InputError(collect.faults)
    attributes = tuple(replace(a, hierarchy=made.get(a.name, a.hierarchy)) for a in table.schema.attributes)
    return Table(replace(table.schema, attributes=attributes), table.codes, table.numbers)
