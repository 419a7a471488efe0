"""Hierarchies that a user gives: files in the form of ARX, code lists of SDMX and DDI-Codebook, and rules."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any
from xml.etree import ElementTree

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, FiniteFloat, ValidationError, model_validator

from evosdc.errors import Fault, FaultCollector, HierarchyError, InputError, did_you_mean
from evosdc.files.atomic import write_text
from evosdc.files.coding import quoted
from evosdc.files.encoding import read_text
from evosdc.table.dates import LEVELS, date_hierarchy
from evosdc.table.hierarchy import ROOT, Hierarchy, number_intervals, ordered_merging, prefix_hierarchy
from evosdc.table.numerals import is_padded, number, numeral
from evosdc.table.schema import Attribute
from evosdc.table.table import Table

_HEADER = ("child", "parent")
# how a code list begins whose file is not called so. Labels such as ``<20`` begin with that sign, too.
_XML = re.compile(r"\s*<(?:\?xml|!--|!DOCTYPE|(?:\w+:)?(?:Structure|codeBook|CodeBook|CodeLists?|Codelists?)\b)")


def read_hierarchy(path: Path) -> Hierarchy:
    """Read the ARX form: a line a leaf, from the leaf to the root; separated by semicolon, comma or tab."""
    # Or lines ``child,parent``; or a code list of SDMX or DDI-Codebook: ``codes.xml#OCCUPATION`` names one of several.
    path = Path(path)
    file, sign, name = path.name.rpartition("#")
    path, name = (path.with_name(file), name) if sign and file and not path.exists() else (path, "")
    text = read_text(path, HierarchyError)
    if text.lstrip().startswith("<") and (path.suffix.lower() == ".xml" or _XML.match(text)):
        return _hierarchy_of_codes(text, str(path), name)
    first = next((line for line in text.splitlines() if line.strip()), "")
    separator = max(";,\t", key=first.count)
    cells = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    rows = [row for row in (tuple(map(str.strip, row)) for row in cells) if any(row)]
    parents = {row[1] for row in rows if len(row) == 2}
    if all(len(row) == 2 for row in rows) and parents & {row[0] for row in rows}:
        named = tuple(cell.casefold() for cell in rows[0]) == _HEADER and rows[0][0] not in parents
        return Hierarchy.from_edges(rows[1:] if named else rows, str(path))
    return Hierarchy(tuple(row[0] for row in rows), tuple(row[1:] for row in rows), str(path))


def write_hierarchy(hierarchy: Hierarchy, path: Path) -> None:
    """Write the ARX form, separated by semicolons."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=";", lineterminator="\n")
    writer.writerows((leaf, *labels) for leaf, labels in zip(hierarchy.leaves, hierarchy.levels, strict=True))
    write_text(path, buffer.getvalue())


def _hierarchy_of_codes(content: str, origin: str, name: str) -> Hierarchy:
    """Return the hierarchy of a code list."""
    if "<!DOCTYPE" in content or "<!ENTITY" in content:
        raise HierarchyError(Fault(origin, "an XML file that declares entities", "one without a DOCTYPE"))
    root = ElementTree.Element("root")
    try:
        root.append(ElementTree.fromstring(content.encode("utf-8")))
    except (ElementTree.ParseError, ValueError) as error:
        raise HierarchyError(Fault(origin, f"text that is not XML ({error})", "SDMX or DDI-Codebook")) from None
    coded = [*root.iterfind(".//{*}Codelist"), *root.iterfind(".//{*}CodeList")]
    lists = {element.get("id", ""): list(_sdmx(element)) for element in coded}
    lists |= {element.get("name", ""): list(_ddi(element)) for element in root.iterfind(".//{*}var")}
    lists = {key: edges for key, edges in lists.items() if edges}
    if name not in lists and (name or len(lists) != 1):
        known = ", ".join(sorted(lists)) or "no code list at all"
        given = f"no code list {name!r}" if name else f"{len(lists)} code lists"
        advice = did_you_mean(name, list(lists)) or f"Write its name behind the file's: {origin}#NAME."
        raise HierarchyError(Fault(origin, given, f"one of {known}", advice))
    edges = lists[name] if name in lists else next(iter(lists.values()))
    return Hierarchy.from_edges(edges, origin)


def _sdmx(codes: ElementTree.Element) -> Iterator[tuple[str, str]]:
    for code in codes.iterfind(".//{*}Code"):
        own = code.get("id") or code.get("value") or ""
        above = code.get("parentCode") or ""
        for parent in code.iterfind(".//{*}Parent"):
            reference = parent.find(".//{*}Ref")
            above = (reference.get("id") if reference is not None else (parent.text or "").strip()) or above
        if own:
            yield own, above or ROOT


