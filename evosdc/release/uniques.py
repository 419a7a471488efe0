"""Records that stand out in a perturbed file: how many of them are the people that they seem to be."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import InputError
from evosdc.model import IntruderView
from evosdc.plugins.registry import Registry
from evosdc.release.intruder import Found, found_by_intruder
from evosdc.release.perturbation import perturbed
from evosdc.release.trust import named
from evosdc.table.alignment import align_codes, restrict_to
from evosdc.table.equivalence import equivalence_classes, ranks
from evosdc.table.table import Table


@dataclass(frozen=True, eq=False)
class Perturbed:
    """What counts of uniques are worth in a file whose values were changed.

    Parameters
    ----------
    told_by : str
        How it is known that the file was perturbed: the name of a file.
    changed : mapping of str to int
        Values that are perturbed (`evosdc.release.perturbation`), by known attribute.
    unique : int
        Records of the file that are like no other one in what the intruder knows.
    unique_unchanged : int
        Records of the file that are like no other one in the known attributes that were not perturbed.
    right : int or None
        Of the unique records, those without any perturbed value; None where there is no original to compare with.
    found : Found or None
        What an informed intruder finds; None likewise.
    publication : mapping or None
        What the run that made the file says of publishing it, where its folder tells.
    """

    told_by: str
    changed: Mapping[str, int] = field(default_factory=dict)
    unique: int = 0
    unique_unchanged: int = 0
    right: int | None = None
    found: Found | None = None
    publication: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        intruder = {k: v for k, v in self.found.to_json().items() if k != "at_risk"} if self.found is not None else None
        return {
            "told_by": self.told_by, "changed": dict(self.changed), "unique_records": self.unique,
            "unique_by_unchanged": self.unique_unchanged, "right": self.right, "at_least_right": self.at_least,
            "intruder": intruder, "verdict": self.verdict,
        }  # fmt: skip

    @property
    def unchanged(self) -> tuple[str, ...]:
        """The known attributes of which nothing was perturbed."""
        return tuple(name for name, count in self.changed.items() if not count)

    @property
    def at_least(self) -> int:
        """How many of the unique records have no perturbed value, at least."""
        return max(0, self.unique - sum(self.changed.values())) if self.right is None else self.right

    @property
    def verdict(self) -> str:
        """What can be said of publishing the file: what its run says, else who says it.

        What uniques suggest counts as far as their values are true.
        """
        if self.publication is not None:
            return _of_run(self.publication)
        said = []
        if self.found is not None:
            said.append(f"An informed intruder is expected to find {self.found.percent:.1f} % of the people.")
        said.append(self._danger or _NOTHING)
        if self.found is None:
            said.append("evosdc judge ORIGINAL FILE tells whether people can be found in it.")
        told = " ".join(said)
        return told[0].lower() + told[1:]

    @property
    def _danger(self) -> str:
        """What true values tell; empty where they need not tell anything."""
        if self.unique_unchanged:
            which = "attribute" if len(self.unchanged) == 1 else "attributes"
            who = "1 respondent stands" if self.unique_unchanged == 1 else f"{self.unique_unchanged} respondents stand"
            return f"{who} out by the {which} {named(self.unchanged)} alone, of which nothing was perturbed. {_DO_NOT}"
        if self.at_least and self.found is None:
            stand = f"{self.at_least} of the {self.unique} records that stand out"
            return f"At least {stand} {'has' if self.at_least == 1 else 'have'} no perturbed value. {_DO_NOT}"
        return ""

    def sentences(self) -> list[str]:
        """Return in plain words that uniques need not be re-identifications, and how many are right where known."""
        changed = ", ".join(f"{name} {count}" for name, count in self.changed.items() if count)
        told = [
            f"This file was perturbed ({changed} values became other known ones; {self.told_by}). Records with such a "
            "value are not re-identifications, though they may be like no other one: it may be another person's."
        ]
        if self.right is not None:
            told.append(f"Of these {self.unique} records, {self.right} have no value that is not their own person's.")
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


_DO_NOT = "Do not release the file as it is unless these attributes are unknown to everybody else."
_NOTHING = "This file was perturbed, so that counts of records that stand out say nothing of publishing it."


def _of_run(told: Mapping[str, Any]) -> str:
    """Return what the run that made a file says of publishing it."""
    found = told.get("intruder")
    reach = f"; an informed intruder is expected to find {found['percent']:.1f} % of the people" if found else ""
    return f"{told.get('headline')}, says the run that made the file{reach}. Its report has the conditions and more."


def against_original(original: Table, view: IntruderView, registry: Registry, told_by: str) -> Perturbed | None:
    """Return what uniques of a published file are worth, by its original; None where no known value was perturbed.

    Parameters
    ----------
    original : Table
        Record r is the same respondent as that of the published file.
    view : IntruderView
        Of the published file. Where its values are coarser, or left out, nothing was perturbed, and counts of uniques
        hold as they are.
    registry : Registry
    told_by : str

    Raises
    ------
    InputError
        Other records in number, or an attribute that the published file lacks.
    """
    names = list(view.quasi_identifiers)
    before = original.select(names)
    published = restrict_to(before, view.table)
    others = {name: perturbed(before, published, name) for name in names}
    if not any(other.any() for other in others.values()):
        return None
    unique = unique_records(view)
    right = int((unique & ~np.any(list(others.values()), axis=0)).sum())
    found = None
    with suppress(InputError):  # intruders read no coarser labels
        found = found_by_intruder(original, align_codes(before, published), names, registry)
    return perturbed_file(told_by, {name: int(other.sum()) for name, other in others.items()}, view, right, found)


def perturbed_file(
    told_by: str,
    changed: Mapping[str, int],
    view: IntruderView,
    right: int | None = None,
    found: Found | None = None,
    publication: Mapping[str, Any] | None = None,
) -> Perturbed:
    """Return what uniques of a file are worth of which it is known how many values of each attribute are perturbed."""
    left = [name for name, count in changed.items() if not count]
    alone = 0
    if left:
        (keys,) = keys_of(view.table.select(left))
        alone = int((np.bincount(keys)[keys] == 1).sum())
    return Perturbed(told_by, changed, int(unique_records(view).sum()), alone, right, found, publication)


def unique_records(view: IntruderView) -> NDArray[np.bool_]:
    """Return which records are like no other one in what the intruder knows, by the view's rule for missing values."""
    unique: NDArray[np.bool_] = view.frequencies[0][view.classes.of] == 1
    return unique


def keys_of(*tables: Table) -> tuple[NDArray[np.intp], ...]:
    """Return a number for each record of tables in one coding, the same for records that are alike throughout."""
    codes = np.concatenate([table.codes for table in tables])
    # Missing numbers are like each other, and unlike anything else.
    places = [ranks(column) for column in np.concatenate([table.numbers for table in tables]).T]
    keys = equivalence_classes(np.column_stack([codes, *places])).of
    ends = np.cumsum([len(table) for table in tables])[:-1]
    return tuple(part.astype(np.intp) for part in np.split(keys, ends))
