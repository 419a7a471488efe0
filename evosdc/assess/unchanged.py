"""Columns that are published as they are: why that may be dangerous, in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evosdc.assess.utility import named, shown
from evosdc.table.determination import Determination
from evosdc.table.schema import Role
from evosdc.table.table import Table

SINGLING = 5.0
"""Per cent of records with a value of their own from which a column is told to single people out."""

ALIKE = "all records have the same in it, so that it tells nobody apart"

_REASONS: Mapping[Role, str] = {
    Role.IDENTIFIER: "it names the person",
    Role.QUASI_IDENTIFIER: "an intruder may know it, and find people by it whatever else was changed",
    Role.SENSITIVE: "it is what an intruder wants to learn: whoever is found, it is told of them",
    Role.WEIGHT: "weights often tell the region or stratum that a record was sampled from",
    Role.HOUSEHOLD: "it ties the members of a household together: who finds one finds all",
    Role.STRATUM: "it tells the stratum that a record was sampled from",
    Role.OTHER: "harmless only as long as no intruder can know it",
}


@dataclass(frozen=True)
class Unchanged:
    """A column that is published as it is.

    Parameters
    ----------
    attribute : str
    role : str
    distinct : int
        Different values.
    single : float
        Records whose value nobody else has, in per cent.
    why : str
    dangerous : bool
        Whether an intruder who knows it finds people, by its role or its values.
    """

    attribute: str
    role: str
    distinct: int
    single: float
    why: str
    dangerous: bool

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "attribute": self.attribute, "role": self.role, "distinct": self.distinct, "single": self.single,
            "why": self.why, "dangerous": self.dangerous,
        }  # fmt: skip


def unchanged_columns(
    table: Table,
    protect: Sequence[str],
    dropped: Sequence[str] = (),
    changed: Mapping[str, int] | None = None,
    given_away: Sequence[Determination] = (),
) -> tuple[Unchanged, ...]:
    """Return the columns that are published as they are, those that single people out first.

    Parameters
    ----------
    table : Table
        The original, all attributes.
    protect : sequence of str
        The masked attributes.
    dropped : sequence of str
        Columns left out of the published file.
    changed : mapping of str to int, optional
        Values changed in each masked attribute: one without any is published as it is, too.
    given_away : sequence of Determination
        Masked attributes that follow from others.
    """
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
        reasons = [
            _REASONS.get(attribute.role, _REASONS[Role.OTHER])
            if name not in protect
            else "it was to be masked, and no value was changed"
        ]
        if single >= SINGLING:
            reasons.append(f"{single:.0f} % of the records have a value that no other one has")
        reasons += [f"{d.masked} can be read off it" for d in given_away if d.by == name]
        known = name in protect or attribute.role in (Role.IDENTIFIER, Role.QUASI_IDENTIFIER)
        dangerous = known or (single >= SINGLING and attribute.role is Role.OTHER) or len(reasons) > 2
        found.append(Unchanged(name, str(attribute.role), distinct, single, "; ".join(reasons), dangerous))
    return tuple(sorted(found, key=lambda column: (not column.dangerous, -column.single)))


def _spread(table: Table, name: str) -> tuple[int, float, bool]:
    """Return the different values, the records with one of their own in per cent, and whether all records are alike."""
    column = table.column(name)
    known = column[column >= 0] if table.schema[name].categorical else column[~np.isnan(column)]
    counts = np.unique(known, return_counts=True)[1]
    alike = len(counts) + (len(known) < len(column)) < 2
    return len(counts), 100.0 * float((counts == 1).sum()) / max(len(column), 1), alike


def together_words(told: Mapping[str, Any]) -> str:
    """Return how many people are unique by unchanged columns, are found by these alone, and with masked ones.

    Parameters
    ----------
    told : mapping
        Of `evosdc.assess.background.Together.to_json`.
    """
    columns = _names(told, "columns")
    masked, alone, found = _names(told, "masked"), told["alone_percent"], told["found_percent"]
    by = "it alone" if len(columns) == 1 else "them alone, and nothing that was masked,"
    unique = f"{shown(told['unique_percent'])} % of the people have values in {_them(columns)} that nobody else has."
    by_these = f"Who knows {by} is expected to find {shown(alone)} % of the people."
    if not masked or shown(alone) == shown(found):
        return f"{by_these} {unique}"
    besides = f"{_them(columns)}, the masked {_columns(masked)} {named(masked)}, and how {_they(masked)} masked,"
    # What most people are found by comes first: it is why this is a condition.
    most = f"Who knows {besides} is expected to find {shown(found)} % of the people{estimated(told)}."
    return f"{most} {by_these} {unique}"


def estimated(told: Mapping[str, Any]) -> str:
    """Return that a share was not counted but estimated, and from how many records; empty where it was counted."""
    asked = told.get("asked")
    return f" (estimated from {asked:,} records)" if asked else ""


def known_words(told: Mapping[str, Any], bound: float, allowed: str) -> str:
    """Return that quasi-identifiers are published unchanged, and how many people are found with them."""
    known, masked = _names(told, "known"), _names(told, "masked")
    be = "is" if len(known) == 1 else "are"
    follows = dict(told.get("derived") or {})
    why = "".join(f" {name} follows from {by}." for name, by in follows.items())
    meant = _names(told, "meant")
    own = [name for name in known if name not in follows and name not in meant]
    role = (
        f"; where no intruder can know {_them(own)}, say another role than "
        f"{'it has' if len(own) == 1 else 'they have'} in the schema"
        if own
        else ", or leave it out"
        if len(known) - len(meant) == 1
        else ", or leave them out"
    )
    besides = f" besides {named(masked)}, which {'was' if len(masked) == 1 else 'were'} masked," if masked else ""
    advice = f" Protect {_them(others)} as well{role}." if (others := [n for n in known if n not in meant]) else ""
    if meant:
        was = (
            "was to be masked and came out unchanged" if len(meant) == 1 else "were to be masked and came out unchanged"
        )
        advice = f" {named(meant)} {was}: search for longer, or choose methods that change {_them(meant)}.{advice}"
    return (
        f"{named(known)} {be} published unchanged, and an intruder is taken to know {_them(known)}: whoever knows "
        f"{_them(known)}{besides} is expected to find {shown(told['known_percent'])} % of the people"
        f"{estimated(told)}, above the {bound:g} % {allowed}.{why}{advice}"
    )


def further_words(told: Mapping[str, Any], bound: float) -> str:
    """Return whom an intruder finds who knows what columns of the file tell of people besides what was masked.

    Parameters
    ----------
    told : mapping
        Of `evosdc.assess.background.Further.to_json`.
    bound : float
        Per cent of the people that an intruder may be expected to find.
    """
    names, percent = _names(told, "columns"), told["percent"]
    be = "is" if len(names) == 1 else "are"
    published = f"The {_columns(names)} {named(names)} {be} published as {'it is' if len(names) == 1 else 'they are'}"
    if percent is None:
        found = f"{published}: how many people are found by whoever knows {told['knows']}"
        return f"{found} could not be measured. Make sure that nobody can know them."
    found = (
        f"{published}: whoever knows {told['knows']} is expected to find {shown(percent)} % of the people, by "
        f"{told['measure']}"
    )
    return f"{found}. Make sure that nobody can know them." if percent > bound else f"{found}, within {bound:g} %."


def unknown(told: Mapping[str, Any]) -> list[str]:
    """Return the unchanged columns that an intruder is taken not to know: roles other, sensitive, stratum."""
    known = _names(told, "known")
    return [name for name in _names(told, "columns") if name not in known]


def uncounted_words(told: Mapping[str, Any]) -> str:
    """Return which unchanged columns are not counted; empty where all are."""
    names = _names(told, "uncounted")
    be = "is" if len(names) == 1 else "are"
    return f" Not counted {be} {named(names)} (weights, households)." if names else ""


def _names(told: Mapping[str, Any], key: str) -> list[str]:
    return [str(name) for name in told.get(key) or ()]


def _them(names: list[str]) -> str:
    return "it" if len(names) == 1 else "them"


def _they(names: list[str]) -> str:
    return "it was" if len(names) == 1 else "they were"


def _columns(names: list[str]) -> str:
    return "column" if len(names) == 1 else "columns"
