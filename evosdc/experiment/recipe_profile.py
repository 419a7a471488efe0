"""The file that a recipe was made for, rounded so that it discloses nobody, and how far another file is from it."""

from collections.abc import Iterator, Sequence
from math import floor, log10, sqrt
from typing import NamedTuple

import numpy as np

from evosdc.errors import DataError, Fault
from evosdc.experiment.experiment import AttributeProfile, MadeFor
from evosdc.table.numerals import numbers
from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import MISSING, Numbers, Table

LEAST_PEOPLE = 10  # frequencies are rounded to steps of at least this many records, and of at least one per cent
FEWEST = 50  # smallest file in which numbers get deciles
MOST_CATEGORIES = 20  # more ordered categories that are numbers, such as ages, are taken for numbers
LIKE = 5.0  # per cent of the records that may be elsewhere without a word, besides what sampling explains
UNLIKE = 25.0  # per cent of the records elsewhere from which on a recipe is refused without --unlike


class Difference(NamedTuple):
    """How far an attribute of a file is from the one that a recipe was made for."""

    # `percent` of the records are in other categories or bands; `expected` of them by sampling alone, about. `new`
    # categories that are not rare here are not in the recipe, with `new_percent` of the records.

    attribute: str
    percent: float
    expected: float

    new: int = 0
    new_percent: float = 0.0
    of: str = "categories"

    @property
    def notable(self) -> bool:
        """Whether it is more than sampling explains, and more than a little."""
        return self.percent > LIKE + 2.0 * self.expected

    @property
    def tells(self) -> bool:
        """Whether the files are large enough that a difference would be seen."""
        return LIKE + 2.0 * self.expected < UNLIKE

    def sentences(self) -> Iterator[str]:
        """Yield warnings on the attribute; usually none."""
        if self.notable:
            yield (
                f"{self.attribute}: {self.percent:.0f} % of the records are in other {self.of} than in the file that "
                f"the recipe was made for; sampling explains about {self.expected:.0f} %"
            )
        elif not self.tells:
            yield (
                f"{self.attribute}: too few records, or too many categories, to see whether they are like those of "
                "the file that the recipe was made for"
            )
        if self.new:
            yield (
                f"{self.attribute}: {self.new} {'category' if self.new == 1 else 'categories'} with "
                f"{self.new_percent:.0f} % of the records not known to the recipe"
            )


def made_for(table: Table, protect: Sequence[str]) -> MadeFor:
    """Return the profile of a recipe's file: scales, and rounded frequencies or deciles."""
    profiles = {name: _profile(table, table.schema[name]) for name in protect}
    return MadeFor(records=len(table), protect=tuple(protect), attributes=profiles)


def _profile(table: Table, attribute: Attribute) -> AttributeProfile:
    n = len(table)
    known = _numbers(table, attribute)
    if known is not None and (len(known) >= FEWEST or not attribute.categorical):
        deciles = () if len(known) < FEWEST else _rounded(np.quantile(known, np.arange(1, 10) / 10))
        return AttributeProfile(scale=attribute.scale.value, deciles=deciles)
    step = max(1.0, 100.0 * LEAST_PEOPLE / n)
    percent = {label: round(round(share / step) * step, 1) for label, share in _shares(table, attribute).items()}
    kept = {label: share for label, share in percent.items() if share > 0.0}
    return AttributeProfile(scale=attribute.scale.value, percent=kept)


def _numbers(table: Table, attribute: Attribute) -> Numbers | None:
    """Return the present numbers of an attribute: of a numeric one, or of many ordered categories such as ages."""
    column = table.column(attribute.name)
    if not attribute.categorical:
        return np.asarray(column[~np.isnan(column)], dtype=np.float64)
    values = numbers(attribute.categories) if attribute.scale is Scale.ORDINAL else None
    if values is None or len(values) <= MOST_CATEGORIES:
        return None
    present: Numbers = values[column[column != MISSING]]
    return present


def _rounded(deciles: Numbers) -> tuple[float, ...]:
    """Return deciles to two significant digits, of themselves or of their differences, whichever is finer."""
    # Years are so rounded to whole ones, and not to centuries.
    between = float(np.ptp(deciles))
    sizes = ((abs(value), between) for value in deciles.tolist())
    digits = (max((1 - floor(log10(size)) for size in pair if size > 0.0), default=0) for pair in sizes)
    return tuple(float(round(value, places)) for value, places in zip(deciles.tolist(), digits, strict=True))


def require_schema(known: MadeFor, table: Table) -> None:
    """Raise where a file lacks an attribute that a recipe masks or has it on another scale."""
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
    """Return how far each protected attribute of a file is from the file that a recipe was made for."""
    # Of few categories the total variation distance of the rounded frequencies, those together that the recipe does not
    # name since they were rare; of numbers the greatest distance between the shares below the known deciles.
    found = []
    for name, profile in known.attributes.items():
        if name not in table.schema or table.schema[name].scale.value != profile.scale:
            continue
        attribute = table.schema[name]
        present = _numbers(table, attribute)
        if profile.deciles and present is not None:
            found.append(_of_numbers(name, profile, present))
        elif attribute.categorical and not profile.deciles:
            found.append(_of_categories(name, profile, known.records, table))
    return found


def _of_categories(name: str, profile: AttributeProfile, records: int, table: Table) -> Difference:
    now = _shares(table, table.schema[name])
    step = max(1.0, 100.0 * LEAST_PEOPLE / records)
    gaps = [max(abs(share - now.get(label, 0.0)) - step / 2.0, 0.0) for label, share in profile.percent.items()]
    others = {label: share for label, share in now.items() if label not in profile.percent}
    # All that the recipe does not name: rare categories, missing values, and what rounding lost.
    rest_then = 100.0 - sum(profile.percent.values())
    rest_now = 100.0 - sum(now.get(label, 0.0) for label in profile.percent)
    gap = max(abs(rest_now - rest_then) - step / 2.0 * sqrt(len(profile.percent) + 1), 0.0)
    terms = len(profile.percent) + 1 if profile.percent else len(table)
    expected = 100.0 * sqrt(terms / 6.28 * (1.0 / max(len(table), 1) + 1.0 / records))
    new = [share for share in others.values() if share >= 2.0 * step]
    return Difference(name, (sum(gaps) + gap) / 2.0, expected, len(new), sum(new))


def _of_numbers(name: str, profile: AttributeProfile, present: Numbers) -> Difference:
    ascending, many = np.sort(present), max(len(present), 1)
    # Numbers with few values are tied with their deciles: the share at a decile is a span.
    below = np.searchsorted(ascending, profile.deciles, side="left") / many
    upto = np.searchsorted(ascending, profile.deciles, side="right") / many
    shares = np.arange(1, 10) / 10
    gaps = np.maximum(np.maximum(below - shares, shares - upto), 0.0)
    return Difference(name, 100.0 * float(gaps.max()), 100.0 / sqrt(many), of="ranges")


def _shares(table: Table, attribute: Attribute) -> dict[str, float]:
    """Return the per cent of the records by category, of those that occur."""
    column = table.column(attribute.name)
    counts = np.bincount(column[column != MISSING], minlength=len(attribute.categories))
    return {
        label: 100.0 * count / max(len(table), 1)
        for label, count in zip(attribute.categories, counts.tolist(), strict=True)
        if count
    }
