"""Carrying a recipe out on another file: an experiment that makes this one file and judges it as the recipe was."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evosdc.assess.data_check import require_no_split_households
from evosdc.errors import DataError, Fault, did_you_mean
from evosdc.experiment.build.data import load_data
from evosdc.experiment.config.data_source import DataSource
from evosdc.experiment.config.experiment import Experiment
from evosdc.experiment.config.reader import located
from evosdc.experiment.config.recipe_file import Recipe
from evosdc.experiment.recipe.profile import UNLIKE, differences, require_schema
from evosdc.model.parameters import parse_parameters
from evosdc.plugins.registry import Registry
from evosdc.table.table import Table


def application(
    recipe: Recipe, source: Mapping[str, Any], registry: Registry, seed: int | None, unlike: bool = False
) -> Experiment:
    """Return the experiment that carries a recipe out on a file; its result warns where that is unlike the first one.

    Parameters
    ----------
    recipe : Recipe
    source : mapping
        As the key ``data`` of an experiment.
    registry : Registry
    seed : int, optional
        A public seed; by default the run has a secret key.
    unlike : bool
        Whether to go on where the file is another one.

    Raises
    ------
    InputError
        The file lacks attributes or has them on other scales, or would give members of a household different values
        of what they share; or more than a quarter of its records are elsewhere and `unlike` is False.
    """
    protect = recipe.made_for.protect
    given = parse_parameters(DataSource, {**source, "protect": list(protect)}, "data")
    data = load_data(given, registry)
    require_schema(recipe.made_for, data.table)
    _require_strata(recipe, data.table)
    require_no_split_households(data.table, protect)
    far = [one for one in differences(recipe.made_for, data.table) if one.percent > UNLIKE and one.notable]
    if far and not unlike:
        wanted = "a file like the one that the recipe was made for"
        advice = (
            "Evolve a recipe for this file, or carry it out all the same (--unlike; in Python unlike=True); its risk "
            "is stated anew."
        )
        raise DataError([Fault(one.attribute, next(one.sentences()).partition(": ")[2], wanted, advice) for one in far])
    entry = recipe.entry.model_copy(update={"draw": 0})
    # Not the genotype that found it: any file can be judged, whether or not it could have found the recipe here.
    document = {
        **{key: value for key, value in recipe.judged.items() if key != "genotype"},
        "title": f"Recipe on {given.name or (given.file.name if given.file else 'data')}",
        "seed": seed,
        "data": given,
        "start": {"methods": [entry]},
        "stop": {"generations": 0},
        "second_opinion": True,
        "made_for": recipe.made_for,
    }
    return located(Experiment(**document), Path.cwd())


def _require_strata(recipe: Recipe, table: Table) -> None:
    """Raise where a file lacks attributes whose values form the strata of a step."""
    published = [attribute.name for attribute in table.schema.attributes if attribute.role.published]
    faults = [
        Fault(
            f"recipe: step {number}: by", repr(name), f"some of {', '.join(published)}", did_you_mean(name, published)
        )
        for number, step in enumerate(recipe.steps, 1)
        for name in step.by
        if name not in published
    ]
    if faults:
        raise DataError(faults)
