"""Relations between the columns of a file: values that never occur together, and columns that follow from others.

Both are proposals for the custodian: that nobody in a file of a thousand is a developer in the sales department may be
a rule of the house, or chance. Rules are those of `evosdc.table.edit_rules`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, permutations, product

import numpy as np
from numpy.typing import NDArray

from evosdc.files.inference.column_proposal import span_of
from evosdc.files.inference.name_hints import hint_of
from evosdc.printing import printable
from evosdc.table.dates import days_of
from evosdc.table.edit_rules import EditRule, Meant, Values
from evosdc.table.households import differing_homes, households_of
from evosdc.table.numerals import numeral, values_of
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table

EXPECTED = 10.0  # records that chance alone would give a combination which never occurs
ADULT = 15.0  # age below which nobody is married, works or has a degree, where the file does not say otherwise
EXPECTED_CHILDREN = 3.0  # records that chance alone would give of such children: fewer, since the rule is known
OLDEST = (30.0, 130.0)  # where the greatest value of ages in years lies; codes of age groups end before
MOST_RULES = 12
MOST_CATEGORIES = 40  # attributes that are in no order are compared where they have no more categories
MOST_RECORDS = 100_000  # most records looked at, spread evenly over larger files
_BANDS = 10
_FEWEST = 20  # records from which on it is no chance that a column follows from another in all of them
_SLIPS = 20  # at most one household in this many differs in a column by mistake
_MOST_SUMMED = 12  # attributes of numbers of which sums are looked for
_COMPARED = (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.OTHER)
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Relations:
    """The relations found."""

    # combinations that no record has: first those of children, then those that chance would make most frequent
    rules: tuple[EditRule, ...]
    derived: tuple[str, ...]  # a sentence for each column that follows from others

    @property
    def sentences(self) -> list[str]:
        """The relations in sentences."""
        if not self.rules:
            return list(self.derived)
        shown = "; ".join(rule.text for rule in self.rules[:3])
        more = f"; and {len(self.rules) - 3} more" if len(self.rules) > 3 else ""
        return [
            *self.derived,
            f"Never together, though chance would give several such records: {shown}{more}. "
            "The schema lists them as comments: take the # away where masked records must keep it.",
        ]


@dataclass(frozen=True, eq=False)
class _Grouped:
    """An attribute in few groups: its categories, or bands of numbers and days."""

    attribute: Attribute
    groups: NDArray[np.int64]  # shape (n,); of each record; -1 where its value is missing
    size: int
    # ends: shape (2, size); the least and the greatest value in each band; None for categories
    ends: Floats | None = None

    @property
    def ordered(self) -> bool:
        """Whether the groups are in an order."""
        return self.ends is not None or self.attribute.scale is Scale.ORDINAL

    def values(self, first: int, last: int) -> Values:
        """Return the content of the groups from the first to the last, as in an edit rule."""
        if self.ends is None:
            return _one_or_all(self.attribute.categories[first : last + 1])
        low, high = float(self.ends[0, first]), float(self.ends[1, last])
        if self.attribute.date_format:
            return f"{np.datetime64(int(low), 'D')}..{np.datetime64(int(high), 'D')}"
        return _interval(self.attribute, low, high)


def relations_of(table: Table, labels: Mapping[str, str] | None = None) -> Relations:
    """Return the edit rules and derived columns that a file's published attributes, and their labels, suggest."""
    if len(table) > MOST_RECORDS:
        table = table.take(np.linspace(0, len(table) - 1, MOST_RECORDS).astype(np.intp))
    compared = [a for a in table.schema.attributes if a.role in _COMPARED]
    values = {a.name: found for a in compared if (found := _values(table, a)) is not None}
    grouped = [one for a in compared if (one := _grouped(table, a, values.get(a.name))) is not None]
    children = list(_of_children(table, compared, values, labels or {}))
    apart = [entry for one, other in combinations(grouped, 2) for entry in _never_together(one, other)]
    rules = [rule for _, rule in sorted(apart, key=lambda entry: -entry[0])]
    rules = [rule for rule in rules if not any(_implied(rule, known, table.schema) for known in children)]
    derived = (*_of_households(table, values), *_of_dates(table, values), *_sums(table, values), *_followers(grouped))
    return Relations((*children, *rules)[:MOST_RULES], derived)


