"""Records that stand out in a perturbed file: how many of them are the people that they seem to be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import InputError
from evosdc.plugins.registry import Registry
from evosdc.release.intruder import Found, found_by_intruder
from evosdc.table.alignment import align_codes
from evosdc.table.table import Table


@dataclass(frozen=True, eq=False)
class Perturbed:
    """What counts of uniques are worth in a file whose values were changed.

    Parameters
    ----------
    told_by : str
        How it is known that the file was perturbed: the name of a file.
    changed : mapping of str to int
        Values that differ from the original, by attribute.
    unique : int
        Records of the file that are like no other one in what the intruder knows.
    right : int or None
        Of these, those that carry all the values of their own person; None where there is no original to compare with.
    found : Found or None
        What an informed intruder finds; None likewise.
    publication : mapping or None
        What the run that made the file says of publishing it, where its folder tells.
    """

    told_by: str
    changed: Mapping[str, int] = field(default_factory=dict)
    unique: int = 0
    right: int | None = None
    found: Found | None = None
    publication: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        intruder = {k: v for k, v in self.found.to_json().items() if k != "at_risk"} if self.found is not None else None
        return {
            "told_by": self.told_by, "changed": dict(self.changed), "unique_records": self.unique,
            "right": self.right, "intruder": intruder, "verdict": self.verdict,
        }  # fmt: skip

    @property
    def verdict(self) -> str:
        """What can be said of publishing the file: what its run says, else who says it; never what uniques suggest."""
        told = self.publication
        if told is None:
            return (
                "this file was perturbed, so that counts of records that stand out say nothing of publishing it. "
                "evosdc judge ORIGINAL FILE tells whether people can be found in it."
            )
        found = told.get("intruder")
        reach = f"; an informed intruder is expected to find {found['percent']:.1f} % of the people" if found else ""
        return (
            f"{told.get('headline')}, says the run that made the file{reach}. Its report has the conditions and more."
        )

    def sentences(self) -> list[str]:
        """Return in plain words that uniques are not re-identifications, and how many are right where that is known."""
        changed = ", ".join(f"{name} {count}" for name, count in self.changed.items() if count)
        told = [
            f"This file was perturbed ({changed} values changed; {self.told_by}). Its {self.unique} records that are "
            "like no other one are not re-identifications: their values need not be those of the person that they "
            "seem to be."
        ]
        if self.right is not None:
            told.append(f"Of these {self.unique} records, {self.right} carry all the known values of their own person.")
        if self.found is not None:
            turned = " turned round" if self.found.backwards else ""
            told.append(
                f"An informed intruder is expected to find {self.found.expected:.0f} of {self.found.records} people "
                f"({self.found.percent:.2f} %, by {self.found.measure}{turned}); in the original "
                f"{self.found.original * self.found.records / 100.0:.0f}."
            )
        elif self.right is None:
            told.append("With --original FILE it is counted how many are right, and what an informed intruder finds.")
        return told


def against_original(
    original: Table, published: Table, known: Sequence[str], registry: Registry, told_by: str
) -> Perturbed | None:
    """Return what uniques of a published file are worth, by its original; None where no known value was changed.

    Parameters
    ----------
    original, published : Table
        Record r of both is the same respondent. Labels of the published file may be coarser: then nothing was
        perturbed, but generalised, and counts of uniques hold as they are.
    known : sequence of str
        What the intruder knows.
    registry : Registry
    told_by : str

    Raises
    ------
    InputError
        Other records in number, or an attribute that the published file lacks.
    """
    names = list(known)
    if len(original) == len(published) and _coarser(original, published, names):
        return None
    masked = align_codes(original.select(names), published)
    before, after = keys_of(original.select(names), masked)
    changed = {name: _differing(original, masked, name) for name in names}
    if not any(changed.values()):
        return None
    unique = np.bincount(after)[after] == 1
    right = int((unique & (before == after)).sum())
    found = found_by_intruder(original, masked, names, registry)
    return Perturbed(told_by, changed, int(unique.sum()), right, found)


def unique_records(table: Table, names: Sequence[str]) -> int:
    """Return how many records are like no other one in some attributes."""
    (keys,) = keys_of(table.select(names))
    return int((np.bincount(keys)[keys] == 1).sum())


def keys_of(*tables: Table) -> tuple[NDArray[np.intp], ...]:
    """Return a number for each record of tables in one coding, the same for records that are alike throughout."""
    rows = np.concatenate([np.column_stack([table.codes.astype(np.float64), table.numbers]) for table in tables])
    # Missing numbers are like each other, and unlike anything else.
    rows = np.where(np.isnan(rows), np.inf, rows)
    keys = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
    ends = np.cumsum([len(table) for table in tables])[:-1]
    return tuple(part.astype(np.intp) for part in np.split(keys, ends))


def _coarser(original: Table, published: Table, names: Sequence[str]) -> bool:
    """Whether some attribute is published under labels that the original does not have."""
    try:
        align_codes(original.select(list(names)), published)
    except InputError:
        return any(
            name in published.schema and set(published.schema[name].categories) - set(original.schema[name].categories)
            for name in names
        )
    return False


def _differing(original: Table, masked: Table, name: str) -> int:
    first, second = original.column(name), masked.column(name)
    if original.schema[name].categorical:
        return int((first != second).sum())
    return int((~((first == second) | (np.isnan(first) & np.isnan(second)))).sum())
