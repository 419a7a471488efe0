"""Utility for analysts: tables, means and correlations of the original beside those of the published file, in words.

One definition holds for all of them. Differences are measured in standard errors of the difference between two samples
of the file's size. A figure *holds* where these are at most `ON_AVERAGE` over its cells or groups, and at most
`AT_WORST` in the worst one. That is a yardstick, not a test. A table with few records a cell would differ much between
samples, so at most `AT_MOST` per cent of its records may be elsewhere, too; and no table holds of a column whose own
counts do not. A column that was made coarser is compared in its published groups: each original value counts in the
group that most of its records have, and values that are left out are not counted.

Whether users can correct tables for the masking is tried out on the original, too. With q the share of values kept
beyond chance, a group's published shares are ``p' = q p + (1 - q) r`` and the file's ``m' = q m + (1 - q) r``, whatever
r is, so that ``p = m + (p' - m') / q``. Values agree with probability ``a = q + (1 - q) sum m r``; without r that is
``q = (a - sum m m') / (1 - sum m m)``. Users know m' alone and take it for m. A masking that an algorithm searched for
is not random: there the correction may do harm, so it is published only where it helps.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import pi, prod, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.assess.classes import ABSENT, Classed, classed
from evosdc.table.equivalence import placed_values
from evosdc.table.hierarchy import ROOT
from evosdc.table.schema import Role, Scale
from evosdc.table.table import MISSING, Numbers, Table


@dataclass(frozen=True, eq=False)
class Ranking:
    """A column whose ranks are found once, for its correlations with several others."""

    values: Numbers

    @cached_property
    def missing(self) -> NDArray[np.bool_]:
        """Where there is no value."""
        return np.isnan(self.values)

    @cached_property
    def ranks(self) -> Numbers:
        """Of a column without missing values, equal ones at the middle of theirs."""
        return _ranked(self.values)

    def among(self, records: NDArray[np.bool_]) -> Numbers:
        """Return the ranks of some of the records among these, none of which is missing."""
        return self.ranks if records.all() else _ranked(self.values[records])


def rank_correlation(first: Ranking, second: Ranking, fewest: int) -> float | None:
    """Return Spearman's correlation over the records that have both values."""
    both = ~(first.missing | second.missing)
    if both.sum() < fewest:
        return None
    ranks = first.among(both), second.among(both)
    if ranks[0].std() == 0.0 or ranks[1].std() == 0.0:
        return None
    return float(np.corrcoef(*ranks)[0, 1])


def _ranked(values: Numbers) -> Numbers:
    # As scipy.stats.rankdata, whose import alone takes longer than the rest of a small run.
    _, places, counts = placed_values(values)
    averages: Numbers = np.cumsum(counts) - (counts - 1) / 2
    return averages[places]


MOST_PAIRS = 400  # pairs of attributes that are compared, at most

# standard errors by which what holds may differ over its cells or groups on average, and in the worst one
ON_AVERAGE, AT_WORST = 1.0, 3.0

AT_MOST = 10.0  # per cent of the records of a table that may be in another cell, however few records it has
_FARTHEST = 1e6  # standard errors that stand for any number of them, where there is no error and yet a difference

# fewest records of a group, in either file, for its mean to count; smaller cells are judged as if they had this number
FEWEST = 10

_ANALYSED = (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.OTHER, Role.STRATUM)


def analyses(original: Table, published: Table, protect: Sequence[str]) -> dict[str, Any]:
    """Return tables, means and correlations before and after, of pairs with at least one masked attribute."""
    # Entries about coarser columns name these.
    grouped = {name: sides for name in protect if (sides := _in_groups(original, published, name)) is not None}
    if grouped:
        schema = published.schema.select(list(grouped))
        both = zip(*(grouped[name] for name in schema.names), strict=True)
        own, other = (Table(schema, np.column_stack(side), np.empty((len(side[0]), 0))) for side in both)
        original, published = original.with_columns(own), published.with_columns(other)
    names = [
        attribute.name
        for attribute in original.schema.attributes
        if (attribute.role in _ANALYSED or attribute.name in protect) and _alike(original, published, attribute.name)
    ]
    masked = [name for name in names if name in protect]
    columns = {name: classed(original, published, name) for name in names}
    columns |= {name: _of_known(columns[name]) for name in grouped}
    single = list(_single(columns, original, published, masked))
    found = {
        "tables": [*single, *_pairs(columns, masked, {e["attributes"][0] for e in single if not e["holds"]})],
        "means": list(_means(original, published, columns, masked)),
        "correlations": list(_correlations(original, published, names, masked)),
    }
    for entry in (entry for entries in found.values() for entry in entries):
        of = entry["attributes"] if "attributes" in entry else (entry["of"], entry["by"])
        if coarser := [name for name in of if name in grouped]:
            entry["coarser"] = coarser
    return found


