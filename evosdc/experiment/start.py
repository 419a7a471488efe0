"""The first candidates: masked files and random genomes, made and evaluated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evosdc.engine.fresh import FIRST_FRESH, FreshScores, summarised
from evosdc.engine.problem import Problem
from evosdc.experiment.masked import masked_by
from evosdc.experiment.model import Start
from evosdc.model import Individual, Masking
from evosdc.registry import Registry
from evosdc.seeds import Purpose, stream


@dataclass(frozen=True)
class StartingFile:
    """A masked file of the portfolio with its scores; `masking` is None for the original itself."""

    label: str
    masking: Masking | None
    individual: Individual


@dataclass(frozen=True)
class StartingPlan:
    """What a search starts from and is compared with, by position: files, then founders, random genomes, comparisons.

    Parameters
    ----------
    maskings : tuple of Masking
        Whose files start the search.
    founders : tuple of Masking
        What the genotype's own initial genomes stand for; empty where they are not used.
    random : int
        How many random genomes there are.
    compared : tuple of Masking
        Whose files are scored only, since the genotype cannot be read off a file.
    """

    maskings: tuple[Masking, ...]
    founders: tuple[Masking, ...]
    random: int
    compared: tuple[Masking, ...]

    @property
    def candidates(self) -> int:
        """How many genomes start the search."""
        return len(self.maskings) + len(self.founders) + self.random

    @property
    def labels(self) -> tuple[str, ...]:
        """A label for each position."""
        labels = [masking.label for masking in (*self.maskings, *self.founders)] + ["random"] * self.random
        return (*labels, *(masking.label for masking in self.compared))

    @property
    def listed(self) -> tuple[tuple[Masking, int], ...]:
        """What the report lists, all but random genomes, with their positions."""
        positions = [*range(self.candidates - self.random), *range(self.candidates, len(self.labels))]
        return tuple(zip((*self.maskings, *self.founders, *self.compared), positions, strict=True))


def starting_plan(problem: Problem, maskings: tuple[Masking, ...], start: Start) -> StartingPlan:
    """Return what a search starts from; without candidates where the genotype offers no way to start."""
    seedable = problem.genotype.seedable
    wanted = start.initial if start.initial is not None else not seedable and not start.random
    founders = tuple(masking for masking, _ in problem.founders) if wanted else ()
    return StartingPlan(maskings if seedable else (), founders, start.random, () if seedable else maskings)


def starting_individual(
    problem: Problem, plan: StartingPlan, registry: Registry, position: int, seed: int
) -> Individual:
    """Return one starting candidate, or one file for comparison, evaluated. Found by address alone."""
    genotype, label = problem.genotype, plan.labels[position]
    if position < len(plan.maskings):
        rng = stream(seed, Purpose.PORTFOLIO, position)
        return individual_of(
            problem, genotype.seeded(masked_by(plan.maskings[position], genotype.microdata, registry, rng)), label
        )
    founder = position - len(plan.maskings)
    if founder < len(plan.founders):
        return individual_of(problem, problem.founders[founder][1], label)
    if position < plan.candidates:
        return individual_of(problem, genotype.random(problem.streams.initial(position)), label)
    draws = [_masking_scores(problem, plan, registry, position, seed, draw) for draw in range(genotype.draws)]
    means = {name: sum(scores[name] for scores in draws) / len(draws) for name in problem.measures}
    return Individual(None, b"", *problem.judge(means), label)


def fresh_masking_scores(
    problem: Problem, plan: StartingPlan, registry: Registry, position: int, draws: int
) -> FreshScores:
    """Judge a method of the comparison on files that it masks anew, `draws` of them."""
    seed = problem.streams.seed
    return summarised(
        problem,
        [_masking_scores(problem, plan, registry, position, seed, FIRST_FRESH + draw) for draw in range(draws)],
    )


def _masking_scores(
    problem: Problem, plan: StartingPlan, registry: Registry, position: int, seed: int, draw: int
) -> dict[str, float]:
    masking = plan.compared[position - plan.candidates]
    rng = stream(seed, Purpose.PORTFOLIO, position, draw)
    masked = masked_by(masking, problem.genotype.microdata, registry, rng)
    return {name: fitted.score(masked) for name, fitted in problem.measures.items()}


def individual_of(problem: Problem, genome: Any, origin: str) -> Individual:
    """Return an evaluated individual."""
    key = problem.genotype.key(genome)
    evaluation = problem.evaluate(genome, key)
    return Individual(genome, key, evaluation.scores, evaluation.objectives, origin)
