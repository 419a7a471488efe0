"""Re-identification by intruders with knowledge beyond the masked columns: of unmasked columns, and of others."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.assess.changes import keys_of
from evosdc.assess.classes import classed
from evosdc.errors import InputError
from evosdc.model import Microdata
from evosdc.plugins.registry import Registry
from evosdc.specs import MeasureSpec
from evosdc.table.dependence import Determination, by_columns
from evosdc.table.exact_values import known_of
from evosdc.table.schema import WITHHELD, Role
from evosdc.table.table import Numbers, Rows, Table

# up to this number of pairs of records alike in the unchanged columns, the intruder attacks every record
PAIRS = 100_000_000

QUERIED = 2000  # records attacked where there are more pairs; they are spread evenly over the file
TIED = 1e-9  # difference of two log-likelihoods below which they are the same product of counts
Places = NDArray[np.int64]  # of rates, or what is to be added to them, by record and attribute, shape (n, V)

# roles of columns that are no knowledge of a person, though they are published; a verdict names them
_UNCOUNTED = (*WITHHELD, Role.WEIGHT, Role.HOUSEHOLD)


@dataclass(frozen=True)
class Together:
    """The joint disclosure by unchanged columns."""

    columns: tuple[str, ...]  # unmasked, and possibly known of a person
    masked: tuple[str, ...]  # the masked columns that the intruder knows as well
    unique: float  # people with unique values in `columns`, in per cent
    alone: float  # expected per cent of people re-identified by an intruder who knows `columns` and no masked one
    # Expected per cent of people re-identified by an informed intruder who knows them and the masked ones, in the
    # stronger direction of attack. It is never less than that of intruders who know less.
    found: float
    # those of `columns` that an intruder is taken to know: quasi-identifiers, what was to be masked, and `derived`
    known: tuple[str, ...] = ()
    known_found: float = 0.0  # as `found`, by an intruder who knows `known` and the masked ones
    uncounted: tuple[str, ...] = ()  # unchanged columns that are left out: weights and numbers of households
    meant: tuple[str, ...] = ()  # those of `known` that were to be masked
    # those of `known` that follow from another column that an intruder knows, each with that column
    derived: Mapping[str, str] = field(default_factory=dict)
    asked: int | None = None  # records that `found` and `known_found` were estimated from

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "columns": list(self.columns), "masked": list(self.masked), "unique_percent": self.unique,
            "alone_percent": self.alone, "found_percent": self.found, "known": list(self.known),
            "known_percent": self.known_found, "uncounted": list(self.uncounted),
            "meant": list(self.meant), "derived": dict(self.derived), "asked": self.asked,
        }  # fmt: skip


def unchanged_together(
    original: Table, published: Table, protect: Sequence[str], unchanged: Sequence[str], least: float = 0.0
) -> Together | None:
    """Return what unchanged columns disclose together; None where an intruder may know none of them."""
    # The intruder is that of `informed-linkage`. Among originals with the same unchanged columns he takes the likeliest
    # one, by the frequencies of published categories. The reverse attack takes the likeliest masked record for each
    # person; the stronger attack counts. Numbers of masked columns form ten classes. Where values are coarser, and so
    # true, he takes any person who fits in all columns.
    roles = {name: original.schema[name].role for name in unchanged}
    if not len(original):
        return None
    columns = tuple(name for name in unchanged if roles[name] not in _UNCOUNTED and _tells(original, name))
    if not columns:
        return None
    meant = {name for name in protect if original.schema[name].role is not Role.SENSITIVE}
    certain = [name for name in columns if roles[name] is Role.QUASI_IDENTIFIER or name in meant]
    others = [name for name in columns if roles[name] in (Role.OTHER, Role.STRATUM) and name not in certain]
    follows = by_columns(original, others, [*known_of(original, protect), *certain])
    known = tuple(name for name in columns if name in certain or name in follows)
    (groups,) = keys_of(original.select(columns))
    sizes = np.bincount(groups)
    masked = _masked(original, published, protect, unchanged)
    found, estimated_from = _found_with(original, published, columns, masked)
    by_known, known_estimated_from = (found, estimated_from) if known == columns else (0.0, None)
    if known and known != columns:
        by_known, known_estimated_from = _found_with(original, published, known, masked)
    return Together(
        columns,
        masked,
        100.0 * float((sizes[groups] == 1).mean()),
        100.0 * int((sizes > 0).sum()) / len(original),
        max(found, by_known, least),
        known,
        max(by_known, least) if known else 0.0,
        tuple(name for name in unchanged if roles[name] in (Role.WEIGHT, Role.HOUSEHOLD)),
        tuple(name for name in known if name in meant),
        follows,
        estimated_from if estimated_from is not None else known_estimated_from,
    )


def _tells(original: Table, name: str) -> bool:
    """Whether a column tells any people apart: not where all have the same value, or none."""
    column = original.column(name)
    lacking = not original.schema[name].categorical and bool(np.isnan(column).all())
    return bool((column != column[0]).any()) and not lacking


def _masked(original: Table, published: Table, protect: Sequence[str], unchanged: Sequence[str]) -> tuple[str, ...]:
    """Return the masked columns that the intruder knows, and that were changed."""
    names = known_of(original, protect)
    return tuple(name for name in names if name not in unchanged and name in published.schema)


def _found_with(
    original: Table, published: Table, columns: Sequence[str], masked: Sequence[str]
) -> tuple[float, int | None]:
    """Return the per cent of people re-identified by unchanged and masked columns, and from how many records."""
    pairs = [classed(original, published, name, len(original) + 1) for name in masked]
    if not all(pair.comparable for pair in pairs):
        (keys,) = keys_of(published.select([*columns, *masked]))
        return 100.0 * len(np.unique(keys)) / len(original), None
    (groups,) = keys_of(original.select(columns))
    sizes = np.bincount(groups)
    by_group = 100.0 * int((sizes > 0).sum()) / len(groups)
    if not pairs:
        return by_group, None
    queries = np.arange(len(groups), dtype=np.intp)
    if few := float((sizes.astype(np.float64) ** 2).sum()) > PAIRS:
        queries = np.unique(np.linspace(0, len(groups) - 1, min(QUERIED, len(groups))).astype(np.intp))
    people = [(pair.original, pair.published, _log_rates(pair.joint)) for pair in pairs]
    records = [(pair.published, pair.original, _log_rates(pair.joint.T)) for pair in pairs]
    found = max(_found(groups, queries, people), _found(groups, queries, records))
    return max(100.0 * found, by_group), len(queries) if few else None


def _log_rates(joint: NDArray[np.int64]) -> Numbers:
    """Return the logarithms of the frequencies with which a row's category stands beside which column's."""
    with np.errstate(divide="ignore", invalid="ignore"):
        rates: Numbers = np.log(joint / joint.sum(axis=1, keepdims=True))
    return rates


def _found(groups: Rows, queries: Rows, costs: Sequence[tuple[NDArray[np.int64], NDArray[np.int64], Numbers]]) -> float:
    """Return the expected share of the queried records that are linked to their own within their group."""
    # All rates stand in one array. A rate's place is the sum of the places of two codes; so is that of the greatest.
    begins = np.cumsum([0, *(rates.size for _, _, rates in costs)])[:-1]
    rates = np.concatenate([one.ravel() for _, _, one in costs])
    before = np.column_stack([b + own * one.shape[1] for b, (own, _, one) in zip(begins, costs, strict=True)])
    after = np.column_stack([other for _, other, _ in costs])
    greatest = np.full((len(costs), max(one.shape[1] for _, _, one in costs)), -np.inf)
    for v, (_, _, one) in enumerate(costs):
        greatest[v, : one.shape[1]] = np.fmax.reduce(one, axis=0)  # categories without records have no rates
    # Members of a group stand by their codes, so that many are passed at once.
    order = np.lexsort((*reversed(before.T), groups))
    ends = np.searchsorted(groups[order], np.arange(int(groups.max()) + 2))
    members = before[order].astype(np.int64)
    return _matched(
        queries, groups, ends, before.astype(np.int64), members, after.astype(np.int64), rates, greatest
    ) / len(queries)


@njit(cache=True)
def _matched(
    queries: Rows,
    groups: Rows,
    ends: Rows,
    before: Places,
    members: Places,
    after: Places,
    rates: Numbers,
    greatest: Numbers,
) -> float:
    """Return how many of some records are expected to be linked to their own among the members of its group."""
    # Members that are alike up to an attribute are passed together where what is still to be added cannot make up for
    # it.
    matched, attributes = 0.0, before.shape[1]
    # By attribute: up to which member those are alike that are looked through, where one is among them, and their sum.
    until, at = np.empty(attributes, np.int64), np.empty(attributes, np.int64)
    sums, rest = np.empty(attributes), np.empty(attributes + 1)
    for record in queries:
        own, rest[attributes] = 0.0, 0.0
        for v in range(attributes):
            own += rates[before[record, v] + after[record, v]]
        for v in range(attributes - 1, -1, -1):
            rest[v] = rest[v + 1] + greatest[v, after[record, v]]
        ties, v = 0, 0
        at[0], until[0], sums[0] = ends[groups[record]], ends[groups[record] + 1], 0.0
        while v >= 0:
            if at[v] == until[v]:
                v -= 1
                continue
            place = at[v]
            code = members[place, v]
            low, high = place + 1, until[v]
            while low < high:
                middle = (low + high) // 2
                if members[middle, v] == code:
                    low = middle + 1
                else:
                    high = middle
            at[v] = low
            likelihood = sums[v] + rates[code + after[record, v]]
            if likelihood + rest[v + 1] < own - 2.0 * TIED:
                continue
            if v < attributes - 1:
                v += 1
                at[v], until[v], sums[v] = place, low, likelihood
            elif likelihood > own + TIED:
                ties = 0
                break
            elif likelihood >= own - TIED:
                ties += low - place
        if ties > 0:
            matched += 1.0 / ties
    return matched


@dataclass(frozen=True)
class Further:
    """The result of one such intruder."""

    measure: str  # of this intruder
    knows: str  # what he knows of people besides, in words (`evosdc.specs.MeasureSpec`)
    columns: tuple[str, ...]  # columns of the published file that tell it
    percent: float | None  # people he is expected to find; None where the measure cannot read the files

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self) | {"columns": list(self.columns)}


def further_knowledge(
    original: Table, masked: Table, protect: Sequence[str], unchanged: Sequence[str], registry: Registry
) -> tuple[Further, ...]:
    """Return the findings of each measured intruder whose knowledge unchanged columns disclose."""
    found = []
    for name in registry.names("measure"):
        spec = registry.spec("measure", name)
        if not isinstance(spec, MeasureSpec) or not spec.knows:
            continue
        measure = registry.build("measure", name, {})
        columns = measure.auxiliary_names()
        if columns and set(columns) <= set(unchanged):
            known = [n for n in known_of(original, protect) if original.schema[n].scale in spec.scales]
            found.append(Further(name, spec.knows, columns, _percent(measure, original, masked, known)))
    return tuple(found)


def _percent(measure: Any, original: Table, masked: Table, known: Sequence[str]) -> float | None:
    if not known or not len(original):
        return None
    try:
        return float(measure.fit_in(Microdata(original, tuple(known))).score(masked.select(known)))
    except InputError:
        return None


SINGLING = 5.0  # per cent of records with a value of their own from which a column singles people out

ALIKE = "all records have the same value, which tells nobody apart"

_REASONS: Mapping[Role, str] = {
    Role.IDENTIFIER: "it names the person",
    Role.QUASI_IDENTIFIER: "an intruder may know it, and re-identify people by it whatever else was changed",
    Role.SENSITIVE: "anyone re-identified has this value disclosed",
    Role.WEIGHT: "weights often tell the region or stratum that a record was sampled from",
    Role.HOUSEHOLD: "it ties the members of a household together: who re-identifies one, re-identifies all",
    Role.STRATUM: "it tells the stratum that a record was sampled from",
    Role.OTHER: "harmless only as long as no intruder can know it",
}


@dataclass(frozen=True)
class Unchanged:
    """A column that is published as it is."""

    attribute: str
    role: str
    distinct: int  # different values
    single: float  # records with a unique value, in per cent
    why: str
    dangerous: bool  # whether it identifies people, by its role or its values

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self)


def unchanged_columns(
    table: Table,
    protect: Sequence[str],
    dropped: Sequence[str] = (),
    changed: Mapping[str, int] | None = None,
    given_away: Sequence[Determination] = (),
) -> tuple[Unchanged, ...]:
    """Return the columns that are published as they are, those that single people out first."""
    same = {name for name, cells in (changed or {}).items() if not cells}
    found = []
    for attribute in table.schema.attributes:
        name = attribute.name
        if name in dropped or (name in protect and name not in same):
            continue
        distinct, single, alike = _spread(table, name)
        if alike:
            found.append(Unchanged(name, str(attribute.role), distinct, single, ALIKE, False))
            continue
        kept = "it was to be masked, and no value was changed"
        reasons = [kept if name in protect else _REASONS.get(attribute.role, _REASONS[Role.OTHER])]
        if single >= SINGLING:
            reasons.append(f"{single:.0f} % of the records have a value that no other one has")
        reasons += [f"{d.masked} can be read off it" for d in given_away if d.by == name]
        known = name in protect or attribute.role in (Role.IDENTIFIER, Role.QUASI_IDENTIFIER)
        dangerous = known or (single >= SINGLING and attribute.role is Role.OTHER) or len(reasons) > 2
        found.append(Unchanged(name, str(attribute.role), distinct, single, "; ".join(reasons), dangerous))
    return tuple(sorted(found, key=lambda column: (not column.dangerous, -column.single)))


def _spread(table: Table, name: str) -> tuple[int, float, bool]:
    """Return the number of distinct values, the per cent of records with a unique one, and whether all are equal."""
    column = table.column(name)
    known = column[column >= 0] if table.schema[name].categorical else column[~np.isnan(column)]
    counts = np.unique(known, return_counts=True)[1]
    alike = len(counts) + (len(known) < len(column)) < 2
    return len(counts), 100.0 * float((counts == 1).sum()) / max(len(column), 1), alike
