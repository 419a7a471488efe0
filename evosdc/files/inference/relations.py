"""Relations between the columns of a file: values that never occur together, and columns that follow from others.

Both are proposals for the custodian: that nobody in a file of a thousand is a developer in the sales department may be
a rule of the house, or chance. Rules are those of `evosdc.table.edit_rules`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from evosdc.printing import printable
from evosdc.table.dates import days_of
from evosdc.table.edit_rules import EditRule, Values
from evosdc.table.households import differing_homes, households_of
from evosdc.table.numerals import numeral, values_of
from evosdc.table.schema import Attribute, Role, Scale
from evosdc.table.table import Table

EXPECTED = 10.0  # records that chance alone would give a combination which never occurs
MOST_RULES = 12
MOST_CATEGORIES = 40  # attributes that stand in no order are compared where they have no more categories
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

    rules: tuple[EditRule, ...]  # combinations that no record has, those that chance would make most frequent first
    derived: tuple[str, ...]  # a sentence for each column that follows from others

    @property
    def sentences(self) -> list[str]:
        """The relations in sentences."""
        said = list(self.derived)
        if self.rules:
            shown = "; ".join(rule.text for rule in self.rules[:3])
            more = f"; and {len(self.rules) - 3} more" if len(self.rules) > 3 else ""
            said.append(
                f"Never together, though chance would give at least {EXPECTED:g} such records: {shown}{more}. "
                "The schema lists them as comments: take the # away where masked records must keep it."
            )
        return said


@dataclass(frozen=True, eq=False)
class _Grouped:
    """An attribute in few groups: its categories, or bands of numbers and days."""

    attribute: Attribute
    groups: NDArray[np.int64]  # shape (n,); of each record; -1 where its value is missing
    size: int
    # lows, tops: shape (size,); the least and the greatest value in each band; None for categories
    lows: Floats | None = None
    tops: Floats | None = None

    def values(self, first: int, last: int) -> Values:
        """Return the content of the groups from the first to the last, as in an edit rule."""
        if self.lows is None or self.tops is None:
            own = self.attribute.categories[first : last + 1]
            return own[0] if len(own) == 1 else own
        low, high = float(self.lows[first]), float(self.tops[last])
        if self.attribute.date_format:
            return f"{np.datetime64(int(low), 'D')}..{np.datetime64(int(high), 'D')}"
        decimals = 0 if self.attribute.categorical else self.attribute.decimals
        ends = (float(numeral(low, decimals)), float(numeral(high, decimals)))
        return ends if decimals else (int(ends[0]), int(ends[1]))


def relations_of(table: Table) -> Relations:
    """Return the edit rules and derived columns that a file's published attributes suggest."""
    if len(table) > MOST_RECORDS:
        table = table.take(np.linspace(0, len(table) - 1, MOST_RECORDS).astype(np.intp))
    compared = [a for a in table.schema.attributes if a.role in _COMPARED]
    values = {a.name: found for a in compared if (found := _values(table, a)) is not None}
    grouped = [one for a in compared if (one := _grouped(table, a, values.get(a.name))) is not None]
    rules = [rule for one, other in combinations(grouped, 2) for rule in _never_together(one, other)]
    rules.sort(key=lambda entry: -entry[0])
    derived = [
        *_household_sizes(table, values),
        *_nearly_shared(table),
        *_ages(table, values),
        *_durations(table, values),
        *_sums(table, values),
        *_followers(grouped),
    ]
    return Relations(tuple(rule for _, rule in rules[:MOST_RULES]), tuple(derived))


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
    return _Grouped(attribute, groups, len(lows), lows, tops)


def _never_together(one: _Grouped, other: _Grouped) -> Iterator[tuple[float, EditRule]]:
    """Yield rules for groups of two attributes that no record has together, and how many chance would give."""
    present = (one.groups >= 0) & (other.groups >= 0)
    places = one.groups[present] * other.size + other.groups[present]
    counts = np.bincount(places, minlength=one.size * other.size).reshape(one.size, other.size)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(len(places), 1)
    if (one.lows is None and other.lows is not None) or (one.lows is other.lows is None and one.size > other.size):
        one, other, counts, expected = other, one, counts.T, expected.T
    if other.lows is not None:
        yield from _corners(one, other, counts == 0, expected)
        return
    for place in range(other.size):
        never = counts[:, place] == 0
        if one.lows is None:
            likely = np.flatnonzero(never & (expected[:, place] >= EXPECTED))
            if len(likely):
                own = tuple(one.attribute.categories[k] for k in likely)
                yield _rule(
                    one, own if len(own) > 1 else own[0], other, other.values(place, place), expected[likely, place]
                )
            continue
        edges = np.flatnonzero(np.diff(np.r_[False, never, False]))
        for first, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            if expected[first:end, place].sum() >= EXPECTED:
                own_values = one.values(first, end - 1)
                yield _rule(one, own_values, other, other.values(place, place), expected[first:end, place])


