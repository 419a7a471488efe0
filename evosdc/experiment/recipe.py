"""A recipe: masking steps that are applied to further files, as the file ``recipe.toml`` has them."""

import json
import tomllib
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import tomli_w
from pydantic import Field

from evosdc.errors import ExperimentError, Fault, FaultCollector
from evosdc.experiment.experiment import MadeFor, Start
from evosdc.experiment.maskings import MaskingEntry
from evosdc.files.encoding import read_text
from evosdc.model import Masking, Parameters
from evosdc.model.parameters import parse_parameters

HEAD = """# A protection plan. `evosdc apply` carries it out on a file like the one that it was made for, and
# `evosdc explain` says what each step contributes. Frequencies are rounded, and no record stands here.
# Keep it apart from the protected file all the same: it tells how records were masked.
"""


class RecipeStep(Parameters):
    """One step: a masking method, and the file's scores without it."""

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
    seed: int | None = Field(None, ge=0, description="the public seed of a study; nothing of a secret key is stored")
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
        """The digest of the recipe's content, whatever its own digest field says."""
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
    """Return a recipe as the text of its file, with the digest of its content."""
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
