"""Demes that evolve on workers without waiting for each other more than migration asks for.

A deme goes on as soon as what its next generations depend on is there. That is its own state and, after a migration,
the state of the demes from which migrants may come to it. Whatever order tasks end in, the generations are joined in
their own order, so that nothing of the search depends on it.
"""

from collections import deque
from dataclasses import dataclass, field, replace
from time import monotonic

from evosdc.engine.demes import DemeReport, join_generations, pack_deme, read_report
from evosdc.engine.dispatch import Dispatch, error_of
from evosdc.engine.evaluation import Cost
from evosdc.engine.generation import Generation
from evosdc.errors import EvaluationError, ExecutorError
from evosdc.model import Archipelago, Failure, Genotype, Outcome, Population, Task

SPAN_SECONDS = 5.0  # a deme evolves about so long before it reports: at most so long a user sees no progress
AHEAD = 4  # Reports of a deme that may wait for those of slower demes before it has to wait itself
POLL = 0.002  # Seconds between two looks at whether workers have reported while there is something else to do, at least


@dataclass
class Migration:
    """A migration: the demes that have come to it, and for each deme how many it still awaits, itself among them."""

    awaited: list[int]
    arrived: dict[int, Population] = field(default_factory=dict)
    reports: dict[int, Generation] = field(default_factory=dict)
    left: int = 0


class AsynchronousIslands:
    """The demes of a population under way on workers."""

    def __init__(
        self,
        algorithm: Archipelago,
        dispatch: Dispatch,
        genotype: Genotype[object],
        population: Population,
        limit: int | None = None,
    ) -> None:
        self._algorithm, self._dispatch, self._genotype, self._limit = algorithm, dispatch, genotype, limit
        self._joined = population.generation
        self._demes = algorithm.demes(population)
        count = len(self._demes)
        self._told: list[deque[Generation]] = [deque() for _ in range(count)]
        self._ends: list[deque[int]] = [deque() for _ in range(count)]
        self._costs = [Cost() for _ in range(count)]
        self._failures: dict[int, EvaluationError] = {}
        self._held: set[int] = set()
        self._migrations: dict[int, Migration] = {}
        awaited = [{island, *algorithm.senders(island, count)} for island in range(count)]
        self._awaited = list(map(len, awaited))
        self._awaiting: list[list[int]] = [[] for _ in range(count)]
        for island, others in enumerate(awaited):
            for other in others:
                self._awaiting[other].append(island)
        self._open, self._poll_due = True, 0.0
        self._queue = dispatch.executor.queue()
        for island in range(count):
            self._go_on(island)

    @property
    def complete(self) -> bool:
        """Whether all demes have reported the next generation."""
        return all(self._told)

    def next(self) -> Generation:
        """Return the next generation of the whole population, as soon as all demes have reported it."""
        self._poll()
        while not self.complete:
            for island in self._failures:
                if not self._told[island]:
                    raise self._failures[island]
            if not self._take(None):
                raise ExecutorError("the executor has no answer to a task that it was given")
        generation = join_generations(self._algorithm, [reported.popleft() for reported in self._told])
        self._joined = generation.population.generation
        for island in tuple(self._held):
            self._go_on(island)
        return generation

    def halt(self) -> None:
        """Begin nothing more and cancel running work; complete generations remain available."""
        if self._open:
            self._open = False
            self._queue.close()

    def _poll(self) -> None:
        """Continue demes whose workers have reported while this process was busy."""
        now = monotonic()
        if self._open and now >= self._poll_due:
            self._take(0.0)
            after = monotonic()
            self._poll_due = after + max(POLL, 20.0 * (after - now))

    def _take(self, patience: float | None) -> bool:
        answers = self._queue.take(patience)
        for island, (outcome,) in answers:
            self._answered(island, outcome)
        return bool(answers)

    def _go_on(self, island: int) -> None:
        """Give a deme's next generations to a worker, unless it is too far ahead of the others."""
        deme, ends = self._demes[island], self._ends[island]
        while ends and ends[0] <= self._joined:
            ends.popleft()
        if not self._open or len(ends) >= AHEAD:
            self._held.add(island)
            return
        self._held.discard(island)
        count = self._span(island)
        if count > 0:
            dispatch = self._dispatch
            payload = (pack_deme(deme, self._genotype), island, count, dispatch.executor.time_limit)
            most = 4 * len(deme) * count
            items = ((island, payload),)
            self._queue.give(island, Task(dispatch.evolve, dispatch.shared, dispatch.seed, items, evaluations=most))

    def _span(self, island: int) -> int:
        """Return for how many generations a deme is to evolve; 0 at the end."""
        generation = self._demes[island].generation
        count = self._algorithm.horizon(generation)
        if self._limit is not None:
            count = min(count, self._limit - generation)
        # Nothing is known of the cost at first: one generation tells.
        cost = self._costs[island].mean
        return min(count, 1 if cost is None else max(1, int(SPAN_SECONDS / max(cost, 1e-9))))

    def _answered(self, island: int, outcome: Outcome) -> None:
        if isinstance(outcome.value, Failure):
            # Reported when it is this generation's turn: the search may end before.
            self._failures[island] = error_of(outcome)
            return
        report: DemeReport = outcome.value
        begin, count = self._demes[island], len(report.generations)
        self._costs[island].add(report.seconds / count, count)
        *history, last = read_report(begin, report, self._genotype)
        self._ends[island].append(last.population.generation)
        self._told[island].extend(history)
        if count == self._algorithm.horizon(begin.generation):
            self._arrive(island, last)
        else:
            self._reached(island, last)

    def _reached(self, island: int, generation: Generation) -> None:
        self._told[island].append(generation)
        self._demes[island] = generation.population
        self._go_on(island)

    def _arrive(self, island: int, generation: Generation) -> None:
        """Record that a deme has reached a migration, and continue the demes that waited only for it."""
        number = generation.population.generation
        migration = self._migrations.setdefault(number, Migration(list(self._awaited)))
        migration.arrived[island], migration.reports[island] = generation.population, generation
        places = []
        for other in self._awaiting[island]:
            migration.awaited[other] -= 1
            if not migration.awaited[other]:
                places.append(other)
        if not places:
            return
        migration.left += len(places)
        if migration.left == len(self._demes):
            del self._migrations[number]
        settled = self._algorithm.after_migration(places, migration.arrived, len(self._demes))
        for place, population in zip(places, settled, strict=True):
            self._reached(place, replace(migration.reports[place], population=population))