def _values(table: Table, attribute: Attribute) -> Floats | None:
    """Return the numbers of an attribute's records, or days counted from 1970; None where it has categories."""
    column = table.column(attribute.name)
    if not attribute.categorical:
        return column.astype(np.float64)
    if attribute.scale is not Scale.ORDINAL or not attribute.categories:
        return None
    if attribute.date_format:
        days = days_of(attribute.categories, attribute.date_format)
        numbers = np.where(np.isnat(days), np.nan, days.astype(np.int64).astype(np.float64))
    else:
        numbers = values_of(attribute.categories)
    return None if np.isnan(numbers).any() else np.append(numbers, np.nan)[column.astype(np.int64)]


def _grouped(table: Table, attribute: Attribute, values: Floats | None) -> _Grouped | None:
    size = len(attribute.categories)
    if values is None or (attribute.categorical and not attribute.date_format and size <= _BANDS):
        codes = table.column(attribute.name).astype(np.int64)
        return _Grouped(attribute, codes, size) if 2 <= size <= MOST_CATEGORIES else None
    known = np.sort(values[~np.isnan(values)])
    lows = np.unique(known[np.arange(_BANDS) * len(known) // _BANDS]) if len(known) else known
    if len(lows) < 2:
        return None
    groups = np.searchsorted(lows, values, side="right").astype(np.int64) - 1
    groups[np.isnan(values)] = -1
    # Bands end where their last value lies: rules say nothing of values that do not occur.
    tops = np.append(known[np.searchsorted(known, lows[1:]) - 1], known[-1])
    return _Grouped(attribute, groups, len(lows), np.stack([lows, tops]))


def _of_children(
    table: Table, compared: list[Attribute], values: dict[str, Floats], labels: Mapping[str, str]
) -> Iterator[EditRule]:
    """Yield rules for what no child of the file is or has, of columns on marriage, work, education and income."""
    hints = {a.name: (hint_of(a.name), hint_of(labels.get(a.name, ""))) for a in compared}
    of_adults = [a for a in compared if any(hint.of_adults for hint in hints[a.name])]
    for age in (a for a in compared if any(hint.age for hint in hints[a.name])):
        young, ages = _children(table, age, values.get(age.name))
        for other in (a for a in of_adults if a is not age) if young.any() else ():
            amounts, meant = values.get(other.name), None
            if amounts is not None and not (other.categorical and len(other.categories) <= _BANDS):
                has = amounts > 0
                if has.any() and not (has & young).any():
                    meant = _interval(other, float(amounts[has].min()), float(amounts[has].max()))
            else:
                codes, size = table.column(other.name).astype(np.int64), len(other.categories)
                never = np.bincount(codes[young & (codes >= 0)], minlength=size) == 0
                has = np.append(never, False)[codes]
                if has.any() and never.sum() <= MOST_CATEGORIES:
                    meant = _one_or_all(tuple(other.categories[k] for k in np.flatnonzero(never)))
            if meant is not None and int(young.sum()) * int(has.sum()) >= EXPECTED_CHILDREN * len(table):
                yield EditRule(((age.name, ages), (other.name, meant)))


def _children(table: Table, age: Attribute, values: Floats | None) -> tuple[NDArray[np.bool_], Values]:
    """Return which records are of children, shape (n,), and their ages as in an edit rule."""
    if values is not None:
        known = values[~np.isnan(values)]
        if age.date_format or not OLDEST[0] <= known.max(initial=0.0) <= OLDEST[1]:
            return np.zeros(len(table), dtype=bool), ()
        young = values < ADULT
        whole = not young.any() or bool((known == np.rint(known)).all())
        return young, (0, int(ADULT) - 1) if whole else (0.0, float(values[young].max()))
    spans = [span_of(label) for label in age.categories]
    if age.scale is not Scale.ORDINAL or None in spans:
        return np.zeros(len(table), dtype=bool), ()
    bands = np.array([span is not None and span[0] < ADULT and span[1] <= ADULT for span in spans])
    own = tuple(label for label, band in zip(age.categories, bands, strict=True) if band)
    return np.append(bands, False)[table.column(age.name)], _one_or_all(own) if own else ()


def _interval(attribute: Attribute, low: float, high: float) -> Values:
    decimals = 0 if attribute.categorical else attribute.decimals
    low, high = float(numeral(low, decimals)), float(numeral(high, decimals))
    return (low, high) if decimals else (int(low), int(high))


def _one_or_all(labels: tuple[str, ...]) -> Values:
    return labels[0] if len(labels) == 1 else labels


def _implied(rule: EditRule, known: EditRule, schema: Schema) -> bool:
    """Return whether another rule forbids all that a rule forbids."""
    wider = dict(known.meant(schema))
    return set(rule.names) == set(known.names) and all(_part(own, wider[name]) for name, own in rule.meant(schema))


def _part(own: Meant, other: Meant) -> bool:
    if isinstance(own, tuple) or isinstance(other, tuple):
        return isinstance(own, tuple) and isinstance(other, tuple) and other[0] <= own[0] and own[1] <= other[1]
    return not (own & ~other).any()


def _never_together(one: _Grouped, other: _Grouped) -> Iterator[tuple[float, EditRule]]:
    """Yield rules for groups of two attributes that no record has together, and how many chance would give."""
    present = (one.groups >= 0) & (other.groups >= 0)
    places = one.groups[present] * other.size + other.groups[present]
    counts = np.bincount(places, minlength=one.size * other.size).reshape(one.size, other.size)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(len(places), 1)
    if other.ordered > one.ordered or (one.ordered == other.ordered and one.size > other.size):
        one, other, counts, expected = other, one, counts.T, expected.T

    def rule(own: Values, theirs: Values, records: Floats | float) -> tuple[float, EditRule]:
        return float(np.sum(records)), EditRule(((one.attribute.name, own), (other.attribute.name, theirs)))

    if other.ordered:
        # The largest empty rectangle in each corner of two orders: the young that were hired long ago.
        for down, across in product((1, -1), repeat=2):
            turned = slice(None, None, down), slice(None, None, across)
            empty = np.logical_and.accumulate(np.logical_and.accumulate(counts[turned] == 0, axis=0), axis=1)
            sums = np.where(empty, expected[turned].cumsum(axis=0).cumsum(axis=1), 0.0)
            row, column = divmod(int(sums.argmax()), other.size)
            if sums[row, column] >= EXPECTED:
                rows = (0, row) if down > 0 else (one.size - 1 - row, one.size - 1)
                columns = (0, column) if across > 0 else (other.size - 1 - column, other.size - 1)
                yield rule(one.values(*rows), other.values(*columns), float(sums[row, column]))
        return
    for place in range(other.size):
        never, theirs = counts[:, place] == 0, other.values(place, place)
        if not one.ordered:
            likely = np.flatnonzero(never & (expected[:, place] >= EXPECTED))
            if len(likely):
                yield rule(
                    _one_or_all(tuple(one.attribute.categories[k] for k in likely)), theirs, expected[likely, place]
                )
            continue
        edges = np.flatnonzero(np.diff(np.r_[False, never, False]))
        for first, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            if expected[first:end, place].sum() >= EXPECTED:
                yield rule(one.values(first, end - 1), theirs, expected[first:end, place])


def _of_households(table: Table, values: dict[str, Floats]) -> Iterator[str]:
    """Yield which columns count the members of households, and which nearly all members have in common."""
    households = table.schema.with_role(Role.HOUSEHOLD)
    for household in households:
        homes = table.column(household).astype(np.int64)
        members = np.where(homes < 0, np.nan, np.bincount(homes[homes >= 0], minlength=1)[np.maximum(homes, 0)])
        sized = 2 <= np.nanmax(members, initial=0.0) < len(table)
        for name in (name for name, own in values.items() if sized and _equal(own, members)):
            yield (
                f"{printable(name)} is the number of records of each {printable(household)}: leave it out, and "
                "count it again in the published file; masked apart, both contradict each other."
            )
    all_homes = len(households_of(table)) if households else 0
    names = [a.name for a in table.schema.attributes if a.role in _COMPARED]
    for name, rows in differing_homes(table, names).items():
        if 0 < len(rows) <= max(1, all_homes // _SLIPS):
            yield (
                f"{printable(name)} is the same for all members of a household but in {len(rows)} of {all_homes}: if "
                "these are slips, correct them. Then it is masked once for all members; else members are masked apart."
            )


def _of_dates(table: Table, values: dict[str, Floats]) -> Iterator[str]:
    """Yield which years follow from dates, as ages from births, and which numbers are the days between two dates."""
    dates = [a.name for a in table.schema.attributes if a.date_format and a.name in values]
    for date in dates:
        years = 1970 + values[date] / 365.2425
        for name in (name for name in values if name != date):
            total = values[name] + years
            known = total[~np.isnan(total)]
            if len(known) >= _FEWEST and np.ptp(known) <= 2.0 and np.nanstd(values[name]) > 2.0:
                yield (
                    f"{printable(name)} follows from {printable(date)}: publish one of them, since the one "
                    "discloses the other."
                )
    for first, last in permutations(dates, 2):
        between = values[last] - values[first]
        for name in sorted(values.keys() - set(dates)):
            if counts_days(values[name], between):
                yield (
                    f"{printable(name)} is the days from {printable(first)} to {printable(last)}: leave one of the "
                    "three out, since two of them disclose the third."
                )


_MISCOUNTED = 0.05  # share of the records in which a stay may be counted otherwise, by mistake


def counts_days(own: Floats, between: Floats) -> bool:
    """Whether numbers are the days between two dates, shape (n,), the first day counted or not, but for a few slips."""
    known = ~np.isnan(own) & ~np.isnan(between)
    if known.sum() < _FEWEST or len(np.unique(between[known])) < 2:
        return False
    excess = own[known] - between[known]
    return bool(max((excess == 0).mean(), (excess == 1).mean()) >= 1.0 - _MISCOUNTED)


def _sums(table: Table, values: dict[str, Floats]) -> Iterator[str]:
    """Yield which numbers are the sum of two others in all records."""
    names = [a.name for a in table.schema.numeric if a.name in values][:_MOST_SUMMED]
    for total in names:
        for one, other in combinations([name for name in names if name != total], 2):
            if _equal(values[total], values[one] + values[other], close=True):
                yield f"{printable(total)} is {printable(one)} + {printable(other)}: leave it out, and add it up again."


def _equal(own: Floats, other: Floats, close: bool = False) -> bool:
    known = ~np.isnan(own) & ~np.isnan(other)
    if known.sum() < _FEWEST or len(np.unique(other[known][: 10 * _FEWEST])) < 2:
        return False
    return bool(np.allclose(own[known], other[known], rtol=1e-9, atol=1e-6) if close else (own == other)[known].all())


def _followers(grouped: list[_Grouped]) -> Iterator[str]:
    """Yield which categories follow from finer ones: a region from its municipality."""
    for fine, wide in permutations([one for one in grouped if one.ends is None], 2):
        present = (fine.groups >= 0) & (wide.groups >= 0)
        pairs = np.unique(fine.groups[present] * wide.size + wide.groups[present])
        fewest = fine.size > wide.size and present.sum() >= _FEWEST * fine.size
        if fewest and len(pairs) == len(np.unique(fine.groups[present])):
            yield (
                f"{printable(wide.attribute.name)} follows from {printable(fine.attribute.name)}: masked apart they "
                "contradict each other, and the one tells the other."
            )
