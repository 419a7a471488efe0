"""Which work is done, which is under way, and whose fault it is when workers die: decisions only, no processes."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from evosdc.executors.tasks import TIME_LIMIT, all_failed
from evosdc.model.executor import Failure, Outcome, Task

WORKER_DIED = "WorkerDied"  # `Failure.type` of an item whose worker died of it


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of work to hand to a worker: a task, or one item of it, from position `begin` of task number `index`."""

    index: int
    task: Task
    begin: int = 0
    losses: int = 0
    # Whether nothing else may be under way at the same time, so that a death has one possible cause.
    alone: bool = False


class Ledger:
    """The state of one queue of tasks."""

    # A job that is lost is run again, `retries` times. Lost once more, it is run item by item; an item that is lost
    # then is the culprit and becomes a `Failure`. When workers can only be lost all together (`certain` is false) the
    # suspects are run with nothing else under way, first as they are, then item by item.

    def __init__(self, retries: int, certain: bool = True) -> None:
        self._retries = retries
        self._certain = certain
        self._outcomes: dict[int, list[Outcome | None]] = {}
        self._missing: dict[int, int] = {}
        self._complete: list[int] = []
        self._waiting: deque[Job] = deque()
        self._suspects: deque[Job] = deque()
        self._under_way = 0
        self._isolated = False
        self.losses_in_a_row = 0
        self.slowest = 0.0

    @property
    def done(self) -> bool:
        """Whether every item has an outcome."""
        return not self._missing

    def add(self, index: int, task: Task) -> None:
        """Take in a task under a number that no other one has until its outcomes are taken."""
        if index in self._outcomes:
            raise ValueError(f"there is a task {index} already")
        self._outcomes[index] = [None] * len(task.items)
        if task.items:
            self._missing[index] = len(task.items)
            self._waiting.append(Job(index, task))
        else:
            self._complete.append(index)

    def taken(self) -> list[tuple[int, tuple[Outcome, ...]]]:
        """Return the numbers and outcomes of the tasks completed since the last call, and forget them."""
        complete, self._complete = self._complete, []
        rows = [(index, self._outcomes.pop(index)) for index in complete]
        return [(index, tuple(outcome for outcome in row if outcome is not None)) for index, row in rows]

    def next(self) -> Job | None:
        """Return a job to start now, or None if all are under way or have to wait for those that are."""
        if self._isolated:
            return None
        if self._waiting:
            job = self._waiting.popleft()
        elif self._suspects and self._under_way == 0:
            job = self._suspects.popleft()
            self._isolated = True
        else:
            return None
        self._under_way += 1
        return job

    def completed(self, job: Job, outcomes: Iterable[Outcome]) -> None:
        """Record the outcomes of a job."""
        self._ended()
        self.losses_in_a_row = 0
        self._record(job, outcomes)

    def refused(self, job: Job, failure: Failure) -> None:
        """Record that a job could not even be sent."""
        self._ended()
        self._record(job, all_failed(job.task, failure))

    def lost(self, jobs: Sequence[Job], overdue: bool = False, seconds: float = 0.0) -> None:
        """Record that jobs went down with their workers: one, or all under way where nothing more is known."""
        # Where the worker was ended because it did not keep the time limit (`overdue`) there is no point in a retry.
        self.losses_in_a_row += 1
        for job in reversed(jobs):
            self._ended()
            self._judge(replace(job, losses=job.losses + 1), overdue, seconds)

    def _judge(self, job: Job, overdue: bool, seconds: float) -> None:
        exhausted = overdue or job.losses > self._retries
        if not exhausted:
            self._waiting.appendleft(job)
        elif not (self._certain or job.alone):
            self._suspects.append(replace(job, alone=True))
        elif len(job.task.items) > 1:
            # The items are told apart now: for each of them the next loss is the last.
            queue = self._waiting if self._certain else self._suspects
            queue.extendleft(
                Job(job.index, replace(job.task, items=(item,)), job.begin + offset, self._retries, not self._certain)
                for offset, item in reversed(list(enumerate(job.task.items)))
            )
        elif overdue:
            hung = Failure(TIME_LIMIT, "it did not end within the time limit, so its worker was killed")
            self._record(job, all_failed(job.task, hung, seconds))
        else:
            died = Failure(WORKER_DIED, f"the worker died during this evaluation, {job.losses} times")
            self._record(job, all_failed(job.task, died, seconds))

    def _record(self, job: Job, outcomes: Iterable[Outcome]) -> None:
        row = self._outcomes[job.index]
        for position, outcome in enumerate(outcomes, start=job.begin):
            self._missing[job.index] -= row[position] is None
            row[position] = outcome
            self.slowest = max(self.slowest, outcome.seconds)
        if not self._missing[job.index]:
            del self._missing[job.index]
            self._complete.append(job.index)

    def _ended(self) -> None:
        self._under_way -= 1
        self._isolated = False
