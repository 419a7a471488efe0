"""The recipe that a run leaves, where its genotype is made of masking methods."""

from collections.abc import Mapping
from dataclasses import replace

from evosdc._version import __version__
from evosdc.engine.problem import Problem
from evosdc.experiment.build.assembly import Assembly
from evosdc.experiment.config.recipe_file import Recipe, RecipeStep, recipe_text
from evosdc.experiment.config.resolution import resolve
from evosdc.experiment.recipe.contributions import MeanScores, contributions, mean_scores
from evosdc.experiment.recipe.profile import made_for
from evosdc.files.atomic import write_text
from evosdc.model import Composed, Individual, Masking
from evosdc.runs.layout import RECIPE, RunFolder
from evosdc.secret import public

JUDGED = ("genotype", "measures", "fitness", "constraints", "structural_zeros")
"""Keys of an experiment that say how a recipe was judged."""


def recipe_of(
    assembly: Assembly, masking: Masking, mean: MeanScores | None = None, until: float | None = None
) -> Recipe:
    """Return a plan as a recipe: its scores in the mean over several files, and those without each step.

    Parameters
    ----------
    assembly : Assembly
    masking : Masking
        The plan.
    mean : MeanScores, optional
        Of the plan, where they are known.
    until : float, optional
        As of `mean_scores`.
    """
    problem, registry, seed = assembly.problem, assembly.registry, assembly.seed
    steps = [_in_order(step) for step in masking.steps]
    if mean is None:
        mean = mean_scores(problem, registry, steps, seed, until=until)
    scores, draws = ({}, 1) if mean is None else mean
    original = mean_scores(problem, registry, [], seed)
    # With the defaults of today: a later version's may be others, and a run that was resumed has them filled in.
    experiment = resolve(assembly.experiment, registry, assembly.microdata.protect, assembly.experiment.start)
    document = experiment.model_dump(mode="json", by_alias=True, exclude_none=True)
    return Recipe(
        format=1,
        title=assembly.experiment.heading,
        evosdc=__version__,
        seed=public(seed),
        draws=draws,
        scores=_shown(scores, problem),
        original=_shown({} if original is None else original.scores, problem),
        steps=tuple(
            RecipeStep(
                words=step.label,
                method=step.method,
                params=dict(step.params),
                attributes=step.attributes,
                by=step.by,
                without=_shown(without or {}, problem),
            )
            for step, without in zip(steps, contributions(problem, registry, steps, seed, until), strict=True)
        ),
        judged={key: document[key] for key in JUDGED if document.get(key)},
        made_for=made_for(assembly.source.table, assembly.microdata.protect),
    )


def write_recipe(folder: RunFolder, assembly: Assembly, best: Individual) -> Recipe | None:
    """Write ``recipe.toml`` of a run's solution, and return what it holds; None where plans are not what it evolves."""
    genotype = assembly.problem.genotype
    if not isinstance(genotype, Composed):
        return None
    recipe = recipe_of(assembly, genotype.masking(best.genome))
    write_text(folder.file(RECIPE), recipe_text(recipe))
    return recipe


def _in_order(step: Masking) -> Masking:
    """Return a step with its parameters in the order in which TOML has them, tables last: its words depend on it."""
    return replace(step, params=dict(sorted(step.params.items(), key=lambda pair: isinstance(pair[1], Mapping))))


def _shown(scores: dict[str, float], problem: Problem) -> dict[str, float]:
    """Return rounded scores; the first of several objectives is no score of the whole."""
    single = problem.fitness.objectives == 1
    return {name: round(value, 4) for name, value in scores.items() if single or name != "score"}
