"""How many people an intruder is expected to find in the published file, and which records are easiest to find."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evosdc.errors import InputError
from evosdc.model import Microdata
from evosdc.plugins.registry import Registry
from evosdc.table.schema import Role
from evosdc.table.table import Numbers, Table

LISTED = 40
"""Records at risk that are listed by position."""

LIKELY = 0.5
"""Chance to be found from which a record is at risk: the intruder is more often right than wrong."""


@dataclass(frozen=True, eq=False)
class Found:
    """What the most successful of the informed intruders reaches.

    Parameters
    ----------
    measure : str
        That says so.
    percent, original : float
        Records expected to be found in the published file, and in the original itself, in per cent.
    records : int
        Of the published file.
    known : tuple of str
        What the intruder knows of everybody.
    chances : ndarray of float64, shape (n,), or None
        For each record the chance to be found, 0..1; None where the measure does not tell.
    """

    measure: str
    percent: float
    original: float
    records: int
    known: tuple[str, ...]
    chances: Numbers | None

    @property
    def expected(self) -> float:
        """How many people are expected to be found."""
        return self.percent * self.records / 100.0

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it, with the positions of the records easiest to find, from 1, and no value."""
        document: dict[str, Any] = {
            "measure": self.measure, "percent": self.percent, "original_percent": self.original,
            "expected": self.expected, "records": self.records, "known": list(self.known),
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


def known_of(table: Table, protect: Sequence[str]) -> tuple[str, ...]:
    """Return what an intruder is taken to know of the masked attributes: all but sensitive ones, where there are."""
    return tuple(n for n in protect if table.schema[n].role is not Role.SENSITIVE) or tuple(protect)


def found_by_intruder(
    original: Table,
    masked: Table,
    protect: Sequence[str],
    registry: Registry,
    params: Mapping[str, Mapping[str, Any]] | None = None,
) -> Found | None:
    """Return what the most successful intruder finds; None where no measure of identity can read the files.

    Parameters
    ----------
    original : Table
        All attributes.
    masked : Table
        The masked ones.
    protect : sequence of str
    registry : Registry
    params : mapping of str to mapping, optional
        Parameters of measures in force.
    """
    known = known_of(original, protect)
    if len(original) == 0:
        return None
    found: list[Found] = []
    for name in registry.defaults("measure", "identity"):
        try:
            measure = registry.build("measure", name, dict((params or {}).get(name, {})))
            measure.require_support(original.select(known), f"measure {name}")
            fitted = measure.fit_in(Microdata(original, known))
            percent = float(fitted.score(masked.select(known)))
            own = float(fitted.score(original.select(known)))
            burdens = fitted.burdens(masked.select(known))
        except InputError:
            continue
        chances = None if burdens is None else np.clip(burdens * len(masked) / 100.0, 0.0, 1.0)
        found.append(Found(name, percent, own, len(masked), known, chances))
    # Of equal ones the one that knows most, which is registered last.
    return max(reversed(found), key=lambda one: one.percent, default=None)
