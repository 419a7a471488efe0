"""The loop of generations."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from hashlib import blake2b
from math import inf
from time import monotonic
from typing import Any

import numpy as np

from evosdc.engine.archive import Archive, Point
from evosdc.engine.evaluation import Evaluator, each_of
from evosdc.engine.failures import failures_in
from evosdc.engine.generation import Generation
from evosdc.engine.generation_step import GenerationStep
from evosdc.engine.statistics import Census, best_of, better_of, generation_record, operator_counts
from evosdc.engine.stop import Progress, Stop
from evosdc.errors import EvaluationError
from evosdc.model import Algorithm, Individual, Population
from evosdc.secret import Streams, lent
from evosdc.time_limit import DeadlineOver, time_limited


@dataclass(frozen=True)
class SearchState:
    """The complete state of a search, as in a checkpoint."""

    population: Population
    best: Individual
    front: tuple[Individual, ...]
    progress: Progress
    passed: tuple[Point, ...] = ()  # Points of the front whose individuals were dropped (`evosdc.engine.archive`)


OVERTIME, GRACE = 0.02, 0.25  # share of the seconds, and seconds, after which a generation is given up
Observer = Callable[[SearchState, dict[str, Any]], str | None]
"""Receives each state with its line of the journal; returns why the search is to end there, or None."""


def first_state(
    algorithm: Algorithm, candidates: Sequence[Individual], seconds: float = 0.0, evaluations: int = 0
) -> SearchState:
    """Return the state before the first generation."""
    if not candidates:
        raise EvaluationError("there is no candidate to start the search from")
    best = best_of(candidates)
    if best.failed:
        raise EvaluationError(
            f"none of the {len(candidates)} candidates to start the search from could be evaluated; "
            'with on_error = "raise" the first failure is reported'
        )
    content = blake2b(b"".join(candidate.key for candidate in candidates), digest_size=8).digest()
    drawn = np.random.default_rng(int.from_bytes(content, "little"))  # the same candidates are chosen from alike
    with lent(drawn) as algorithm.toolbox.random:
        population = algorithm.first_population(candidates)
    diversity = _census(algorithm).diversity(population.members)
    progress = Progress(
        0, evaluations + len(candidates), seconds, 0, attained(best), diversity, failures_in(candidates)
    )
    front = Archive(candidates)
    return SearchState(population, best, front.individuals, progress, front.passed)


def attained(best: Individual) -> float:
    """Return the figure that a target is compared with: see `evosdc.engine.stop.Progress`."""
    return best.precedence[1][0] if best.feasible else float("inf")


def search(
    algorithm: Algorithm,
    evaluator: Evaluator,
    streams: Streams,
    stop: Stop,
    state: SearchState,
    observe: Observer,
    advance: GenerationStep | None = None,
) -> tuple[SearchState, str]:
    """Evolve until a limit is reached or the algorithm has nothing more to propose."""
    # With one objective the best is the one of the least; with several, the balanced member of the front.
    with closing(advance or GenerationStep(algorithm, evaluator, streams, stop)) as advancing:
        archive, census = Archive(state.front, state.passed), _census(algorithm)
        clock = monotonic() - state.progress.seconds
        if state.progress.generation == 0:
            figures = census.figures(state.population.members)
            ending = observe(state, generation_record(figures, state.progress, len(archive), {}, archive.hypervolume))
            if ending:
                return state, ending
        while True:
            now = replace(state.progress, seconds=monotonic() - clock)
            reason = stop.reason(now)
            # When the time is over, generations that workers have reported still count, up to any other limit.
            if reason is not None and (stop.reason(replace(now, seconds=-inf)) is not None or not advancing.halt()):
                return state, reason
            try:
                with time_limited(_left(stop, now), DeadlineOver):
                    generation = advancing(state.population, now)
            except DeadlineOver:
                return state, stop.time_over or "time"
            if generation is None:
                return state, "the search is complete"
            state, record = state_after(state, generation, archive, census, stop, monotonic() - clock)
            ending = observe(state, record)
            if ending:
                return state, ending


def _left(stop: Stop, now: Progress) -> float | None:
    """Return the seconds that the next generation may take, or those in which workers' reports are read."""
    return None if stop.seconds is None else GRACE + (1.0 + OVERTIME) * stop.seconds - now.seconds


def state_after(
    state: SearchState, generation: Generation, archive: Archive, census: Census, stop: Stop, seconds: float
) -> tuple[SearchState, dict[str, Any]]:
    """Return the state after a generation, and its line of the journal; update the archive."""
    evaluated, population = generation.evaluated, generation.population
    changed = False
    for batch in evaluated:
        changed |= bool(archive.update(batch))
    best = better_of(state.best, evaluated)
    improved = changed if len(best.objectives) > 1 else best is not state.best
    progress = Progress(
        population.generation,
        state.progress.evaluations + generation.evaluations,
        seconds,
        0 if improved else state.progress.stalled + 1,
        attained(best),
        census.diversity(population.members),
        state.progress.failed + generation.failed,
        *stop.followed(state.progress, archive.hypervolume if stop.tolerance is not None else None),
    )
    operators = operator_counts(generation.made, each_of(evaluated), population)
    front, passed = (archive.individuals, archive.passed) if changed else (state.front, state.passed)
    figures = census.figures(population.members)
    record = generation_record(figures, progress, len(archive), operators, archive.hypervolume)
    return SearchState(population, best, front, progress, passed), record


def _census(algorithm: Algorithm) -> Census:
    return Census(getattr(algorithm.toolbox, "distance", None))