def _ddi(variable: ElementTree.Element) -> Iterator[tuple[str, str]]:
    groups = {group.get("ID", ""): group for group in variable.iterfind(".//{*}catgryGrp")}
    above_category = {ref: key for key, group in groups.items() for ref in (group.get("catgry") or "").split()}
    above_group = {ref: key for key, group in groups.items() for ref in (group.get("catGrp") or "").split()}
    labels = {key: group.findtext("{*}labl", "").strip() or key for key, group in groups.items()}
    for category in variable.iterfind(".//{*}catgry"):
        value, group = category.findtext("{*}catValu", "").strip(), above_category.get(category.get("ID", ""))
        if value and category.get("missing", "N") != "Y":
            yield value, labels[group] if group is not None else ROOT
    for key in groups:
        yield labels[key], labels[above_group[key]] if key in above_group else ROOT


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
        rules = (self.widths, self.prefix, self.merge, self.dates)
        if sum(rule is not None and rule is not False for rule in rules) != 1:
            raise ValueError("one of widths = [...], prefix = [...], merge = [...] and dates = [...]")
        return self

    def hierarchy(self, attribute: Attribute, table: Table) -> Hierarchy:
        """Return the hierarchy of an attribute."""
        if self.widths is not None:
            if attribute.categorical:
                return intervals_of_labels(attribute, self.widths, self.start)
            column = table.column(attribute.name).astype(np.float64, copy=False)
            return number_intervals(column[~np.isnan(column)], self.widths, self.start, attribute.decimals)
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
    """Return the rule that a user wrote as a table."""
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
                said = f"{key} = {given[key]!r}" if key in given else "none or several of them"
                faults.append(Fault(where, said, wanted))
        raise HierarchyError(faults) from None


def _rule_or_file(given: Any) -> Any:
    """Return the rule that a user wrote as a table, or any other input as it is; one sentence reports all faults."""
    if isinstance(given, Mapping):
        try:
            return rule_of(given, "")
        except HierarchyError as error:
            raise ValueError("; ".join(f"{fault.wanted} ({fault.given})" for fault in error.faults)) from None
    if not isinstance(given, Path | HierarchyRule) and not (isinstance(given, str) and given.strip()):
        raise ValueError("a file's path in quotes, or a rule such as { widths = [5, 10] }")
    return given


# where a hierarchy comes from, as a field of a model: a file or a rule
HierarchySource = Annotated[Path | HierarchyRule, BeforeValidator(_rule_or_file)]


def intervals_of_labels(attribute: Attribute, widths: Sequence[float], start: float = 0.0) -> Hierarchy:
    """Return the hierarchy of categories that are whole numbers, however they are written: 23 or 23.0."""
    values = {label: number(label) for label in attribute.categories}
    whole = {label: value for label, value in values.items() if value is not None and value == round(value)}
    others = [label for label in attribute.categories if label not in whole or is_padded(label)]
    if others:
        more = f" and {len(others) - 1} more" if len(others) > 1 else ""
        given, wanted = f"the category {quoted(others[0], attribute)}{more}", "whole numbers without leading zeros"
        advice = "Say in the schema what stands for a missing value, or use prefix or merge."
        raise HierarchyError(Fault("widths", given, wanted, advice))
    made = number_intervals(list(whole.values()), widths, start)
    paths = tuple(made.path(numeral(value, 0))[1:] for value in whole.values())
    return Hierarchy(attribute.categories, paths, made.origin)


def with_hierarchies(table: Table, rules: Mapping[str, Path | HierarchyRule]) -> Table:
    """Return a table whose attributes have the hierarchies that a user gives by file or by rule."""
    if not rules:
        return table
    collect = FaultCollector()
    with collect.step():
        table.schema.require(rules, "hierarchies")
    made: dict[str, Hierarchy] = {}
    for name, rule in rules.items():
        if name not in table.schema:
            continue
        attribute, origin = table.schema[name], f"hierarchy of {name}"
        if not isinstance(rule, HierarchyRule):
            with collect.step():
                made[name] = read_hierarchy(rule)
        elif attribute.categories if attribute.categorical else not np.isnan(table.column(name)).all():
            try:
                made[name] = rule.hierarchy(attribute, table).named(origin)
            except HierarchyError as error:
                collect.faults += [replace(fault, where=f"{origin}: {fault.where}") for fault in error.faults]
    if collect.faults:
        raise InputError(collect.faults)
    attributes = tuple(replace(a, hierarchy=made.get(a.name, a.hierarchy)) for a in table.schema.attributes)
    return Table(replace(table.schema, attributes=attributes), table.codes, table.numbers)