_Codes = NDArray[np.int32]


def _in_groups(original: Table, published: Table, name: str) -> tuple[_Codes, _Codes] | None:
    """Return the codes of a coarser column in its published groups, before and after; None where it has no such."""
    if name not in published.schema or not published.schema[name].categorical or _alike(original, published, name):
        return None
    attribute, after = published.schema[name], published.column(name)
    tree, width = original.schema[name].hierarchy, len(attribute.categories)
    roots = {ROOT} if tree is None else {ROOT, tree.levels[0][-1]}
    left_out = [code for code, label in enumerate(attribute.categories) if label in roots]
    after = np.where(np.isin(after, left_out), MISSING, after)
    if len(np.unique(after[after != MISSING])) < 2:
        return None  # nothing to analyse
    known = after != MISSING
    _, place, counts = placed_values(original.column(name))
    joint = np.bincount(place[known] * width + after[known], minlength=len(counts) * width).reshape(-1, width)
    groups = np.where(joint.any(axis=1), joint.argmax(axis=1), left_out[0] if left_out else MISSING)
    before = np.where(original.absent(name), MISSING, groups[place])
    return before.astype(np.int32), after.astype(np.int32)


def _alike(original: Table, published: Table, name: str) -> bool:
    before = original.schema[name]
    if name not in published.schema:
        return False
    after = published.schema[name]
    return before.categorical == after.categorical and before.categories == after.categories


