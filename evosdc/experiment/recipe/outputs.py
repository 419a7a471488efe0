"""The recipe that a run leaves, where its genotype is made of masking methods."""

from evosdc._version import __version__
from evosdc.experiment.build.assembly import Assembly
from evosdc.experiment.config.recipe_file import Recipe, RecipeStep, recipe_text
from evosdc.experiment.recipe.contributions import DRAWS, contributions, mean_scores
from evosdc.experiment.recipe.profile import made_for
from evosdc.files.atomic import write_text
from evosdc.model import Composed, Individual, Masking
from evosdc.runs.layout import RECIPE, RunFolder

JUDGED = ("genotype", "measures", "fitness", "constraints", "structural_zeros")
"""Keys of an experiment that say how a recipe was judged."""


def recipe_of(assembly: Assembly, masking: Masking, scores: dict[str, float] | None = None) -> Recipe:
    """Return a plan as a recipe: its scores in the mean over several files, and those without each step.

    Parameters
    ----------
    assembly : Assembly
    masking : Masking
        The plan.
    scores : dict of str to float, optional
        Of the plan as `mean_scores` gives them, where they are known.
    """
    problem, registry, seed = assembly.problem, assembly.registry, assembly.seed
    steps = list(masking.steps)
    if scores is None:
        scores = mean_scores(problem, registry, steps, seed)
    document = assembly.experiment.model_dump(mode="json", by_alias=True, exclude_none=True)
    return Recipe(
        format=1,
        title=assembly.experiment.heading,
        evosdc=__version__,
        seed=seed,
        draws=DRAWS,
        scores=_rounded(scores or {}),
        original=_rounded(mean_scores(problem, registry, [], seed) or {}),
        steps=tuple(
            RecipeStep(
                words=step.label,
                method=step.method,
                params=dict(step.params),
                attributes=step.attributes,
                by=step.by,
                without=_rounded(without or {}),
            )
            for step, without in zip(steps, contributions(problem, registry, steps, seed), strict=True)
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


def _rounded(scores: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in scores.items()}
