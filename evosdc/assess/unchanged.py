"""Columns that are published as they are, and why that may be dangerous."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evosdc.table.dependence import Determination
from evosdc.table.schema import Role
from evosdc.table.table import Table

SINGLING = 5.0
"""Per cent of records with a value of their own from which a column singles people out."""

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
