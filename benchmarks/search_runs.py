"""Searches of the benchmark, with the best score that each has had at each moment.

Time is processor time of the search alone, without the starting files, so that other work on the machine does not
count and all algorithms begin at zero with the same files.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from time import process_time
from typing import Any

from evosdc.engine.evaluation import Evaluator
from evosdc.engine.loop import SearchState, first_state, search
from evosdc.engine.problem import Problem
from evosdc.engine.stop import Stop
from evosdc.experiment.assembly import Assembly, assemble
from evosdc.experiment.reader import read_experiment
from evosdc.experiment.start import starting_individuals
from evosdc.model import Fitness, Individual, toolbox_of
from evosdc.plugins.registry import default_registry
from evosdc.secret import Streams

EXPERIMENTS = Path(__file__).parents[1] / "experiments"
FILES = {
    "housing": "housing/cells.toml",
    "german": "german/cells.toml",
    "flare": "flare/cells.toml",
    "adult-1000": "adult/cells-1000.toml",
    "adult": "adult/cells.toml",
}
FITNESSES = ("mean", "max")
ALGORITHMS = ("memetic", "parent-child", "hill-climbing", "random-search", "nsga2")
WARM_UP = 0.3


class OverError(Exception):
    """The time of a search is over."""


@dataclass(frozen=True)
class Job:
    """One search: an experiment of `FILES`, a fitness, an algorithm and its parameters, a seed and a limit."""

    file: str
    fitness: str
    algorithm: str
    seed: int
    seconds: float
    params: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class Curve:
    """What a search had found when: seconds, evaluations and best score at each improvement, and at its end."""

    job: Job
    points: tuple[tuple[float, int, float], ...]

    def best_at(self, moment: float, axis: int) -> float:
        """Return the best score after some seconds (axis 0) or evaluations (axis 1)."""
        place = bisect_right([point[axis] for point in self.points], moment)
        return self.points[max(place - 1, 0)][2]


@lru_cache(maxsize=1)
def started(file: str, portfolio: int | None = None) -> tuple[Assembly, list[Individual]]:
    """Return an experiment ready to run, and its starting files with their scores (the first `portfolio`, or all)."""
    assembly = assemble(read_experiment(EXPERIMENTS / FILES[file]), default_registry())
    if portfolio is not None:
        maskings = assembly.plan.maskings[:portfolio]
        assembly = replace(assembly, plan=replace(assembly.plan, maskings=maskings))
    return assembly, list(starting_individuals(assembly, None, lambda done, total: None))


def fitness_named(name: str) -> Fitness:
    """Return a registered fitness of IL and DR."""
    fitness: Fitness = default_registry().build("fitness", name, {})
    return fitness


def run(job: Job, portfolio: int | None = None) -> Curve:
    """Search until the time is over."""
    assembly, files = started(job.file, portfolio)
    # The front is searched for as a whole; what counts here is its best member by the fitness.
    multiobjective = job.algorithm == "nsga2"
    judged, searched = fitness_named(job.fitness), fitness_named("pareto" if multiobjective else job.fitness)
    given = assembly.problem
    parts = given.genotype, given.measures, given.aggregation, searched, Streams(job.seed)
    problem = Problem(*parts, given.constraints)
    individuals = [_judged(individual, problem) for individual in files]
    registry = default_registry()
    toolbox = toolbox_of(
        problem.genotype,
        problem.measures,
        searched,
        lambda name, params, box: registry.build("algorithm", name, params, box),
    )
    algorithm = registry.build("algorithm", job.algorithm, dict(job.params), toolbox)
    evaluator = Evaluator(problem)
    evaluator.remember(individuals)
    points: list[tuple[float, int, float]] = []
    seen: list[Any] = [None]
    began = process_time()

    def observe(state: SearchState, record: Mapping[str, Any]) -> None:
        spent = process_time() - began
        over = spent >= job.seconds
        if multiobjective:
            found = points[-1][2] if points else float("inf")
            if state.front is not seen[0]:
                seen[0] = state.front
                found = min(judged.combine(member.scores)[0] for member in state.front)
        else:
            found = state.best.objectives[0]
        if not points or found < points[-1][2] or over:
            points.append((spent, state.progress.evaluations - len(individuals), found))
        if over:
            raise OverError

    with suppress(OverError):
        search(algorithm, evaluator, problem.streams, Stop(), first_state(algorithm, individuals), observe)
    return Curve(job, tuple(points))


def _judged(individual: Individual, problem: Any) -> Individual:
    scores = {name: individual.scores[name] for name in problem.measures}
    return Individual(individual.genome, individual.key, *problem.judge(scores, individual.genome), individual.origin)


def warmed(job: Job, portfolio: int | None = None) -> Curve:
    """Search; for a file new to this process, a short search first loads compiled code."""
    if started.cache_info().currsize == 0 or (job.file, portfolio) not in _WARM:
        _WARM.add((job.file, portfolio))
        for algorithm in ("memetic", "parent-child"):
            run(replace(job, algorithm=algorithm, seconds=WARM_UP, params=()), portfolio)
    return run(job, portfolio)


_WARM: set[tuple[str, int | None]] = set()