def _paired(names: Sequence[str], masked: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs with a masked attribute, those of two masked ones first."""
    pairs = [pair for pair in combinations(names, 2) if set(pair) & set(masked)]
    return sorted(pairs, key=lambda pair: -len(set(pair) & set(masked)))[:MOST_PAIRS]


def _of_known(column: Classed) -> Classed:
    """Return an attribute in classes whose missing values are in none (-1)."""
    known = len(column.labels) - (column.labels[-1:] == (ABSENT,))
    sides = (np.where(side < known, side, -1) for side in (column.original, column.published))
    return replace(column, original=next(sides), published=next(sides))


def _single(
    columns: Mapping[str, Classed], original: Table, published: Table, masked: Sequence[str]
) -> Iterator[dict[str, Any]]:
    for name in masked:
        column = columns[name]
        entry = _table([column], column.original, column.published)
        if column.grouping and (values := _by_value(original, published, name)) is not None:
            entry["by_value"] = values
        yield entry


def _by_value(original: Table, published: Table, name: str) -> dict[str, Any] | None:
    """Return the table of an attribute's single values; None for numbers that hardly repeat, which have no such one."""
    both = np.concatenate([original.column(name), published.column(name)])
    values, codes, _ = placed_values(both)
    if not original.schema[name].categorical and len(values) > len(original) / 2:
        return None
    before, after = np.split(codes.reshape(-1).astype(np.int64), 2)
    return _compared(before, after, len(values))


def _pairs(columns: dict[str, Classed], masked: Sequence[str], poor: set[str]) -> Iterator[dict[str, Any]]:
    for first, second in _paired(list(columns), masked):
        one, other = columns[first], columns[second]
        width = len(other.labels)
        sides = (one.original, other.original), (one.published, other.published)
        before, after = (np.where((a < 0) | (b < 0), -1, a * width + b) for a, b in sides)
        entry = _table([one, other], before, after)
        yield entry | {"holds": entry["holds"] and not poor & {first, second}}


def _table(columns: Sequence[Classed], before: NDArray[np.int64], after: NDArray[np.int64]) -> dict[str, Any]:
    grouping = {column.attribute.name: column.grouping for column in columns if column.grouping}
    names = [column.attribute.name for column in columns]
    return (
        {"attributes": names} | _compared(before, after, prod(len(c.labels) for c in columns)) | {"grouping": grouping}
    )


def _compared(before: NDArray[np.int64], after: NDArray[np.int64], size: int) -> dict[str, Any]:
    records = len(before)
    counts = np.bincount(before[before >= 0], minlength=size), np.bincount(after[after >= 0], minlength=size)
    shares = counts[0] / records
    moved = 50.0 * float(np.abs(counts[0] - counts[1]).sum()) / records
    sampling = sampling_distance(shares, records)
    errors = np.sqrt(2.0 * np.maximum(counts[0] * (1.0 - shares), FEWEST))
    worst = float((np.abs(counts[0] - counts[1]) / errors).max())
    return {"moved": moved, "sampling": sampling} | _judged(_in_errors(moved, min(sampling, AT_MOST)), worst)


def _judged(average: float, worst: float) -> dict[str, Any]:
    """Return by how many standard errors a figure is off on average and at worst, and whether it holds."""
    return {"average": average, "worst": worst, "holds": average <= ON_AVERAGE and worst <= AT_WORST}


def _in_errors(difference: float, error: float) -> float:
    return min(abs(difference) / error, _FARTHEST) if error > 0.0 else _FARTHEST if difference else 0.0


def sampling_distance(shares: NDArray[np.float64], records: int) -> float:
    """Return the expected total variation of two samples from a table's shares, in per cent, by the normal limit."""
    # Half the sum over cells of ``E|d|`` for ``d ~ N(0, 2 p (1 - p) / n)``, which is ``2 sqrt(p (1 - p) / (pi n))``.
    return 100.0 * float(np.sqrt(shares * (1.0 - shares) / (pi * max(records, 1))).sum())


def _numbers(table: Table, name: str) -> Numbers:
    """Return the input of ranks and means: numbers, or codes of ordered or binary categories; NaN if missing."""
    column = np.asarray(table.column(name), dtype=np.float64)
    return np.where(column == MISSING, np.nan, column) if table.schema[name].categorical else column


def _means(
    original: Table, published: Table, columns: dict[str, Classed], masked: Sequence[str]
) -> Iterator[dict[str, Any]]:
    numeric = [name for name in columns if not original.schema[name].categorical]
    for name in numeric:
        before, after = _numbers(original, name), _numbers(published, name)
        if name in masked:
            means = _mean_of(before, after)
            yield {"of": name, "by": None, "group": ""} | means
    for name, by in ((n, b) for n in numeric for b in columns if b != n and {n, b} & set(masked)):
        found = _group_means(_numbers(original, name), _numbers(published, name), columns[by])
        if found is not None:
            yield {"of": name, "by": by} | found


def _mean_of(before: Numbers, after: Numbers) -> dict[str, Any]:
    sides = before[~np.isnan(before)], after[~np.isnan(after)]
    means = [float(side.mean()) if len(side) else 0.0 for side in sides]
    deviations = [float(side.std(ddof=1)) if len(side) > 1 else 0.0 for side in sides]
    error = sqrt(2.0) * deviations[0] / sqrt(max(len(sides[0]), 1))
    off = _in_errors(means[0] - means[1], error)
    return {
        "before": means[0], "after": means[1], "error": error,
        "deviation_before": deviations[0], "deviation_after": deviations[1],
    } | _judged(off, off)  # fmt: skip


def _group_means(before: Numbers, after: Numbers, by: Classed) -> dict[str, Any] | None:
    """Return the group whose mean differs most, in standard errors, and whether all groups hold."""
    size = len(by.labels)
    known = ~np.isnan(before) & (by.original >= 0), ~np.isnan(after) & (by.published >= 0)
    counts = np.bincount(by.original[known[0]], minlength=size), np.bincount(by.published[known[1]], minlength=size)
    enough = (counts[0] >= FEWEST) & (counts[1] >= FEWEST)
    if enough.sum() < 2:
        return None
    sums = (
        np.bincount(by.original[known[0]], before[known[0]], minlength=size),
        np.bincount(by.published[known[1]], after[known[1]], minlength=size),
    )
    squares = np.bincount(by.original[known[0]], before[known[0]] ** 2, minlength=size)
    means = sums[0][enough] / counts[0][enough], sums[1][enough] / counts[1][enough]
    variances = np.maximum(squares[enough] / counts[0][enough] - means[0] ** 2, 0.0)
    errors = np.sqrt(2.0 * variances / counts[0][enough])
    apart = np.abs(means[0] - means[1]) / np.where(errors > 0.0, errors, 1.0)
    worst = int(apart.argmax())
    average = min(float(np.average(apart, weights=counts[0][enough])), _FARTHEST)
    return {
        "group": by.labels[int(np.flatnonzero(enough)[worst])],
        "before": float(means[0][worst]),
        "after": float(means[1][worst]),
        "error": float(errors[worst]),
        "groups": int(enough.sum()),
    } | _judged(average, min(float(apart[worst]), _FARTHEST))


def _correlations(
    original: Table, published: Table, names: Sequence[str], masked: Sequence[str]
) -> Iterator[dict[str, Any]]:
    def ordered(name: str) -> bool:
        attribute = original.schema[name]
        return attribute.scale is not Scale.NOMINAL or len(attribute.categories) == 2

    sides = [
        {name: Ranking(_numbers(table, name)) for name in names if ordered(name)} for table in (original, published)
    ]
    for first, second in _paired(list(sides[0]), masked):
        before, after = (rank_correlation(side[first], side[second], FEWEST) for side in sides)
        if before is None or after is None:
            continue
        error = sqrt(2.0) * (1.0 - before**2) / sqrt(max(len(original) - 1, 1))
        off = _in_errors(before - after, error)
        yield {"attributes": [first, second], "before": before, "after": after, "error": error} | _judged(off, off)


MOST_NAMED = 6  # names in a sentence; of more, the first few and how many others there are


def trust(analyses: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return in short sentences which analyses analysts can use (``yes``), and which they cannot (``no``)."""
    yes: list[str] = []
    no: list[str] = []
    tables = analyses.get("tables") or ()
    kinds = (
        ("column counts", [entry for entry in tables if len(entry["attributes"]) == 1]),
        ("tables of two columns", [entry for entry in tables if len(entry["attributes"]) == 2]),
        ("means", list(analyses.get("means") or ())),
        ("rank correlations", list(analyses.get("correlations") or ())),
    )
    for what, entries in kinds:
        sound = [entry for entry in entries if entry["holds"]]
        poor = sorted((entry for entry in entries if not entry["holds"]), key=lambda entry: -distance(entry))
        if sound:
            many = f"All {len(entries)}" if not poor and len(entries) > 1 else f"{len(sound)} of {len(entries)}"
            yes.append(f"{many} {what} ({_worst_of(sound)}).")
        if poor:
            no.append(f"{what.capitalize()}: {named([title(entry) for entry in poor], 3)}.")
    off = [
        title(entry) for entry in tables if entry["holds"] and entry.get("by_value") and not entry["by_value"]["holds"]
    ]
    if off:
        no.append(f"Counts by single value of {named(off, 3)}, which hold in classes alone.")
    if tables:
        no.append("Single records.")
    return {"yes": yes, "no": no}


def _worst_of(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return how far the worst of figures that hold is off."""
    worst = max(float(entry["worst"]) for entry in entries)
    if worst == 0.0:
        return "exactly as they were"
    what = "cell" if "moved" in entries[0] else "group" if "of" in entries[0] else "one"
    return f"worst {what} {worst:.1f} standard errors off"


def destroyed(analyses: Mapping[str, Any]) -> list[tuple[str, float]]:
    """Return the masked attributes whose own counts are useless, and the per cent of records elsewhere, worst first."""
    # Counts of a coarser column are true, but do not count what is left out.
    listed = (entry for entry in analyses.get("tables") or () if "coarser" not in entry)
    single = [entry for entry in listed if len(entry["attributes"]) == 1]
    off = [(title(entry), float(entry["moved"])) for entry in single if entry["moved"] > AT_MOST]
    return sorted(off, key=lambda entry: -entry[1])


def distance(entry: Mapping[str, Any]) -> float:
    """Return the error of an analysis, in units of the greatest acceptable one."""
    return max(float(entry["average"]) / ON_AVERAGE, float(entry["worst"]) / AT_WORST)


def title(entry: Mapping[str, Any]) -> str:
    """Return the subject of an analysis, in few words."""
    if "attributes" in entry:
        return " x ".join(map(str, entry["attributes"]))
    return f"{entry['of']} by {entry['by']}" if entry["by"] else str(entry["of"])


def named(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Return names in running text; of many, the first few: a single one more is as short as to say so."""
    if len(names) > most + 1:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def shown(percent: float) -> str:
    """Return a share in per cent; one that is not nothing is never written as 0.0."""
    return "less than 0.1" if 0.0 < percent < 0.05 else f"{percent:.1f}"


# share of the error of published figures that corrected ones may have, for a correction to be worth its while
HELPS = 0.9

FINE = 1000  # records from which the share kept beyond chance is rounded to hundredths; below to tenths


def corrections(original: Table, published: Table, tables: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return, for each masked attribute with tables of two, whether the correction helps where they do not hold."""
    # Coarser columns are true: there is nothing to correct.
    tables = [entry for entry in tables if "coarser" not in entry]
    poor: dict[str, list[str]] = {}
    for entry in tables:
        names = [str(name) for name in entry["attributes"]]
        for name, other in (names, names[::-1]) if len(names) == 2 else ():
            poor.setdefault(name, []).extend([] if entry["holds"] else [other])
    singles = [str(entry["attributes"][0]) for entry in tables if len(entry["attributes"]) == 1]
    cache: dict[str, Classed] = {}

    def column(name: str) -> Classed:
        if name not in cache:
            cache[name] = classed(original, published, name)
        return cache[name]

    return [_correction(column(name), [column(other) for other in poor.get(name, ())]) for name in singles]


def _correction(target: Classed, groups: Sequence[Classed]) -> dict[str, Any]:
    digits = 2 if len(target.original) >= FINE else 1
    kept = round(kept_beyond_chance(target), digits)
    errors = [found for by in groups if (found := _errors(target, by, kept)) is not None] if kept > 0.0 else []
    before, after = (_root(np.concatenate([pair[side] for pair in errors])) if errors else None for side in (0, 1))
    helps = before is not None and after is not None and after <= HELPS * before
    return {
        "attribute": target.attribute.name,
        "kept": kept,
        "poor": [by.attribute.name for by in groups],
        "published": before,
        "corrected": after,
        "helps": helps,
        "nearer": 100.0 * (1.0 - after / before) if before and after is not None else None,
    }


def kept_beyond_chance(target: Classed) -> float:
    """Return the share of values that were kept and did not agree by chance, 0..1."""
    joint = target.joint / max(len(target.original), 1)
    before, after = joint.sum(axis=1), joint.sum(axis=0)
    room = 1.0 - float(before @ before)
    kept = (float(np.trace(joint)) - float(before @ after)) / room if room > 1e-12 else 0.0
    return min(max(kept, 0.0), 1.0)


def corrected(shares: Numbers, margin: Numbers, kept: float) -> Numbers:
    """Return shares within groups (rows) as users correct them: ``m + (p' - m) / q``, cut to 0..1, rows of sum 1."""
    cut = np.clip(margin + (shares - margin) / kept, 0.0, 1.0)
    return np.asarray(cut / cut.sum(axis=1, keepdims=True), dtype=np.float64)


def _errors(target: Classed, by: Classed, kept: float) -> tuple[Numbers, Numbers] | None:
    """Return by how much shares of an attribute within groups are off, as published and corrected; None without any."""
    before, after = (_counts(target, by, side) for side in ("original", "published"))
    enough = (before.sum(axis=1) >= FEWEST) & (after.sum(axis=1) >= FEWEST)
    if not enough.any():
        return None
    margin = after.sum(axis=0) / after.sum()
    true, shares = (side[enough] / side[enough].sum(axis=1, keepdims=True) for side in (before, after))
    return (shares - true).reshape(-1), (corrected(shares, margin, kept) - true).reshape(-1)


def _counts(target: Classed, by: Classed, side: str) -> NDArray[np.int64]:
    rows, columns = len(by.labels), len(target.labels)
    cells = getattr(by, side) * columns + getattr(target, side)
    return np.bincount(cells, minlength=rows * columns).reshape(rows, columns)


def _root(differences: Numbers) -> float:
    return float(np.sqrt(np.mean(differences**2)))
