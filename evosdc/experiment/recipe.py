"""A recipe: masking steps for further files, and a rounded profile of the file that it was made for."""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from math import floor, log10, sqrt
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import tomli_w
from pydantic import Field

from evosdc.errors import DataError, ExperimentError, Fault, FaultCollector
from evosdc.experiment.experiment import AttributeProfile, MadeFor, Start
from evosdc.experiment.maskings import MaskingEntry
from evosdc.files.encoding import read_text
from evosdc.model import Masking, Parameters
from evosdc.model.parameters import parse_parameters
from evosdc.table.numerals import numbers
from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import MISSING, Numbers, Table

HEAD = """# A protection plan. `evosdc apply` carries it out on a file like the one that it was made for, and
# `evosdc explain` says what each step contributes. Frequencies are rounded, and no record stands here.
# Keep it apart from the protected file all the same: it tells how records were masked.
"""


class RecipeStep(Parameters):
    """One step: a masking method, and what the file would score without it."""

    words: str = Field("", description="the step in words")
    method: str
    params: dict[str, Any] = Field(default_factory=dict)
    attributes: tuple[str, ...] = Field((), description="what it masks; default: all protected attributes")
    by: tuple[str, ...] = Field((), description="attributes that form strata")
    without: dict[str, float] = Field(default_factory=dict, description="scores of the recipe without this step")

    @property
    def masking(self) -> Masking:
        """The step as an entry of a portfolio."""
        return Masking(self.method, self.params, self.attributes, self.by)


class Recipe(Parameters):
    """A recipe: steps in their order, what they scored, how that was judged, and what file they were made for."""

    format: Literal[1] = Field(description="version of this format")
    title: str = ""
    evosdc: str = Field("", description="the version that wrote it")
    seed: int | None = Field(None, ge=0, description="the public seed of a study; of a secret key nothing is told")
    draws: int = Field(1, ge=1, description="files that `scores` are means over")
    scores: dict[str, float] = Field(default_factory=dict, description="of the recipe, by measure")
    original: dict[str, float] = Field(default_factory=dict, description="of the file without protection")
    steps: tuple[RecipeStep, ...] = Field(min_length=1)
    judged: dict[str, Any] = Field(
        default_factory=dict, description="keys of an experiment: genotype, measures, fitness, constraints"
    )
    made_for: MadeFor
    digest: str = Field("", description="of all the rest as it was written, so that an edit is noticed")

    @property
    def content(self) -> str:
        """The digest of the recipe as it is, whatever it says itself."""
        document = self.model_dump(mode="json", exclude={"digest"})
        return sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def edited(self) -> bool:
        """Whether it was changed since it was written, or is written by hand."""
        return self.digest != self.content

    @property
    def entry(self) -> MaskingEntry:
        """The whole recipe as an entry of a start."""
        first, *further = [MaskingEntry.of(step.masking) for step in self.steps]
        return first.model_copy(update={"then": tuple(further)})


def read_recipe(path: Path) -> Recipe:
    """Read a recipe file."""
    try:
        document = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        wanted = "a recipe, which is TOML"
        raise ExperimentError(Fault(str(path), f"what is no TOML ({error})", wanted)) from None
    if "format" not in document or "steps" not in document:
        wanted = "a recipe, as a run leaves it that evolves plans"
        advice = "It has the keys format, steps and made_for."
        raise ExperimentError(Fault(str(path), "a TOML file of another kind", wanted, advice))
    return parse_parameters(Recipe, document, str(path))


def recipe_text(recipe: Recipe) -> str:
    """Return a recipe as the text of its file, with the digest of what it holds."""
    written = recipe.model_copy(update={"digest": recipe.content})
    document: Mapping[str, Any] = written.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    return HEAD + tomli_w.dumps({"format": recipe.format, **document})


def with_recipes(start: Start, base: Path) -> Start:
    """Return a start with the plans of its recipe files among its methods."""
    collect, entries = FaultCollector(), []
    for path in start.recipes:
        with collect.step():
            entries.append(read_recipe((base / path.expanduser()).resolve()).entry)
    collect.settle()
    # By keywords: as a text, the key would be the name of a genotype, and the framework names none.
    return start.model_copy(update=dict(methods=(*start.methods, *entries), recipes=()))  # noqa: C408


LEAST_PEOPLE = 10  # frequencies are rounded to steps of at least so many records, and whole per cents at least
FEWEST = 50  # numbers get deciles in files of at least so many records
MOST_CATEGORIES = 20  # more ordered categories that are numbers, such as ages, are taken for numbers
LIKE = 5.0  # per cent of the records that may be elsewhere without a word, besides what sampling explains
UNLIKE = 25.0  # per cent of the records elsewhere from which on a recipe is not carried out unless it is asked for


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
        """Yield what a user has to know of the attribute; usually nothing."""
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
    """Return what a recipe says of the file that it was made for: scales, and rounded frequencies or deciles."""
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
    """Return deciles to two significant digits, of themselves or of what lies between them, whichever is finer."""
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
