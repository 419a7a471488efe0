"""What each step of a recipe contributes: the scores of the recipe without it."""

from collections.abc import Sequence
from dataclasses import replace
from time import monotonic
from typing import NamedTuple

from evosdc.assess.mask import apply_masking, build_steps, last_step_of
from evosdc.engine.mending import mended
from evosdc.engine.problem import Problem
from evosdc.errors import InputError
from evosdc.model import Masking
from evosdc.plugins.registry import Registry
from evosdc.secret import Purpose, Seed, draw_seed, stream
from evosdc.table.table import Table

DRAWS = 4
"""Files that a recipe is judged on, with each of its steps left out in turn."""


class MeanScores(NamedTuple):
    """Scores of a plan in the mean over files that it makes, and over how many; of one where nothing is random."""

    scores: dict[str, float]
    draws: int


def chain_of(steps: Sequence[Masking]) -> Masking:
    """Return single steps as one entry of a portfolio."""
    first, *further = steps
    return replace(first, then=tuple(further))


def mean_scores(
    problem: Problem,
    registry: Registry,
    steps: Sequence[Masking],
    seed: Seed,
    draws: int = DRAWS,
    until: float | None = None,
) -> MeanScores | None:
    """Return the scores of a plan, in the mean over files that it makes; ``score`` is the fitness's first objective.

    Parameters
    ----------
    until : float, optional
        On the clock of `time.monotonic`: when to be content with the files that there are, at least one.

    Returns
    -------
    MeanScores, or None
        None where a step does not fit what the steps before it made.
    """
    microdata, found = problem.genotype.microdata, list[dict[str, float]]()
    if not steps:
        return _mean([_scored(problem, microdata.original)])
    masking = chain_of(steps)
    try:
        methods = build_steps(masking, registry)
        last = last_step_of(masking, methods, microdata)
        before = None
        for draw in range(draws):
            if found and until is not None and monotonic() >= until:
                break
            rng = stream(draw_seed(seed, draw), Purpose.MASK)
            table = apply_masking(masking, methods, microdata, rng)
            if before is not None and table.same_records(before):
                return _mean(found[:1])  # nothing of it is random
            before = table if draw == 0 else None
            found.append(_scored(problem, mended(problem, table, last).table))
    except InputError:
        return None
    return _mean(found)


def contributions(
    problem: Problem, registry: Registry, steps: Sequence[Masking], seed: Seed, until: float | None = None
) -> list[dict[str, float] | None]:
    """Return by step the scores of the plan without it, as `mean_scores` does."""
    without = [[*steps[:place], *steps[place + 1 :]] for place in range(len(steps))]
    found = [mean_scores(problem, registry, rest, seed, until=until) for rest in without]
    return [None if mean is None else mean.scores for mean in found]


def _scored(problem: Problem, table: Table) -> dict[str, float]:
    scores, objectives = problem.score(table)
    return scores | {"score": objectives[0]}


def _mean(found: Sequence[dict[str, float]]) -> MeanScores:
    return MeanScores({name: sum(one[name] for one in found) / len(found) for name in found[0]}, len(found))
