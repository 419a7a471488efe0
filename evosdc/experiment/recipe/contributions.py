"""What each step of a recipe contributes: the scores of the recipe without it."""

from collections.abc import Sequence
from dataclasses import replace

from evosdc.calls.masking import apply_masking, build_steps
from evosdc.engine.mending import mended
from evosdc.engine.problem import Problem
from evosdc.errors import InputError
from evosdc.model import Masking
from evosdc.plugins.registry import Registry
from evosdc.seeds import Purpose, draw_seed, stream

DRAWS = 4
"""Files that a recipe is judged on, with each of its steps left out in turn."""


def chain_of(steps: Sequence[Masking]) -> Masking:
    """Return single steps as one entry of a portfolio."""
    first, *further = steps
    return replace(first, then=tuple(further))


def mean_scores(
    problem: Problem, registry: Registry, steps: Sequence[Masking], seed: int, draws: int = DRAWS
) -> dict[str, float] | None:
    """Return the scores of a plan, in the mean over files that it makes; ``score`` is the fitness's first objective.

    Returns
    -------
    dict of str to float, or None
        None where a step does not fit what the steps before it made.
    """
    microdata, found = problem.genotype.microdata, list[dict[str, float]]()
    if not steps:
        scores, objectives = problem.score(microdata.original)
        return scores | {"score": objectives[0]}
    masking = chain_of(steps)
    try:
        methods = build_steps(masking, registry)
        before = None
        for draw in range(draws):
            rng = stream(draw_seed(seed, draw), Purpose.MASK)
            table = apply_masking(masking, methods, microdata, rng)
            if before is not None and table.same_records(before):
                return found[0]  # nothing of it is random
            before = table if draw == 0 else None
            scores, objectives = problem.score(mended(problem, table).table)
            found.append(scores | {"score": objectives[0]})
    except InputError:
        return None
    return {name: sum(one[name] for one in found) / len(found) for name in found[0]}


def contributions(
    problem: Problem, registry: Registry, steps: Sequence[Masking], seed: int
) -> list[dict[str, float] | None]:
    """Return by step the scores of the plan without it, in the mean over `DRAWS` files."""
    return [mean_scores(problem, registry, [*steps[:place], *steps[place + 1 :]], seed) for place in range(len(steps))]
