"""The expected re-identifications by an informed intruder in a file, and their accepted share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from evosdc.errors import InputError
from evosdc.model import Fitted, Microdata
from evosdc.model.constraint import ACCEPTED, AUDIENCES, Constraint
from evosdc.plugins.registry import Registry
from evosdc.processors import side_by_side
from evosdc.runs.result import Audience
from evosdc.table.exact_values import ExactValues, known_of, with_published_decimals
from evosdc.table.households import households_of
from evosdc.table.schema import Role
from evosdc.table.table import Numbers, Table


def audience_of(bound: float) -> Audience:
    """Return the narrowest audience whose bound is at least this one; empty where it is beyond all of them."""
    names: tuple[Audience, ...] = ("public", "researchers", "safe-room")
    return next((name for name in names if bound <= AUDIENCES[name]), "")


def bound_of(
    required: Sequence[str], measure: str, registry: Registry, accepted: float = ACCEPTED
) -> tuple[float, str]:
    """Return the share of people that may be found, in per cent, and the requirement that sets it."""
    # A requirement sets it that bounds, over all attributes, the measure that states the share, or that of an intruder
    # who knows how the file was masked; of several the strictest. No other one says what is acceptable, `dr` neither:
    # it mixes what several measures say.
    sets = {measure, *registry.defaults("measure", "intruder")}
    found = [(constraint, str(constraint)) for constraint in map(Constraint.parse, required)]
    bounds = [
        (constraint.bound, text)
        for constraint, text in found
        if constraint.name in sets and constraint.operator == "<=" and not (constraint.attribute or constraint.params)
    ]
    return min(bounds, default=(accepted, ""))


def strictest_bound(required: Sequence[str], registry: Registry, accepted: float = ACCEPTED) -> float:
    """Return the least `bound_of` of all intruders: a search does not know the strongest one beforehand."""
    names = "", *registry.defaults("measure", "identity")
    return max(min(bound_of(required, name, registry, accepted)[0] for name in names), 0.0)


def two_way_of(registry: Registry) -> str:
    """Return the measure of an informed intruder in both directions; empty where none is offered."""
    return next(iter(registry.defaults("measure", "two-way")), "")


LISTED = 40  # records at risk that are listed by position
LIKELY = 0.5  # chance to be found from which a record is at risk: the intruder is more often right than wrong


@dataclass(frozen=True, eq=False)
class Found:
    """The result of the strongest of the tried intruders."""

    measure: str  # that says so
    # records expected to be found in the published file, and in the original itself by whichever intruder finds most
    # there, in per cent
    percent: float
    original: float
    records: int  # of the published file
    known: tuple[str, ...]  # what the intruder knows of everybody
    chances: Numbers | None  # for each record the chance to be found, 0..1; None where the measure does not tell
    # whether the intruder looks for each person's likeliest masked record, and not for each masked record's person
    backwards: bool = False
    other: float | None = None  # what looking in the other direction finds, in per cent; None where it was not tried
    # people of whose household at least one member is expected to be found, in per cent, in the direction that finds
    # more: with one member all others are found. None in a file without households
    homes: float | None = None

    @property
    def expected(self) -> float:
        """How many people are expected to be found."""
        return self.percent * self.records / 100.0

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it, with the positions of the records easiest to find, from 1, and no value."""
        document: dict[str, Any] = {
            "measure": self.measure, "percent": self.percent, "original_percent": self.original,
            "expected": self.expected, "records": self.records, "known": list(self.known),
            "looks_for": "masked record" if self.backwards else "person", "other_percent": self.other,
            "homes_percent": self.homes,
        }  # fmt: skip
        if self.chances is None:
            return document
        order = np.argsort(-self.chances, kind="stable")[:LISTED]
        return document | {
            "likely": int((self.chances >= LIKELY).sum()),
            "sure": int((self.chances >= 1.0 - 1e-9).sum()),
            "at_risk": [
                {"record": int(place) + 1, "chance": float(self.chances[place])}
                for place in order.tolist()
                if self.chances[place] >= LIKELY
            ],
        }

    def without_records(self) -> dict[str, Any]:
        """Return it as JSON has it, without single records."""
        return {key: value for key, value in self.to_json().items() if key != "at_risk"}


def measured_by(found: Mapping[str, Any]) -> str:
    """Return in words the measure of a share, from the result of `Found.to_json`."""
    # The attack from person to record is another figure than the score of the measure, which goes from record to
    # person.
    measure, other = found["measure"], found.get("other_percent")
    if found.get("looks_for") != "masked record":
        return str(measure)
    words = f"{measure}, attack from person to record"
    return words if other is None else f"{words}; from record to person {other:.2f} %"


