"""A search that somebody else drives: it is asked for candidates and told what became of them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from time import monotonic
from typing import Any

from evosdc.engine.archive import Archive
from evosdc.engine.failures import failures_in
from evosdc.engine.generation import Generation
from evosdc.engine.loop import SearchState, state_after
from evosdc.engine.statistics import Census
from evosdc.engine.stop import Stop
from evosdc.model import Algorithm, Individual, Offspring
from evosdc.secret import Streams


class AskTell:
    """The loop of `evosdc.engine.loop`, a generation at a time and without an evaluator.

    Parameters
    ----------
    algorithm : Algorithm
    streams : Streams
    stop : Stop
    state : SearchState
        Where it begins.

    Attributes
    ----------
    state : SearchState
        The latest.
    reason : str or None
        Why the search is over, in words; None while it goes on.
    """

    def __init__(self, algorithm: Algorithm, streams: Streams, stop: Stop, state: SearchState) -> None:
        self._algorithm, self._streams, self._stop = algorithm, streams, stop
        self._archive = Archive(state.front, state.passed)
        self._census = Census(getattr(algorithm.toolbox, "distance", None))
        self._clock = monotonic() - state.progress.seconds
        self._asked: list[Offspring] | None = None
        self.state = state
        self.reason: str | None = None

    def ask(self) -> list[Offspring]:
        """Return the children of the next generation, the same until they are told of; none when it is over."""
        if self._asked is None:
            now = replace(self.state.progress, seconds=monotonic() - self._clock)
            self.reason = self._stop.reason(now)
            proposed = self._algorithm.propose(self.state.population, self._streams) if self.reason is None else ()
            self._asked = list(proposed)
            if not self._asked and self.reason is None:
                self.reason = "the search is complete"
        return self._asked

    def tell(self, evaluated: Sequence[Individual]) -> dict[str, Any]:
        """Take in the children that were asked for, in order; return the generation's line of the journal."""
        assert self._asked, "ask first"
        before, offspring = self.state.population, self._asked
        after = self._algorithm.replace(before, offspring, evaluated)
        population = replace(after, generation=before.generation + 1)
        made = dict(Counter(item.origin for item in offspring))
        generation = Generation(made, evaluated, population, failures_in(evaluated))
        spent = monotonic() - self._clock
        self.state, record = state_after(self.state, generation, self._archive, self._census, self._stop, spent)
        self._asked = None
        return record
