"""Applying a recipe to a file, after comparing it with the file for which it was made."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evosdc.assess.data_check import require_no_split_households
from evosdc.errors import DataError, ExperimentError, Fault, FaultCollector, InputError, did_you_mean
from evosdc.experiment.assembly import check_names
from evosdc.experiment.data import load_data
from evosdc.experiment.experiment import DataSource, Experiment
from evosdc.experiment.reader import located
from evosdc.experiment.recipe import Recipe, RecipeStep, read_recipe
from evosdc.experiment.recipe_profile import UNLIKE, differences, require_schema
from evosdc.files.schema.schema_file import load_schema
from evosdc.model.parameters import parse_parameters
from evosdc.plugins.registry import Registry
from evosdc.runs.layout import RECIPE_SCHEMA
from evosdc.table.table import Table


def usable_recipe(path: Path, registry: Registry) -> Recipe:
    """Read a recipe whose methods, attributes and measures are known."""
    recipe = read_recipe(path)
    faults: list[Fault] = []
    for number, step in enumerate(recipe.steps, 1):
        faults += _of_step(f"{path}: step {number}", step, recipe, registry)
    for name in recipe.made_for.protect:
        if name not in recipe.made_for.attributes:
            wanted = "how each attribute in made_for.protect was distributed"
            faults.append(Fault(f"{path}: made_for.attributes", f"no {name}", wanted))
    try:
        given = {key: value for key, value in recipe.judged.items() if key != "genotype"}
        document = {**given, "data": {"file": "any.csv"}}
        check_names(parse_parameters(Experiment, document, ""), registry)
    except InputError as error:
        faults += [replace(fault, where=f"{path}: judged: {fault.where}") for fault in error.faults]
    if faults:
        raise ExperimentError(faults)
    return recipe


def schema_of_recipe(path: Path, columns: Sequence[str]) -> Path | None:
    """Return the schema that lies beside a recipe, by which a file of the same columns is read; None for others."""
    file = path.parent / RECIPE_SCHEMA
    return file if file.is_file() and set(load_schema(file).attributes) == set(columns) else None


def _of_step(where: str, step: RecipeStep, recipe: Recipe, registry: Registry) -> list[Fault]:
    collect = FaultCollector()
    with collect.step():
        registry.build("masking-method", step.method, step.params)
    faults = [replace(fault, where=f"{where}: {fault.where}") for fault in collect.faults]
    known = recipe.made_for.protect
    return faults + [
        Fault(f"{where}: attributes", repr(name), f"some of {', '.join(known)}", did_you_mean(name, known))
        for name in step.attributes
        if name not in known
    ]


def application(
    recipe: Recipe, source: Mapping[str, Any], registry: Registry, seed: int | None, unlike: bool = False
) -> Experiment:
    """Return the experiment that carries a recipe out on a file; its result warns where that is unlike the first."""
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
