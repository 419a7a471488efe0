"""The first candidates: masked files and random genomes, made and evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from evosdc.calls.masking import masked_by
from evosdc.engine.failures import RAISE, ErrorRule, evaluate_or_penalise
from evosdc.engine.fresh import FIRST_FRESH, FreshScores, summarised
from evosdc.engine.problem import Problem
from evosdc.errors import ExperimentError, Fault
from evosdc.experiment.config.experiment import Start
from evosdc.model import Individual, Masking, Microdata, Seedable
from evosdc.plugins.registry import Registry
from evosdc.seeds import Purpose, stream
from evosdc.table.table import Table


@dataclass(frozen=True)
class StartingFile:
    """A masked file of the portfolio with its scores; `masking` is None for the original itself.

    `left_out` says that it was one of the best, which the experiment takes from the start.
    """

    label: str
    masking: Masking | None
    individual: Individual
    left_out: bool = False


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
    files : tuple of Table
        What the last of `maskings`, or of `compared`, stand for: masked files that were read and not made.
    without_best : float
        Per cent of `maskings`, the best by the fitness, that are left out once they are judged.
    tuned : bool
        Whether methods at their best parameters join before anything is made; then the plan is made anew.
    """

    maskings: tuple[Masking, ...]
    founders: tuple[Masking, ...]
    random: int
    compared: tuple[Masking, ...]
    files: tuple[Table, ...] = ()
    without_best: float = 0.0
    tuned: bool = False

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

    def left_out(self, individuals: Sequence[Individual]) -> frozenset[int]:
        """Return the positions of the starting files to leave out: the best `without_best` per cent, rounded up.

        Of equal files the first count as better. Something to start from always stays.

        Parameters
        ----------
        individuals : sequence of Individual
            By position, as far as they were evaluated.
        """
        files = range(min(len(self.maskings), len(individuals)))
        count = ceil(self.without_best * len(files) / 100.0)
        staying = min(self.candidates, len(individuals)) - 1
        return frozenset(sorted(files, key=lambda position: individuals[position].precedence)[: min(count, staying)])


def starting_plan(
    problem: Problem, maskings: tuple[Masking, ...], start: Start, files: tuple[Table, ...] = ()
) -> StartingPlan:
    """Return what a search starts from; without candidates where the genotype offers no way to start.

    Parameters
    ----------
    problem : Problem
    maskings : tuple of Masking
        Methods first, then an entry for each of `files`.
    start : Start
    files : tuple of Table
        Masked files that were read, the protected attributes in the original's coding.

    Raises
    ------
    ExperimentError
        The best files are to be left out, but files do not start a search of this genotype.
    """
    seedable = isinstance(problem.genotype, Seedable)
    wanted = start.initial if start.initial is not None else not seedable and not start.random
    founders = tuple(masking for masking, _ in problem.initial_genomes) if wanted else ()
    if start.without_best and not seedable:
        possible = "a genotype that masked files start, or without_best = 0"
        advice = "This genotype cannot be read off a file; files are compared with only."
        raise ExperimentError(Fault("start.without_best", f"{start.without_best:g}", possible, advice))
    own, compared = (maskings, ()) if seedable else ((), maskings)
    tuned = start.tuned is not None
    return StartingPlan(own, founders, start.random, compared, files, start.without_best, tuned)


def starting_individual(
    problem: Problem, plan: StartingPlan, registry: Registry, position: int, seed: int, rule: ErrorRule = RAISE
) -> Individual:
    """Return one starting candidate, or one file for comparison, evaluated. Found by address alone.

    The rule is for the evaluation of candidates; a masking method that fails, or the scoring of a file for comparison,
    ends the run.
    """
    genotype, label = problem.genotype, plan.labels[position]
    if position < len(plan.maskings):
        rng = stream(seed, Purpose.PORTFOLIO, position)
        masked = _masked(plan, plan.maskings, position, genotype.microdata, registry, rng)
        assert isinstance(genotype, Seedable), "files start a search of seedable genotypes only"
        return individual_of(problem, genotype.seeded(masked), label, rule)
    founder = position - len(plan.maskings)
    if founder < len(plan.founders):
        return individual_of(problem, problem.initial_genomes[founder][1], label, rule)
    if position < plan.candidates:
        return individual_of(problem, genotype.random(problem.streams.random_genome(position)), label, rule)
    draws = [_masking_scores(problem, plan, registry, position, seed, draw) for draw in range(problem.draws)]
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
    rng = stream(seed, Purpose.PORTFOLIO, position, draw)
    place, microdata = position - plan.candidates, problem.genotype.microdata
    masked = _masked(plan, plan.compared, place, microdata, registry, rng)
    return {name: fitted.score(masked) for name, fitted in problem.measures.items()}


def _masked(
    plan: StartingPlan,
    maskings: tuple[Masking, ...],
    place: int,
    microdata: Microdata,
    registry: Registry,
    rng: np.random.Generator,
) -> Table:
    """Return the file of one of the plan's maskings: made, or one that was read."""
    made = len(maskings) - len(plan.files)
    return masked_by(maskings[place], microdata, registry, rng) if place < made else plan.files[place - made]


def individual_of(problem: Problem, genome: Any, origin: str, rule: ErrorRule = RAISE) -> Individual:
    """Return an evaluated individual."""
    key = problem.genotype.key(genome)
    evaluation = evaluate_or_penalise(rule, problem, genome, lambda related: problem.evaluate(genome, key))
    return Individual(genome, key, evaluation.scores, evaluation.objectives, origin)
