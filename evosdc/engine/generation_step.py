"""One generation of a search: in this process, with evaluations on workers, or with whole demes on workers."""

from math import ceil, inf
from time import monotonic

from evosdc.engine.asynchronous_islands import AsynchronousIslands
from evosdc.engine.demes import evolve_demes
from evosdc.engine.dispatch import Dispatch
from evosdc.engine.evaluation import Cost, Evaluator
from evosdc.engine.generation import Generation, evolve
from evosdc.engine.stop import Progress, Stop
from evosdc.executors.tasks import worth_sending
from evosdc.model import Algorithm, Archipelago, Population
from evosdc.secret import Streams

WARMING = 4.0  # seconds that workers may take to load what they need
TRIAL = 5.0  # seconds after which demes on workers are compared with this process


class GenerationStep:
    """Takes a search from generation to generation, by the faster or the requested grain."""

    # The grain is what one task is: an evaluation, or a deme for many generations. Like the number of workers it
    # changes how long a generation takes and nothing else.

    def __init__(self, algorithm: Algorithm, evaluator: Evaluator, streams: Streams, stop: Stop) -> None:
        self.algorithm = algorithm
        # `isinstance` of a protocol is slow: once is enough.
        self._archipelago = algorithm if isinstance(algorithm, Archipelago) else None
        self.evaluator = evaluator
        self.streams = streams
        self.stop = stop
        self._dispatch: Dispatch | None = getattr(evaluator, "dispatch", None)
        self._made = (0, 0)
        self._here_seconds = Cost()
        self._islands: AsynchronousIslands | None = None
        self._sent_at: float | None = None
        self._begun: tuple[float, int] | None = None
        self._refused = False

    def __call__(self, population: Population, progress: Progress) -> Generation | None:
        """Return the generation that follows; None where the algorithm has nothing more to propose."""
        dispatch, archipelago = self._dispatch, self._archipelago
        evaluations, generations = self._made
        offspring = round(evaluations / generations) if evaluations else len(population)
        if self._islands is not None and self._slow(progress.evaluations):
            self.close()
            self._refused = True
        if self._islands is None and dispatch is not None and dispatch.executor.remote:
            here = self.evaluator.seconds_here
            worth = dispatch.grain != "auto" or dispatch.executor.started
            worth = worth or (
                here is not None and dispatch.worthwhile(seconds_left(self.stop, progress, offspring, here))
            )
            self.evaluator.dispatch = dispatch if worth else None
            if archipelago is not None and worth and self._wanted(archipelago, dispatch, population, offspring):
                genotype = self.evaluator.problem.genotype
                self._islands = AsynchronousIslands(archipelago, dispatch, genotype, population, self.stop.generations)
        generation = self._islands.next() if self._islands is not None else self._evolved_here(population)
        self._made = evaluations + generation.evaluations, generations + 1
        return generation if generation.evaluations else None

    def _evolved_here(self, population: Population) -> Generation:
        """Return the generation after a population, whose evaluations alone may go to workers."""
        began = monotonic()
        if self._archipelago is not None:
            generation = evolve_demes(self._archipelago, self.evaluator, self.streams, population)
        else:
            generation = evolve(self.algorithm, self.evaluator, self.streams, population)
        if generation.evaluations:
            self._here_seconds.add((monotonic() - began) / generation.evaluations, generation.evaluations)
        return generation

    def halt(self) -> bool:
        """Begin nothing more on workers; return whether they have reported a generation that was not yet taken."""
        if self._islands is None:
            return False
        self._islands.halt()
        return self._islands.complete

    def close(self) -> None:
        """Cancel running work on workers."""
        if self._islands is not None:
            self._islands.halt()
            self._islands = None

    def _wanted(self, algorithm: Archipelago, dispatch: Dispatch, population: Population, offspring: int) -> bool:
        if not dispatch.evolve or dispatch.grain != "auto":
            return dispatch.grain == "islands" and bool(dispatch.evolve)
        demes = len(algorithm.demes(population))
        here, sent = self.evaluator.seconds_here, self.evaluator.seconds_sent
        return not self._refused and islands_pay(here, sent, offspring, demes, dispatch.executor.workers)

    def _slow(self, evaluations: int) -> bool:
        """Whether demes on workers turn out slower than this process alone, which varies and replaces, too."""
        here = self._here_seconds.mean
        if self._dispatch is None or self._dispatch.grain != "auto" or here is None:
            return False
        now = monotonic()
        if self._sent_at is None:
            self._sent_at = now
        if self._begun is None and now - self._sent_at >= WARMING:
            self._begun = now, evaluations
        if self._begun is None:
            return False
        seconds, done = now - self._begun[0], evaluations - self._begun[1]
        return seconds > TRIAL and seconds > done * here


def seconds_left(stop: Stop, progress: Progress, offspring: int, here: float) -> float:
    """Return how many seconds of work in this process are expected until the search ends."""
    # Some criteria depend on what the search finds: stalling, a target, diversity. The search is then expected to go on
    # for as long as it has taken so far, or until it may stall at the earliest.
    generation = offspring * here
    bounds = []
    if stop.generations is not None:
        bounds.append((stop.generations - progress.generation) * generation)
    if stop.evaluations is not None:
        bounds.append((stop.evaluations - progress.evaluations) * here)
    if stop.seconds is not None:
        bounds.append(stop.seconds - progress.seconds)
    if not bounds or (stop.stalled, stop.target, stop.diversity) != (None, None, None):
        patience = 0 if stop.stalled is None else stop.stalled - progress.stalled
        bounds.append(max(progress.seconds, patience * generation))
    return min(bounds)


def islands_pay(here: float | None, sent: float | None, offspring: int, demes: int, workers: int) -> bool:
    """Return whether to evolve demes on workers rather than evaluate a whole generation, here or on workers."""
    if here is None or demes < 2 or workers < 2 or (sent is None and worth_sending(here * offspring)):
        return False
    expected = here * offspring * ceil(demes / workers) / demes
    return expected < offspring * min(here, sent if sent is not None else inf)