def _corners(
    one: _Grouped, other: _Grouped, never: NDArray[np.bool_], expected: Floats
) -> Iterator[tuple[float, EditRule]]:
    """Yield the largest empty rectangle in each corner of two orders: the young that were hired long ago."""
    for down in (False, True):
        for across in (False, True):
            steps = slice(None, None, -1 if down else 1), slice(None, None, -1 if across else 1)
            empty = np.logical_and.accumulate(np.logical_and.accumulate(never[steps], axis=0), axis=1)
            sums = np.where(empty, expected[steps].cumsum(axis=0).cumsum(axis=1), 0.0)
            row, column = divmod(int(sums.argmax()), other.size)
            if sums[row, column] < EXPECTED:
                continue
            rows = (one.size - 1 - row, one.size - 1) if down else (0, row)
            columns = (other.size - 1 - column, other.size - 1) if across else (0, column)
            yield _rule(one, one.values(*rows), other, other.values(*columns), sums[row, column])


def _rule(one: _Grouped, own: Values, other: _Grouped, theirs: Values, expected: Floats) -> tuple[float, EditRule]:
    return float(np.sum(expected)), EditRule(((one.attribute.name, own), (other.attribute.name, theirs)))


def _household_sizes(table: Table, values: dict[str, Floats]) -> Iterator[str]:
    """Yield which columns count the members of a record's household."""
    for household in table.schema.with_role(Role.HOUSEHOLD):
        homes = table.column(household).astype(np.int64)
        members = np.where(homes < 0, np.nan, np.bincount(homes[homes >= 0], minlength=1)[np.maximum(homes, 0)])
        if not 2 <= np.nanmax(members, initial=0.0) < len(table):
            continue
        for name, own in values.items():
            if _equal(own, members):
                yield (
                    f"{printable(name)} is the number of records of each {printable(household)}: leave it out, and "
                    "count it again in the published file; masked apart, both contradict each other."
                )


def _nearly_shared(table: Table) -> Iterator[str]:
    """Yield which columns are the same for all members in all but a few households."""
    homes = len(households_of(table)) if table.schema.with_role(Role.HOUSEHOLD) else 0
    names = [a.name for a in table.schema.attributes if a.role in _COMPARED]
    for name, rows in differing_homes(table, names).items():
        if 0 < len(rows) <= max(1, homes // _SLIPS):
            yield (
                f"{printable(name)} is the same for all members of a household but in {len(rows)} of {homes}: if these "
                "are slips, correct them. Then it is masked once for all members; else members are masked apart."
            )


def _ages(table: Table, values: dict[str, Floats]) -> Iterator[str]:
    """Yield which numbers of years follow from dates, as ages do from births."""
    for date in (a for a in table.schema.attributes if a.date_format and a.name in values):
        days = values[date.name]
        years = np.where(np.isnan(days), np.nan, 1970 + days / 365.2425)
        for name, own in values.items():
            total = own + years if name != date.name else np.full(len(own), np.nan)
            known = total[~np.isnan(total)]
            if len(known) >= _FEWEST and np.ptp(known) <= 2.0 and np.nanstd(own) > 2.0:
                yield (
                    f"{printable(name)} follows from {printable(date.name)}: publish one of them, since the one "
                    "discloses the other."
                )


def _durations(table: Table, values: dict[str, Floats]) -> Iterator[str]:
    """Yield which numbers are the days between two dates, as a stay is from admission to discharge."""
    dates = [a.name for a in table.schema.attributes if a.date_format and a.name in values]
    for first, last in permutations(dates, 2):
        between = values[last] - values[first]
        for name in sorted(values.keys() - set(dates)):
            if _equal(values[name], between) or _equal(values[name], between + 1):
                yield (
                    f"{printable(name)} is the days from {printable(first)} to {printable(last)}: leave one of the "
                    "three out, since two of them disclose the third."
                )


def _sums(table: Table, values: dict[str, Floats]) -> Iterator[str]:
    """Yield which numbers are the sum of two others in all records."""
    names = [a.name for a in table.schema.numeric if a.name in values][:_MOST_SUMMED]
    for total in names:
        others = [name for name in names if name != total]
        for one, other in combinations(others, 2):
            if _equal(values[total], values[one] + values[other], close=True):
                yield f"{printable(total)} is {printable(one)} + {printable(other)}: leave it out, and add it up again."


def _equal(own: Floats, other: Floats, close: bool = False) -> bool:
    known = ~np.isnan(own) & ~np.isnan(other)
    if known.sum() < _FEWEST or len(np.unique(other[known][: 10 * _FEWEST])) < 2:
        return False
    return bool(np.allclose(own[known], other[known], rtol=1e-9, atol=1e-6) if close else (own == other)[known].all())


def _followers(grouped: list[_Grouped]) -> Iterator[str]:
    """Yield which categories follow from finer ones: a region from its municipality."""
    plain = [one for one in grouped if one.lows is None and one.size >= 2]
    for fine, wide in permutations(plain, 2):
        present = (fine.groups >= 0) & (wide.groups >= 0)
        pairs = np.unique(fine.groups[present] * wide.size + wide.groups[present])
        fewest = fine.size > wide.size and present.sum() >= _FEWEST * fine.size
        if fewest and len(pairs) == len(np.unique(fine.groups[present])):
            yield (
                f"{printable(wide.attribute.name)} follows from {printable(fine.attribute.name)}: masked apart they "
                "contradict each other, and the one tells the other."
            )
