"""How work leaves this process: evaluation by evaluation, or deme by deme for many generations at once."""

from __future__ import annotations

from collections import deque
from math import ceil
from time import perf_counter

from evosdc.engine.epochs import Generation, GenerationReport, generations, packed_deme, retold, together
from evosdc.engine.evaluation import Cost, Dispatch, Evaluator, outcomes_of
from evosdc.executors.chunking import worth_sending
from evosdc.model import Algorithm, Archipelago, Population, Task
from evosdc.seeds import Streams

EPOCH_SECONDS = 5.0
"""Seconds that demes evolve on workers before they report, about: what a user waits for a sign of progress, at most."""


class Advance:
    """Takes a search from generation to generation, by whichever grain is faster or was asked for.

    The grain, like the number of workers, changes how long a generation takes and nothing else.

    Parameters
    ----------
    algorithm : Algorithm
    evaluator : Evaluator
        Its dispatch says which grain is wanted and where demes are evolved.
    streams : Streams
    limit : int, optional
        Generation after which the search ends: nothing is evolved beyond it.
    """

    def __init__(self, algorithm: Algorithm, evaluator: Evaluator, streams: Streams, limit: int | None = None) -> None:
        self.algorithm = algorithm
        self.evaluator = evaluator
        self.streams = streams
        self.limit = limit
        self._ahead: deque[Generation] = deque()
        self._offspring = 0
        self._deme_seconds, self._epoch_seconds = Cost(), Cost()

    def __call__(self, population: Population) -> Generation | None:
        """Return the generation that follows; None where the algorithm has nothing more to propose."""
        if not self._ahead:
            self._ahead += self._epoch(population)
        generation = self._ahead.popleft()
        self._offspring = len(generation.offspring)
        return generation if generation.offspring else None

    def _epoch(self, population: Population) -> list[Generation]:
        algorithm = self.algorithm
        dispatch = self.evaluator.dispatch if isinstance(algorithm, Archipelago) else None
        if isinstance(algorithm, Archipelago) and dispatch is not None and dispatch.evolve:
            demes = algorithm.demes(population)
            if dispatch.executor.remote and self._wanted(dispatch, len(demes), population):
                return self._evolved(algorithm, dispatch, demes, population.generation)
        return list(generations(self.algorithm, self.evaluator, self.streams, population, 1))

    def _wanted(self, dispatch: Dispatch, demes: int, population: Population) -> bool:
        if dispatch.grain != "auto":
            return dispatch.grain == "islands"
        offspring = self._offspring or len(population.individuals)
        here, sent = self.evaluator.seconds_here, self.evaluator.seconds_sent
        return islands_pay(here, sent, self._epoch_seconds.mean, offspring, demes, dispatch.executor.workers)

    def _evolved(
        self, algorithm: Archipelago, dispatch: Dispatch, demes: list[Population], generation: int
    ) -> list[Generation]:
        count = algorithm.horizon(generation)
        if self.limit is not None:
            count = max(1, min(count, self.limit - generation))
        # Nothing is known of the cost at first: one generation tells.
        known = self._deme_seconds.mean
        count = 1 if known is None else max(1, min(count, int(EPOCH_SECONDS / max(known, 1e-9))))
        began = perf_counter()
        genotype = self.evaluator.problem.genotype
        most = 4 * max(len(deme.individuals) for deme in demes) * count
        tasks = [
            Task(
                dispatch.evolve,
                dispatch.context,
                dispatch.seed,
                ((island, (packed_deme(deme, genotype), island, count, dispatch.executor.time_limit)),),
                evaluations=most,
            )
            for island, deme in enumerate(demes)
        ]
        outcomes = outcomes_of(dispatch.executor, tasks)
        reports: list[list[GenerationReport]] = [outcome.value for outcome in outcomes]
        told = together(algorithm, [retold(*pair, genotype) for pair in zip(demes, reports, strict=True)])
        if known is not None:
            self._epoch_seconds.add((perf_counter() - began) / count)
        self._deme_seconds.add(max(outcome.seconds for outcome in outcomes) / count)
        return told


def islands_pay(
    here: float | None, sent: float | None, epoch: float | None, offspring: int, demes: int, workers: int
) -> bool:
    """Return whether to evolve demes on workers rather than evaluate a whole generation, here or on workers.

    Parameters
    ----------
    here, sent : float or None
        Measured seconds of an evaluation in this process, and of one among those sent to workers together.
    epoch : float or None
        Measured seconds of a generation of all demes on workers.
    offspring : int
        Evaluations of a generation.
    demes, workers : int

    Returns
    -------
    bool
        False until it is known what an evaluation costs here and, where a generation is worth sending, what it costs
        when sent. Before an epoch has been measured, it is reckoned from the greatest number of demes to a worker.
    """
    if here is None or demes < 2 or workers < 2 or (sent is None and worth_sending(here * offspring)):
        return False
    generation = offspring * min(here, sent if sent is not None else here)
    expected = epoch if epoch is not None else here * offspring * ceil(demes / workers) / demes
    return expected < generation
