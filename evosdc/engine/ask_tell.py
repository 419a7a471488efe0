"""A search driven by the caller, by ask and tell: it returns candidates and receives their evaluations."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from queue import Queue
from threading import Thread
from time import monotonic
from typing import Any

import numpy as np

from evosdc.engine.archive import Archive
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.generation import Generation, evolve
from evosdc.engine.loop import SearchState, state_after
from evosdc.engine.statistics import Census
from evosdc.engine.stop import Stop
from evosdc.model import Algorithm, Individual, Siblings
from evosdc.model.individual import Values
from evosdc.secret import Streams


class AskTell:
    """The loop of `evosdc.engine.loop`, by ask and tell."""

    # A step of an algorithm evaluates its children where it needs them. So it runs in a thread of its own, which waits
    # there for the values; nothing else runs meanwhile. A step may request values more than once.

    def __init__(
        self, algorithm: Algorithm, evaluator: Evaluator, streams: Streams, stop: Stop, state: SearchState
    ) -> None:
        self._algorithm, self._evaluator, self._streams, self._stop = algorithm, evaluator, streams, stop
        self._archive = Archive(state.front, state.passed)
        self._census = Census(getattr(algorithm.toolbox, "distance", None))
        self._clock = monotonic() - state.progress.seconds
        self._step: _Step | None = None
        self._asked: Sequence[Individual] = ()
        self.state = state
        self.reason: str | None = None

    def ask(self) -> Sequence[Individual]:
        """Return children to evaluate, the same until `tell`; none when the search is over."""
        if not self._asked and self.reason is None:
            now = replace(self.state.progress, seconds=monotonic() - self._clock)
            self.reason = self._stop.reason(now)
            if self.reason is None:
                self._step = _Step(self._algorithm, self._evaluator, self._streams, self.state)
                self._asked = self._step.go_on(None)
                if not self._asked:
                    self.reason = "the search is complete"
        return self._asked

    def tell(self, values: Sequence[Values] | None = None) -> dict[str, Any]:
        """Receive the values of the requested children, in order; by default they are evaluated here."""
        assert self._asked, "ask first"
        assert self._step is not None
        self._asked = self._step.go_on(values)
        if self._asked:
            progress = self.state.progress
            return {"generation": progress.generation, "evaluations": progress.evaluations}
        spent = monotonic() - self._clock
        self.state, record = state_after(
            self.state, self._step.generation, self._archive, self._census, self._stop, spent
        )
        self._step = None
        return record


class _Step:
    """One step under way in a thread; Python's random generators are its own while it runs, and only then."""

    def __init__(self, algorithm: Algorithm, evaluator: Evaluator, streams: Streams, state: SearchState) -> None:
        self._told: Queue[Sequence[Values] | None] = Queue()
        self._asking: Queue[Sequence[Individual] | BaseException] = Queue()
        self._evaluator = _Asked(evaluator, self._wait)
        self._given = algorithm, self._evaluator, streams, state.population
        self._own: Any = None
        self._thread = Thread(target=self._run, name="step", daemon=True)
        self.generation: Generation

    def go_on(self, values: Sequence[Values] | None) -> Sequence[Individual]:
        """Continue the step with values; return its next request, nothing where it has ended."""
        others = random.getstate(), np.random.get_state()
        if self._own is None:
            self._thread.start()
        else:
            random.setstate(self._own[0])
            np.random.set_state(self._own[1])
            self._told.put(values)
        request = self._asking.get()
        self._own = random.getstate(), np.random.get_state()
        random.setstate(others[0])
        np.random.set_state(others[1])
        if isinstance(request, BaseException):
            raise request
        return request

    def _wait(self, individuals: Sequence[Individual]) -> Sequence[Values] | None:
        self._asking.put(individuals)
        return self._told.get()

    def _run(self) -> None:
        try:
            self.generation = evolve(*self._given)
            self._asking.put(())
        except BaseException as error:
            self._asking.put(error)


class _Asked(Evaluator):
    """An evaluator that waits for values of the caller's own."""

    def __init__(self, evaluator: Evaluator, wait: Callable[[Sequence[Individual]], Sequence[Values] | None]) -> None:
        super().__init__(evaluator.problem, rule=evaluator.rule)
        self._other, self._wait = evaluator, wait

    def judged_together(self, siblings: Siblings) -> bool:
        """Whether children have been judged by what they change: never, since the caller evaluates each."""
        return False

    def values_of(self, individuals: Sequence[Individual]) -> list[Values]:
        """Return the values that the caller gives, or those of the experiment's measures."""
        values = self._wait(individuals)
        found = self._other.values_of(individuals) if values is None else list(values)
        key_of = self.problem.genotype.key
        for individual in individuals:
            individual.key, individual.parent = key_of(individual.genome), None
        return found
