"""The file that a recipe was made for, rounded so that nobody is told of, and how far another file is from it."""

from collections.abc import Sequence
from math import floor, log10, sqrt
from typing import NamedTuple

import numpy as np

from evosdc.errors import DataError, Fault
from evosdc.experiment.config.made_for import AttributeProfile, MadeFor
from evosdc.table.schema import Attribute
from evosdc.table.table import MISSING, Table

LEAST_PEOPLE = 10
"""Frequencies are rounded to steps of at least so many records, and whole per cents at least."""

FEWEST = 50
"""Numbers get deciles in files of at least so many records."""

LIKE = 5.0
"""Per cent of the records that may be elsewhere without a word, besides what sampling explains."""

UNLIKE = 25.0
"""Per cent of the records elsewhere from which on a recipe is not carried out unless it is asked for."""


class Difference(NamedTuple):
    """How far an attribute of a file is from the one that a recipe was made for.

    `percent` of the records are in other categories or bands; `expected` of them by sampling alone, about.
    """

    attribute: str
    percent: float
    expected: float

    @property
    def notable(self) -> bool:
        """Whether it is more than sampling explains, and more than a little."""
        return self.percent > LIKE + 2.0 * self.expected

    def __str__(self) -> str:
        return (
            f"{self.attribute}: {self.percent:.0f} % of the records are in other categories than in the file that the "
            f"recipe was made for; sampling explains about {self.expected:.0f} %"
        )


def made_for(table: Table, protect: Sequence[str]) -> MadeFor:
    """Return what a recipe says of the file that it was made for: scales, and rounded frequencies or deciles.

    Parameters
    ----------
    table : Table
        With all attributes.
    protect : sequence of str
    """
    profiles = {name: _profile(table, table.schema[name]) for name in protect}
    return MadeFor(records=len(table), protect=tuple(protect), attributes=profiles)


def _profile(table: Table, attribute: Attribute) -> AttributeProfile:
    column, n = table.column(attribute.name), len(table)
    if not attribute.categorical:
        known = column[~np.isnan(column)]
        deciles = () if len(known) < FEWEST else tuple(_rounded(q) for q in np.quantile(known, np.arange(1, 10) / 10))
        return AttributeProfile(scale=attribute.scale.value, deciles=deciles)
    step = max(1.0, 100.0 * LEAST_PEOPLE / n)
    percent = {label: round(round(share / step) * step, 1) for label, share in _shares(table, attribute).items()}
    kept = {label: share for label, share in percent.items() if share > 0.0}
    return AttributeProfile(scale=attribute.scale.value, percent=kept)


def _rounded(value: float) -> float:
    """Return a number to two significant digits."""
    return 0.0 if value == 0.0 else float(round(value, 1 - floor(log10(abs(value)))))


def require_schema(known: MadeFor, table: Table) -> None:
    """Raise where a file lacks an attribute that a recipe masks or has it on another scale.

    Raises
    ------
    DataError
        With all such attributes.
    """
    faults = []
    for name, profile in known.attributes.items():
        if name not in table.schema:
            advice = "Rename the column, or evolve a recipe for this file."
            faults.append(Fault(name, "no such attribute", "the attributes that the recipe masks", advice))
        elif table.schema[name].scale.value != profile.scale:
            given, wanted = f"scale {table.schema[name].scale.value}", f"{profile.scale}, as the recipe was made for"
            advice = "Say so in the schema; in a frame ordered categories are ordinal, unordered ones nominal."
            faults.append(Fault(name, given, wanted, advice))
    if faults:
        raise DataError(faults)


def differences(known: MadeFor, table: Table) -> list[Difference]:
    """Return how far each protected attribute of a file is from the file that a recipe was made for.

    Of categories the total variation distance of the rounded frequencies; of numbers the greatest distance between
    the shares below the known deciles.

    Parameters
    ----------
    known : MadeFor
    table : Table
        Attributes that it lacks, or has on another scale, are passed over: `require_schema` tells of them.
    """
    found = []
    for name, profile in known.attributes.items():
        if name not in table.schema or table.schema[name].scale.value != profile.scale:
            continue
        attribute = table.schema[name]
        if not attribute.categorical:
            if profile.deciles:
                found.append(_of_numbers(name, profile, table))
            continue
        now = _shares(table, attribute)
        labels = {*profile.percent, *now}
        rounding = max(1.0, 100.0 * LEAST_PEOPLE / known.records) / 2.0
        gaps = [abs(profile.percent.get(label, 0.0) - now.get(label, 0.0)) for label in labels]
        percent = sum(max(gap - rounding, 0.0) for gap in gaps) / 2.0
        expected = 100.0 * sqrt(len(labels) / 6.28 * (1.0 / len(table) + 1.0 / known.records))
        found.append(Difference(name, percent, expected))
    return found


def _of_numbers(name: str, profile: AttributeProfile, table: Table) -> Difference:
    column = table.column(name)
    numbers = np.sort(column[~np.isnan(column)])
    # Numbers with few values are tied with their deciles: the share at a decile is a span.
    below = np.searchsorted(numbers, profile.deciles, side="left") / max(len(numbers), 1)
    upto = np.searchsorted(numbers, profile.deciles, side="right") / max(len(numbers), 1)
    shares = np.arange(1, 10) / 10
    gaps = np.maximum(np.maximum(below - shares, shares - upto), 0.0)
    return Difference(name, 100.0 * float(gaps.max()), 100.0 / sqrt(max(len(numbers), 1)))


def _shares(table: Table, attribute: Attribute) -> dict[str, float]:
    """Return the per cent of the records by category, of those that occur."""
    column = table.column(attribute.name)
    counts = np.bincount(column[column != MISSING], minlength=len(attribute.categories))
    return {
        label: 100.0 * count / max(len(table), 1)
        for label, count in zip(attribute.categories, counts.tolist(), strict=True)
        if count
    }
