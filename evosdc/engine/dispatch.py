"""How evaluations leave this process: in chunks, to an executor's workers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evosdc.engine.failures import RAISE, ErrorRule
from evosdc.errors import EvaluationError, PluginRaisedError
from evosdc.executors.tasks import chunks_of, worth_sending, worth_starting
from evosdc.model import Executor, Failure, Outcome, SharedFiles, Task
from evosdc.secret import Seed


@dataclass(frozen=True)
class Dispatch:
    """How work leaves this process: executor, publication of the problem, name of the worker's function."""

    # The function is called as ``function(shared, seed, (dump, key of the nearest relative or None))`` and returns
    # ``(scores, objectives)``.

    executor: Executor
    # Writes the problem where workers find it; called once, and only when something is sent.
    publish: Callable[[], SharedFiles | None]
    function: str
    seed: Seed
    # Name of the function that evolves a deme (`evosdc.engine.generation_step`), or empty where there is none.
    evolve: str = ""
    grain: str = "auto"  # what workers get: single evaluations, demes to evolve, or whichever is faster
    # Name of a function that has a worker build the problem; without it workers are waited for when they start.
    prepare: str = ""

    @cached_property
    def shared(self) -> SharedFiles | None:
        """The published problem."""
        return self.publish()

    def worthwhile(self, seconds: float) -> bool:
        """Whether work of this many seconds is worth sending, or worth starting the workers."""
        # Workers that are worth it start beside this process, which goes on without them until they are ready. Where a
        # grain was requested, workers are started in any case.
        if not self.executor.remote or not worth_sending(seconds):
            return False
        if self.grain != "auto" or self.executor.started:
            return True
        if not worth_starting(seconds, self.executor.workers):
            return False
        # No limit: kernels may have to be compiled first.
        task = Task(self.prepare, self.shared, self.seed, ((0, None),), lasting=True)
        return not self.prepare or self.executor.begin(task)

    def run(
        self, function: str, items: Sequence[tuple[int, Any]], seconds: float, size: int, rule: ErrorRule = RAISE
    ) -> list[Outcome]:
        """Run items in chunks and return their outcomes in order."""
        outcomes = self._run_once(function, items, seconds, size, rule)
        for left in range(rule.retries - 1, -1, -1):
            lost = [place for place, outcome in enumerate(outcomes) if not outcome.ok]
            if not lost:
                break
            again = self._run_once(function, [items[place] for place in lost], seconds, size, rule if left else RAISE)
            for place, outcome in zip(lost, again, strict=True):
                outcomes[place] = outcome
        return outcomes

    def _run_once(
        self, function: str, items: Sequence[tuple[int, Any]], seconds: float, size: int, rule: ErrorRule
    ) -> list[Outcome]:
        tasks = [
            Task(function, self.shared, self.seed, tuple(items[begin:end]))
            for begin, end in chunks_of(len(items), seconds, self.executor.workers, size)
        ]
        outcomes = [outcome for task in self.executor.map(tasks) for outcome in task]
        for outcome in outcomes:
            if not (outcome.ok or rule.forgives(outcome)):
                raise error_of(outcome)
        return outcomes


def error_of(failed: Outcome) -> EvaluationError:
    """Return an error that reports the failure of an item."""
    failure: Failure = failed.value
    begin = f"item {failed.id} failed: {failure.type}"
    kept = failure.message if failure.public is None else failure.public
    error = PluginRaisedError(f"{begin}: {failure.message}", f"{begin}: {kept}" if kept else begin)
    error.add_note(failure.traceback)  # for --debug only: it names places of this machine
    return error
