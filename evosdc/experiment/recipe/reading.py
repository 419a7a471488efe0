"""Reading recipes that are to be carried out or explained: everything that they name has to be there."""

from dataclasses import replace
from pathlib import Path

from evosdc.errors import ExperimentError, Fault, FaultCollector, InputError, did_you_mean
from evosdc.experiment.build.assembly import check_names
from evosdc.experiment.config.experiment import Experiment
from evosdc.experiment.config.recipe_file import Recipe, RecipeStep, read_recipe
from evosdc.model.parameters import parse_parameters
from evosdc.plugins.registry import Registry


def usable_recipe(path: Path, registry: Registry) -> Recipe:
    """Read a recipe whose methods, attributes and measures are known.

    Raises
    ------
    InputError
        The file cannot be read, is no recipe, or names what is not there; each fault with the file and the step.
    """
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
