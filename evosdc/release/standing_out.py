"""Which records of a file stand out, by position and never by value, and by which attributes they do."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evosdc.errors import InputError
from evosdc.model import IntruderView, PrivacyModel
from evosdc.plugins.registry import Registry
from evosdc.release.intruder import Found, found_by_intruder


@dataclass(frozen=True)
class Outstanding:
    """A record that is like no other one.

    Parameters
    ----------
    record : int
        Position in the file, from 1.
    sets : tuple of tuple of str
        The smallest sets of attributes that tell it from all others.
    """

    record: int
    sets: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False)
class StandingOut:
    """The records of a file that stand out.

    Parameters
    ----------
    records : tuple of Outstanding
        Those that fewest attributes give away first.
    found : Found or None
        What an informed intruder finds in the file as it is; None where no measure of identity can read it.
    """

    records: tuple[Outstanding, ...]
    found: Found | None

    def to_json(self, most: int) -> dict[str, Any]:
        """Return counts, and the first records with their sets, as JSON has it."""
        by_size = Counter(len(one.sets[0]) for one in self.records)
        return {
            "records": len(self.records),
            "by_size": {str(size): by_size[size] for size in sorted(by_size)},
            "listed": [{"record": one.record, "sets": list(map(list, one.sets))} for one in self.records[:most]],
            "intruder": None
            if self.found is None
            else {key: value for key, value in self.found.to_json().items() if key != "at_risk"},
        }

    def sentences(self, most: int) -> list[str]:
        """Return the same in plain words."""
        told = []
        if self.found is not None:
            told.append(
                f"An informed intruder is expected to find {self.found.expected:.0f} of {self.found.records} people "
                f"({self.found.percent:.2f} %, by {self.found.measure}) in the file as it is."
            )
        who = (
            "1 record stands out:"
            if len(self.records) == 1
            else (f"{len(self.records)} records stand out; those that fewest attributes give away first:")
        )
        told.append(who if self.records else "No record stands out.")
        for one in self.records[:most]:
            told.append(f"  record {one.record}: alone by {' or by '.join(map(' and '.join, one.sets[:3]))}")
        return told


def standing_out(view: IntruderView, models: Sequence[PrivacyModel], registry: Registry) -> StandingOut:
    """Return the records that privacy models single out, by the fewest attributes that any of them names.

    Parameters
    ----------
    view : IntruderView
    models : sequence of PrivacyModel
    registry : Registry
    """
    merged: dict[int, set[tuple[str, ...]]] = {}
    for model in models:
        if not model.lacking(view):
            for place, sets in model.standing_out(view).items():
                merged.setdefault(place, set()).update(sets)
    records = []
    for place, known_by in merged.items():
        least = min(map(len, known_by))
        records.append(Outstanding(place + 1, tuple(sorted(names for names in known_by if len(names) == least))))
    records.sort(key=lambda one: (len(one.sets[0]), -len(one.sets), one.record))
    known = view.table.select(view.quasi_identifiers)
    try:
        found = found_by_intruder(view.table, known, view.quasi_identifiers, registry)
    except InputError:
        found = None
    return StandingOut(tuple(records), found)
