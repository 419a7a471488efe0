"""The loop of generations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, Protocol

from evosdc.engine.archive import Archive
from evosdc.engine.epochs import Generation
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.grain import Advance
from evosdc.engine.statistics import Census, best_of, generation_record, operator_counts
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
    population = algorithm.initial(candidates)
    diversity = _census(algorithm).diversity(population.individuals)
    progress = Progress(0, len(candidates), seconds, 0, attained(best), diversity)
    return SearchState(population, best, Archive(candidates).individuals, progress)


def attained(best: Individual) -> float:
    """Return what a target is compared with: see `evosdc.engine.stop.Progress`."""
    return best.precedence[1][0] if best.feasible else float("inf")


def search(
    algorithm: Algorithm,
    evaluator: Evaluator,
    streams: Streams,
    stop: Stop,
    state: SearchState,
    observe: Callable[[SearchState, dict[str, Any]], None],
    advance: Callable[[Population], Generation | None] | None = None,
) -> tuple[SearchState, str]:
    """Evolve until a limit is reached or the algorithm has nothing more to propose.

    With one objective the best is the one of the least; with several, the balanced member of the front.

    Parameters
    ----------
    advance : callable, optional
        Gives the generation after a population, or None at the end (`evosdc.engine.grain.Advance`); by default each
        generation is proposed here and evaluated by `evaluator`.

    Returns
    -------
    state : SearchState
    reason : str
        Why it ended, in words.
    """
    advance = advance or Advance(algorithm, evaluator, streams)
    archive, census = Archive(state.front), _census(algorithm)
    clock = monotonic() - state.progress.seconds
    if state.progress.generation == 0:
        figures = census.figures(state.population.individuals)
        observe(state, generation_record(figures, state.progress, len(archive), {}, archive.hypervolume))
    while True:
        reason = stop.reason(replace(state.progress, seconds=monotonic() - clock))
        if reason is not None:
            return state, reason
        generation = advance(state.population)
        if generation is None:
            return state, "the search is complete"
        offspring, evaluated, population = generation.offspring, generation.evaluated, generation.population
        changed = archive.update(evaluated)
        contender = best_of(evaluated)
        best = contender if contender.precedence < state.best.precedence else state.best
        improved = changed if len(best.objectives) > 1 else best is not state.best
        progress = Progress(
            population.generation,
            state.progress.evaluations + len(offspring),
            monotonic() - clock,
            0 if improved else state.progress.stalled + 1,
            attained(best),
            census.diversity(population.individuals),
        )
        operators = operator_counts(offspring, evaluated, population.individuals)
        state = SearchState(population, best, archive.individuals if changed else state.front, progress)
        figures = census.figures(population.individuals)
        observe(state, generation_record(figures, progress, len(archive), operators, archive.hypervolume))
        # Before the next generation is made: the states of those who did not stay may weigh as much as the population.
        del generation, offspring, evaluated, contender


def _census(algorithm: Algorithm) -> Census:
    return Census(getattr(algorithm.toolbox, "distance", None))
