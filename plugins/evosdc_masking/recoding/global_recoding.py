"""Global recoding: partitions of an attribute's values, the same for all records."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, FaultCollector, HierarchyError, ParameterError, did_you_mean
from evosdc.model import Design, Parameters, Range, Tunable
from evosdc.printing import printable
from evosdc.table.numerals import is_padded, values_of
from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import Numbers, Table
from evosdc_masking.anonymity.publication import labelled_table
from evosdc_masking.frequencies import frequencies, occurring
from evosdc_masking.recoding import groupings
from evosdc_masking.recoding.groupings import Grouping

# The categories of each group, with or without names for the groups.
UserGroups = Mapping[str, Sequence[str]] | Sequence[Sequence[str]]


def read_partitions(path: Path, where: str) -> dict[str, UserGroups]:
    """Read the groups of each attribute from a TOML file."""
    # ``education = { low = ["1st-4th", "5th-6th"], high = ["Masters", "Doctorate"] }``, or without names ``education =
    # [["1st-4th", "5th-6th"], ["Masters", "Doctorate"]]``.
    wanted = 'a TOML file such as education = { low = ["1st-4th", "5th-6th"], high = ["Masters", "Doctorate"] }'
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        given = "no such file" if isinstance(error, FileNotFoundError) else f"a file that cannot be read ({error})"
        raise ParameterError(Fault(where, f"{path}, {given}", wanted)) from None
    wrong = [name for name, groups in document.items() if not _is_groups(groups)]
    if wrong:
        raise ParameterError(Fault(f"{where}: {path}", f"another form for {printable(', '.join(wrong))}", wanted))
    return document


def _is_groups(groups: Any) -> bool:
    lists = list(groups.values()) if isinstance(groups, dict) else groups
    return isinstance(lists, list) and all(
        isinstance(members, list) and all(isinstance(member, str) for member in members) for members in lists
    )


def user_partition(attribute: Attribute, groups: UserGroups, where: str) -> Grouping:
    """Return the partition that a user gives; categories that are in no group stay by themselves."""
    names = list(groups) if isinstance(groups, Mapping) else []
    lists = list(groups.values()) if isinstance(groups, Mapping) else list(groups)
    faults, seen = [], set()
    for number, members in enumerate(lists):
        place = f"{where}, group {printable(names[number]) if names else number + 1}"
        if not members:
            faults.append(Fault(place, "no category", "at least one"))
        for label in members:
            if label not in attribute.code:
                wanted = f"one of {printable(', '.join(attribute.categories))}"
                faults.append(Fault(place, repr(label), wanted, did_you_mean(label, attribute.categories)))
            elif label in seen:
                faults.append(Fault(place, f"{label!r} once more", "each category in one group"))
            seen.add(label)
        if names and names[number] in attribute.code and names[number] not in members:
            advice = "Put it into the group, or name the group otherwise."
            faults.append(Fault(place, "the name of a category that is not in it", "another name", advice))
    if faults:
        raise ParameterError(faults)
    return groupings.merged_categories(
        attribute, [[attribute.code[label] for label in members] for members in lists], names
    )


def too_many(method: str, attribute: Attribute, q: int, present: int) -> Fault:
    """Return the fault of merging more categories than an attribute has in the file."""
    return Fault(
        f"method {method}: q for attribute {attribute.name}",
        str(q),
        f"1..{present}",
        f"Only {present} of its categories occur in the file." if present else "All its values are missing.",
    )


def mergings(table: Table) -> list[Design]:
    """Return the design of a method that merges q categories: up to one less than an attribute has in the file."""
    # Merging a single category changes nothing, so that the range begins at 2; it is empty for attributes of two
    # categories or fewer.
    columns = zip(table.schema.categorical, table.codes.T, strict=True)
    sizes = {attribute.name: occurring(column) for attribute, column in columns}
    most = {name: size - 1.0 for name, size in sizes.items() if size > 2}
    if not most:
        return []
    return [Design(free=(Range("q", 2, max(most.values()), whole=True),), attributes=tuple(most), most=most)]


METHOD = "method global-recoding"
_FOR_CATEGORIES, _FOR_NUMBERS = ("q", "level", "partition"), ("level", "width", "cuts", "intervals")
_RULES = (*_FOR_CATEGORIES, *_FOR_NUMBERS[1:])


def _suited(attribute: Attribute) -> tuple[str, ...]:
    """Return the rules for an attribute; ordered categories that are numbers, as ages are, take those for both."""
    if not attribute.categorical:
        return _FOR_NUMBERS
    ordered = attribute.scale is Scale.ORDINAL and not attribute.date_format and len(attribute.categories) > 0
    plain = ordered and not any(map(is_padded, attribute.categories))
    if plain and not np.isnan(values_of(attribute.categories)).any():
        return _RULES
    return _FOR_CATEGORIES


_Width = Annotated[float, Field(gt=0)]
_Number = Annotated[int, Field(ge=1, le=100_000)]


class GlobalRecoding(Tunable):
    """Merge values of each attribute, the same way in all records.

    Categories: the q least frequent ones that occur (ties in the order of the categories), the nodes at a level of the
    attribute's hierarchy, or groups that the user gives. Numbers: intervals of one width, intervals between cut
    points, or a level of the hierarchy. A group is published as one of its members (`output` point), so that the file
    keeps its domain: the lower median of its records (ordinal, numeric) or the most frequent member (nominal); or as a
    label (`output` label): that of the hierarchy, the user's name, an interval or a set. Without parameters q is 2 and
    the width about a tenth of the range. Missing values stay missing.

    Sources: Willenborg and de Waal (2001) for partitions; Domingo-Ferrer and Torra (2001) for q. The representative
    and the usual width are a reconstruction.
    """

    class Params(Parameters):
        """How values are grouped, for all attributes or by name, and what a group publishes."""

        q: int | None = Field(None, ge=1, description="categories to merge, the least frequent ones; 1 changes nothing")
        level: Annotated[int, Field(ge=0)] | dict[str, Annotated[int, Field(ge=0)]] | None = Field(
            None, description="level of the hierarchy, for all or by attribute; 0 changes nothing"
        )
        partition: dict[str, dict[str, list[str]] | list[list[str]]] | Path | None = Field(
            None, description="groups of categories by attribute, or a TOML file with them"
        )
        width: _Width | dict[str, _Width] | None = Field(
            None, description="width of the intervals of numbers, for all or by attribute"
        )
        start: float = Field(0.0, description="where one of the intervals begins")
        cuts: list[float] | dict[str, list[float]] | None = Field(
            None, description="numbers at which intervals begin, for all or by attribute"
        )
        intervals: _Number | dict[str, _Number] | None = Field(
            None, description="number of the intervals that numbers are put into, for all or by attribute"
        )
        spacing: Literal["equal", "log", "quantile"] = Field(
            "equal", description="how intervals lie: of equal width, of equal width of logarithms, of equal frequency"
        )
        output: Literal["point", "label", "lower", "upper", "middle"] = Field(
            "point",
            description="point: a member of the group; label: the group's own label; lower, upper, middle: the least "
            "or greatest number of the group, or the middle between them",
        )

    promise = 1
    params: Params

    def __init__(self, params: Params) -> None:
        super().__init__(params)
        groups = params.partition
        if isinstance(groups, Path):
            groups = read_partitions(groups, f"{METHOD}: partition")  # type: ignore[assignment]
        rules = {key: groups if key == "partition" else getattr(params, key) for key in _RULES}
        self._given = {key: rule for key, rule in rules.items() if rule is not None}

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return q up to one less than an attribute's categories, levels below the root, and a width of each number."""
        heights = {
            a.name: a.hierarchy.height for a in table.schema.attributes if a.hierarchy and a.hierarchy.height > 1
        }
        levels = Range("level", 1, max(heights.values(), default=2) - 1, whole=True)
        most = {name: height - 1.0 for name, height in heights.items()}
        by_level = [Design(free=(levels,), attributes=tuple(heights), most=most)] if heights else []
        spans = {a.name: _span(table.numbers[:, j]) for j, a in enumerate(table.schema.numeric)}
        by_width = [
            Design(free=(Range("width", span / 100, span / 2, "log"),), attributes=(name,))
            for name, span in spans.items()
            if span > 0
        ]
        return [*mergings(table), *by_level, *by_width]

    @property
    def generalises(self) -> bool:
        """Whether labels of groups are published."""
        return self.params.output == "label"

    def require_fit(self, table: Table) -> None:
        """Raise `ParameterError` naming each attribute that its rule does not fit."""
        super().require_fit(table)
        self._partitions(table)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the recoded table; nothing is random."""
        published = table
        for name, partition in self._partitions(table).items():
            attribute, alone = table.schema[name], table.select([name])
            if self.generalises:
                column, groups = table.column(name), partition.groups
                if attribute.categorical:
                    groups = np.append(groups, -1)[column.astype(np.int64)]
                part = labelled_table(table, attribute, partition.labels, groups.astype(np.int64))
            elif attribute.categorical:
                counts = frequencies(alone.codes[:, 0], len(attribute.categories))
                codes = groupings.representatives(partition, counts, attribute.scale)[alone.codes]
                part = Table(alone.schema, codes, alone.numbers)
            else:
                numbers = self._represented(partition, alone.numbers[:, 0])
                part = Table(alone.schema, alone.codes, numbers[:, None])
            published = published.with_columns(part)
        return published

    def _represented(self, partition: Grouping, column: Numbers) -> Numbers:
        """Return what represents each record's group of numbers, shape (n,)."""
        if self.params.output == "point":
            return groupings.middle_numbers(partition, column)
        published = np.full(column.shape, np.nan)
        for group in np.unique(partition.groups[partition.groups >= 0]):
            inside = partition.groups == group
            low, high = float(column[inside].min()), float(column[inside].max())
            published[inside] = {"lower": low, "upper": high}.get(self.params.output, low / 2.0 + high / 2.0)
        return published

    def _assigned(self, table: Table) -> dict[str, tuple[str, Any]]:
        """Return the rule and its value by attribute; attributes that stay as they are are left out."""
        # An attribute that is named in a mapping gets that rule, another one the rule that is given for all. Where no
        # rule is given by name, every attribute needs one: with no rule at all it is q = 2 or the usual width.
        by_name = {key: value for key, value in self._given.items() if isinstance(value, Mapping)}
        general = {key: value for key, value in self._given.items() if key not in by_name}
        faults = [
            Fault(f"{METHOD}: {key}", repr(name), f"one of {', '.join(table.schema.names)}", advice)
            for key, values in by_name.items()
            for name in values
            if name not in table.schema
            for advice in [did_you_mean(name, table.schema.names)]
        ]
        rules: dict[str, tuple[str, Any]] = {}
        for attribute in table.schema.attributes:
            suited = _suited(attribute)
            named = [(key, values[attribute.name]) for key, values in by_name.items() if attribute.name in values]
            found = named or [rule for rule in general.items() if rule[0] in suited]
            if not named and attribute.categorical and any(rule[0] in _FOR_CATEGORIES for rule in found):
                found = [rule for rule in found if rule[0] in _FOR_CATEGORIES]  # those for numbers are for the others
            place = f"{METHOD}: {attribute.name}"
            if len(found) > 1:
                faults.append(Fault(place, " and ".join(key for key, _ in found), "one of them"))
            elif found and found[0][0] not in suited:
                given_text = f"{found[0][0]} for a {attribute.scale} attribute"
                advice = f"Where these are numbers: evosdc edit SCHEMA {attribute.name} scale=numeric."
                advice = advice if found[0][0] in _FOR_NUMBERS else ""
                faults.append(Fault(place, given_text, f"one of {', '.join(suited)}", advice))
            elif found:
                rules[attribute.name] = found[0]
            elif not self._given:
                rules[attribute.name] = ("q", 2) if attribute.categorical else ("width", None)
            elif not by_name:
                advice = "Name attributes, as in width = { age = 5 }, to leave the others as they are."
                faults.append(Fault(place, f"no rule, being {attribute.scale}", f"one of {', '.join(suited)}", advice))
        if faults:
            raise ParameterError(faults)
        return rules

    def _partitions(self, table: Table) -> dict[str, Grouping]:
        """Return the partition of each attribute that is recoded."""
        collect, found = FaultCollector(), {}
        for name, (rule, value) in self._assigned(table).items():
            with collect.step():
                found[name] = self._partition(table, table.schema[name], rule, value)
        collect.settle(ParameterError)
        return found

    def _partition(self, table: Table, attribute: Attribute, rule: str, value: Any) -> Grouping:
        column, place = table.column(attribute.name), f"{METHOD}: {rule} for attribute {attribute.name}"
        if rule == "q":
            counts = frequencies(column, len(attribute.categories))  # type: ignore[arg-type]
            size = occurring(column)  # type: ignore[arg-type]
            if value > size:
                raise ParameterError(too_many("global-recoding", attribute, value, size))
            return groupings.merged_categories(attribute, [groupings.by_rarity(counts)[:value].tolist()])
        if rule == "partition":
            return user_partition(attribute, value, place)
        if rule == "level":
            if attribute.hierarchy is None:
                advice = 'Name one in the schema: hierarchy = "file.csv", with lines value;level 1;...;*.'
                raise HierarchyError(Fault(place, "no hierarchy", "an attribute with a hierarchy", advice))
            if not 0 <= value <= attribute.hierarchy.height:
                raise ParameterError(Fault(place, str(value), f"0..{attribute.hierarchy.height}"))
            if not attribute.categorical:
                return groupings.numbers_at_level(attribute, column, value)  # type: ignore[arg-type]
            codes, labels = attribute.hierarchy.nodes(attribute.categories)
            return Grouping(codes[:, value].astype("int64"), labels[value])
        if attribute.categorical:
            return self._of_codes(attribute, column.astype(np.int64), rule, value, place)
        return self._of_numbers(column.astype(np.float64, copy=False), attribute.decimals, rule, value, place)

    def _of_numbers(self, column: Numbers, decimals: int, rule: str, value: Any, place: str) -> Grouping:
        if rule == "intervals":
            return groupings.some_intervals(column, value, self.params.spacing, decimals, place)
        if rule == "cuts":
            if not value:
                raise ParameterError(Fault(place, "no number", "at least one"))
            return groupings.between_cuts(column, value, decimals)
        width, least = groupings.usual_width(column) if value is None else value, groupings.least_width(column)
        if not width > least:
            raise ParameterError(Fault(place, f"{width:g}", f"a number above {least:g}"))
        return groupings.equal_intervals(column, width, self.params.start, decimals)

    def _of_codes(self, attribute: Attribute, codes: NDArray[np.int64], rule: str, value: Any, place: str) -> Grouping:
        """Return the partition of ordered categories that are numbers, by a rule for numbers."""
        values = values_of(attribute.categories)
        if rule != "intervals":
            return self._of_numbers(values, 0, rule, value, place)
        found = self._of_numbers(np.append(values, np.nan)[codes], 0, rule, value, place)
        occurs, first = np.unique(codes[codes >= 0], return_index=True)
        at = np.maximum(np.searchsorted(values[occurs], values, side="right") - 1, 0)
        return Grouping(found.groups[codes >= 0][first][at], found.labels)


def _span(numbers: NDArray[np.float64]) -> float:
    """Return the range of a column, 0 where it has no number."""
    present = numbers[~np.isnan(numbers)]
    return float(np.ptp(present)) if present.size else 0.0
