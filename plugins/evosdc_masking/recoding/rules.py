"""Which rule of global recoding each attribute of a table gets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import Fault, FaultCollector, HierarchyError, ParameterError, did_you_mean
from evosdc.table.numerals import is_padded, values_of
from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import Numbers, Table
from evosdc_masking.frequencies import frequencies, occurring
from evosdc_masking.recoding.grouping_file import UserGroups, user_partition
from evosdc_masking.recoding.groupings import Grouping, by_rarity, merged_categories
from evosdc_masking.recoding.merging import too_many
from evosdc_masking.recoding.number_groups import (
    between_cuts,
    equal_intervals,
    least_width,
    numbers_at_level,
    so_many_intervals,
    usual_width,
)

METHOD = "method global-recoding"
_FOR_CATEGORIES, _FOR_NUMBERS = ("q", "level", "partition"), ("level", "width", "cuts", "intervals")


@dataclass(frozen=True)
class Rules:
    """What a user asks for: each either for all attributes that it suits, or by attribute.

    Parameters
    ----------
    q : int, optional
    level : int or mapping of str to int, optional
    partition : mapping of str to groups, optional
    width : float or mapping of str to float, optional
    cuts : sequence of float or mapping of str to sequence of float, optional
    start : float
    intervals : int or mapping of str to int, optional
    spacing : {"equal", "log", "quantile"}
    """

    q: int | None = None
    level: int | Mapping[str, int] | None = None
    partition: Mapping[str, UserGroups] | None = None
    width: float | Mapping[str, float] | None = None
    cuts: Sequence[float] | Mapping[str, Sequence[float]] | None = None
    start: float = 0.0
    intervals: int | Mapping[str, int] | None = None
    spacing: str = "equal"

    def assigned(self, table: Table) -> dict[str, tuple[str, Any]]:
        """Return the rule and its value by attribute; attributes that stay as they are are left out.

        An attribute that is named in a mapping gets that rule, another one the rule that is given for all. Where no
        rule is given by name, every attribute needs one: with no rule at all it is q = 2 or the usual width.

        Raises
        ------
        ParameterError
            Names that the table lacks, two rules for an attribute, a rule that does not suit its scale, or none.
        """
        given = {key: getattr(self, key) for key in (*_FOR_CATEGORIES, "width", "cuts", "intervals")}
        given = {key: value for key, value in given.items() if value is not None}
        by_name = {key: value for key, value in given.items() if isinstance(value, Mapping)}
        general = {key: value for key, value in given.items() if key not in by_name}
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
            elif not given:
                rules[attribute.name] = ("q", 2) if attribute.categorical else ("width", None)
            elif not by_name:
                advice = "Name attributes, as in width = { age = 5 }, to leave the others as they are."
                faults.append(Fault(place, f"no rule, being {attribute.scale}", f"one of {', '.join(suited)}", advice))
        if faults:
            raise ParameterError(faults)
        return rules

    def partitions(self, table: Table) -> dict[str, Grouping]:
        """Return the partition of each attribute that is recoded.

        Raises
        ------
        ParameterError
            As `assigned`; or values of the rules are out of their ranges, all faults at once.
        """
        collect, found = FaultCollector(), {}
        for name, (rule, value) in self.assigned(table).items():
            with collect.step():
                found[name] = self._partition(table, table.schema[name], rule, value)
        if collect.faults:
            raise ParameterError(collect.faults)
        return found

    def _partition(self, table: Table, attribute: Attribute, rule: str, value: Any) -> Grouping:
        column, place = table.column(attribute.name), f"{METHOD}: {rule} for attribute {attribute.name}"
        if rule == "q":
            counts = frequencies(column, len(attribute.categories))  # type: ignore[arg-type]
            size = occurring(column)  # type: ignore[arg-type]
            if value > size:
                raise ParameterError(too_many("global-recoding", attribute, value, size))
            return merged_categories(attribute, [by_rarity(counts)[:value].tolist()])
        if rule == "partition":
            return user_partition(attribute, value, place)
        if rule == "level":
            _require_level(attribute, value, place)
            if not attribute.categorical:
                return numbers_at_level(attribute, column, value)  # type: ignore[arg-type]
            assert attribute.hierarchy is not None
            codes, labels = attribute.hierarchy.nodes(attribute.categories)
            return Grouping(codes[:, value].astype("int64"), labels[value])
        if attribute.categorical:
            return self._of_codes(attribute, column.astype(np.int64), rule, value, place)
        return self._of_numbers(column.astype(np.float64, copy=False), attribute.decimals, rule, value, place)

    def _of_numbers(self, column: Numbers, decimals: int, rule: str, value: Any, place: str) -> Grouping:
        if rule == "intervals":
            return so_many_intervals(column, value, self.spacing, decimals, place)
        if rule == "cuts":
            if not value:
                raise ParameterError(Fault(place, "no number", "at least one"))
            return between_cuts(column, value, decimals)
        width, least = usual_width(column) if value is None else value, least_width(column)
        if not width > least:
            raise ParameterError(Fault(place, f"{width:g}", f"a number above {least:g}"))
        return equal_intervals(column, width, self.start, decimals)

    def _of_codes(self, attribute: Attribute, codes: NDArray[np.int64], rule: str, value: Any, place: str) -> Grouping:
        """Return the partition of ordered categories that are numbers, by a rule for numbers."""
        values = values_of(attribute.categories)
        if rule != "intervals":
            return self._of_numbers(values, 0, rule, value, place)
        found = self._of_numbers(np.append(values, np.nan)[codes], 0, rule, value, place)
        occurs, first = np.unique(codes[codes >= 0], return_index=True)
        at = np.maximum(np.searchsorted(values[occurs], values, side="right") - 1, 0)
        return Grouping(found.groups[codes >= 0][first][at], found.labels)


def _suited(attribute: Attribute) -> tuple[str, ...]:
    """Return the rules for an attribute; ordered categories that are numbers, as ages are, take those for both."""
    if not attribute.categorical:
        return _FOR_NUMBERS
    ordered = attribute.scale is Scale.ORDINAL and not attribute.date_format and len(attribute.categories) > 0
    plain = ordered and not any(map(is_padded, attribute.categories))
    if plain and not np.isnan(values_of(attribute.categories)).any():
        return (*_FOR_CATEGORIES, "width", "cuts", "intervals")
    return _FOR_CATEGORIES


def _require_level(attribute: Attribute, level: int, place: str) -> None:
    if attribute.hierarchy is None:
        advice = 'Name one in the schema: hierarchy = "file.csv", with lines value;level 1;...;*.'
        raise HierarchyError(Fault(place, "no hierarchy", "an attribute with a hierarchy", advice))
    if not 0 <= level <= attribute.hierarchy.height:
        raise ParameterError(Fault(place, str(level), f"0..{attribute.hierarchy.height}"))
