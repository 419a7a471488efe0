"""The loop of generations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, Protocol

from evosdc.engine.archive import Archive
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.statistics import best_of, generation_record, operator_counts
from evosdc.engine.stop import Progress, Stop
from evosdc.errors import EvaluationError
from evosdc.model import Algorithm, Individual, Population
from evosdc.seeds import Streams


@dataclass(frozen=True)
class SearchState:
    """All that a search needs to go on: what a checkpoint holds."""

    population: Population
    best: Individual
    front: tuple[Individual, ...]
    progress: Progress


class Observer(Protocol):
    """What hears of each generation: journal, checkpoints, progress display, events."""

    def __call__(self, state: SearchState, record: dict[str, Any]) -> None:
        """Take note of a completed generation."""


def begin(algorithm: Algorithm, candidates: Sequence[Individual], seconds: float = 0.0) -> SearchState:
    """Return the state before the first generation.

    Raises
    ------
    EvaluationError
        There is no candidate to start from.
    """
    if not candidates:
        raise EvaluationError("there is no candidate to start the search from")
    best = best_of(candidates)
    progress = Progress(0, len(candidates), seconds, 0, best.objectives[0])
    return SearchState(algorithm.initial(candidates), best, Archive(candidates).individuals, progress)


def search(
    algorithm: Algorithm,
    evaluator: Evaluator,
    streams: Streams,
    stop: Stop,
    state: SearchState,
    observe: Callable[[SearchState, dict[str, Any]], None],
) -> tuple[SearchState, str]:
    """Evolve until a limit is reached or the algorithm has nothing more to propose.

    Returns
    -------
    state : SearchState
    reason : str
        Why it ended, in words.
    """
    archive = Archive(state.front)
    clock = monotonic() - state.progress.seconds
    if state.progress.generation == 0:
        observe(state, generation_record(state.population.individuals, state.progress, len(archive), {}))
    while True:
        reason = stop.reason(replace(state.progress, seconds=monotonic() - clock))
        if reason is not None:
            return state, reason
        offspring = algorithm.propose(state.population, streams)
        if not offspring:
            return state, "the search is complete"
        evaluated = evaluator.evaluate(offspring)
        population = algorithm.replace(state.population, offspring, evaluated)
        population = replace(population, generation=state.population.generation + 1)
        changed = archive.update(evaluated)
        contender = best_of(evaluated)
        best = contender if contender.objectives < state.best.objectives else state.best
        improved = changed if len(best.objectives) > 1 else best is not state.best
        progress = Progress(
            population.generation,
            state.progress.evaluations + len(offspring),
            monotonic() - clock,
            0 if improved else state.progress.stalled + 1,
            best.objectives[0],
        )
        operators = operator_counts(offspring, evaluated, population.individuals)
        state = SearchState(population, best, archive.individuals if changed else state.front, progress)
        observe(state, generation_record(population.individuals, progress, len(archive), operators))