def found_by_value(original: Table, masked: Table, known: Sequence[str]) -> tuple[str, float]:
    """Return the attribute that identifies most people by its exact value alone, and their per cent."""
    # See `evosdc.table.exact_values.ExactValues`, which the measure of this risk counts by, too: measures that take
    # numbers by classes do not see that a search left them as they are.
    values = ExactValues(with_published_decimals(original.select(known), masked), known)
    percents = dict(zip(values.names, values.percents(masked.select(known)).tolist(), strict=True))
    best = max(known, key=lambda name: percents[name])
    return best, percents[best]


def found_by_intruder(
    original: Table,
    masked: Table,
    protect: Sequence[str],
    registry: Registry,
    params: Mapping[str, Mapping[str, Any]] | None = None,
    fitted: Mapping[str, Fitted] | None = None,
    unprotected: Mapping[str, float] | None = None,
    scored: Mapping[str, float] | None = None,
) -> Found | None:
    """Return the result of the strongest intruder; None where no measure of identity can read the files."""
    known = known_of(original, protect)
    if len(original) == 0:
        return None
    sides = original, masked.select(known)
    fitted, scored, unprotected = fitted or {}, scored or {}, unprotected or {}
    ready = fitted.keys() & scored.keys() & unprotected.keys()
    ask = partial(_found, sides=sides, known=known, registry=registry, params=params or {}, unprotected=unprotected)
    measured = [
        partial(Found, name, scored[name], unprotected[name], len(masked), known, None)
        if name in ready
        else partial(ask, name, known_fitted=fitted.get(name))
        for name in registry.defaults("measure", "identity")
    ]
    found = [one for one in side_by_side(len(original), measured) if one is not None]
    if not found:
        return None
    # In a tie, the intruder who knows most, registered last. The strongest intruder attacks the original.
    best = max(reversed(found), key=lambda one: one.percent)
    if best.measure in ready:
        best = ask(best.measure, known_fitted=fitted[best.measure]) or best
    other = ask(best.measure, unprotected={}, known_fitted=None, backwards=True)
    homes = [_in_homes(original, one.chances) for one in (best, other) if one is not None and one.chances is not None]
    best = replace(
        best,
        original=max(one.original for one in found),
        homes=max((percent for percent in homes if percent is not None), default=None),
    )
    if other is None:
        return best
    if other.percent <= best.percent:
        return replace(best, other=other.percent)
    return replace(other, original=best.original, other=best.percent, homes=best.homes)


def _in_homes(original: Table, chances: Numbers) -> float | None:
    """Return the people of whose household at least one member is expected to be found, in per cent."""
    # Members are taken as independent, as the household risk of `evosdc risk` does.
    if not original.schema.with_role(Role.HOUSEHOLD):
        return None
    home = households_of(original).of
    with np.errstate(divide="ignore"):
        nobody = np.exp(np.bincount(home, weights=np.log1p(-chances)))
    return 100.0 * float((1.0 - nobody)[home].mean())


def _found(
    name: str,
    sides: tuple[Table, Table],
    known: tuple[str, ...],
    registry: Registry,
    params: Mapping[str, Mapping[str, Any]],
    known_fitted: Fitted | None,
    unprotected: Mapping[str, float],
    backwards: bool = False,
) -> Found | None:
    """Return the result of the intruder of a measure; None where it cannot read the files."""
    # Backwards the two files change places: the masked one is what everybody's own record is looked for in.
    original, masked = sides
    (whole, searched) = (masked, original.select(known)) if backwards else (original, masked)
    try:
        measure = registry.build("measure", name, dict(params.get(name, {})))
        measure.require_support(original.select(known), f"measure {name}")
        fitted = known_fitted if known_fitted is not None else measure.fit_in(Microdata(whole, known))
        percent, shares = _judged(fitted, searched)
        own = unprotected.get(name, float("nan"))
        if name not in unprotected and not backwards:
            own = float(fitted.score(original.select(known)))
    except InputError:
        return None
    chances = None if shares is None else np.clip(shares * len(masked) / 100.0, 0.0, 1.0)
    return Found(name, percent, own, len(masked), known, chances, backwards)


def _judged(fitted: Fitted, masked: Table) -> tuple[float, Numbers | None]:
    """Return the score of a table and each record's contribution."""
    tracker = fitted.track(masked)
    return tracker.score, tracker.contributions()
