"""Common parts of executors with worker processes: sending work, receiving results, blaming items for dead workers."""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Self

from pydantic import Field

from evosdc.errors import ExecutorError, Fault, ParameterError
from evosdc.executors.tasks import TIME_LIMIT, all_failed, packed, unpacked
from evosdc.model.executor import Executor, Failure, Outcome, Task, TaskQueue
from evosdc.model.parameters import Parameters
from evosdc.time_limit import check_time

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
        """Return a job to start now, or None if all are running or have to wait for running ones."""
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
            # The items are separated now: for each of them the next loss is the last.
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


Answered = Callable[[Job, bytes], None]  # called with a job and the packed outcomes that `run_packed` returned

# Called with lost jobs, whether they were overdue, and the seconds they had been under way.
Lost = Callable[[Sequence[Job], bool, float], None]

PERIOD = 1.0  # seconds between two looks at whether all workers are alive, at most

# Seconds beyond the time limit after which a worker is taken to hang. With its first task a worker builds the problem,
# which is no part of any evaluation.
GRACE, FIRST_GRACE = 5.0, 60.0

# Seconds without any result after which the workers are given up, at least, and as a multiple of the slowest
# evaluation.
PATIENCE, TIMES_SLOWEST = 600.0, 20.0


def longest(job: Job, time_limit: float | None, first: bool) -> float:
    """Return the seconds after which the worker of a job is taken to hang, where an evaluation has a time limit."""
    limit = job.task.time_limit(time_limit)
    return inf if limit is None else limit * len(job.task.items) + (FIRST_GRACE if first else GRACE)


def losses_allowed(workers: int) -> int:
    """Return how many times in a row workers may be lost without any result before there is no point in going on."""
    return 25 + 5 * workers


class Pool(ABC):
    """Workers that are running or about to."""

    certain: bool  # whether a loss tells which job the dead worker was at

    @property
    def complete(self) -> bool:
        """Whether all workers have started."""
        return True

    @property
    @abstractmethod
    def ready(self) -> bool:
        """Whether another job can be given now."""

    @abstractmethod
    def give(self, job: Job, parcel: bytes) -> None:
        """Start a job."""

    @abstractmethod
    def listen(self, answered: Answered, lost: Lost, patience: float = PERIOD) -> bool:
        """Report answers and losses for `patience` seconds at most, replace dead workers; return whether any came."""

    def complaint(self) -> str:
        """Return the end of the workers' log, for an error message."""
        return ""

    def abandon(self) -> bool:
        """Ignore the jobs under way from now on; return False where only `stop` can do that."""
        return False

    @abstractmethod
    def stop(self) -> None:
        """End all workers at once."""


class PoolExecutor(Executor):
    """An executor whose workers are processes; a subclass says in `_open` how they are started."""

    class Params(Parameters):
        """Parameters of an executor with workers."""

        time_limit: float | None = Field(default=None, gt=0.0, description="Seconds that one evaluation may take.")
        retries: int = Field(
            default=2,
            ge=0,
            description="Times that a task lost with its worker is run again before the culprit is sought.",
        )

    params: Params

    def __init__(self, params: Any = None, workers: int = 1) -> None:
        if workers < 1:
            raise ParameterError(Fault("workers", str(workers), "at least 1", "Use one for each processor core."))
        super().__init__(self.Params() if params is None else params, workers)
        self._pool: Pool | None = None
        self._preparing: TaskQueue | None = None
        self._to_prepare = 0
        self._log_path: Path | None = None

    def keep_log(self, path: Path) -> None:
        """Append error output of workers to a file, readable by its owner alone; an empty one is removed."""
        self._log_path = path

    def __enter__(self) -> Self:
        self._running()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the workers."""
        self._stop()

    @property
    def started(self) -> bool:
        """Whether the workers are running; they are started with the first task, if not before."""
        return self._pool is not None and self._pool.complete and not self._to_prepare

    def begin(self, task: Task) -> bool:
        """Start the workers, and have each run a task, without waiting; return whether all have done so."""
        if self._pool is None:
            self._pool, self._to_prepare = self._open(), self.workers
        if self._to_prepare and self._pool.complete:
            if self._preparing is None:
                self._preparing = PoolQueue(self._pool, self.params.retries, self.workers, self._stop)
                for place in range(self.workers):
                    self._preparing.give(place, task)
            self._prepare(0.0)
        return not self._to_prepare

    def map(self, tasks: Sequence[Task]) -> list[tuple[Outcome, ...]]:
        """Run tasks and return the outcomes of each, in order."""
        rows: dict[int, tuple[Outcome, ...]] = {}
        with self.queue() as queue:
            for place, task in enumerate(tasks):
                queue.give(place, task)
            while len(rows) < len(tasks):
                rows.update(queue.take())
        return [rows[place] for place in range(len(tasks))]

    def queue(self) -> TaskQueue:
        """Return a queue of tasks; where it is closed while some are under way, workers may have to restart."""
        pool = self._running()
        while self._preparing is not None:
            self._prepare(None)
        return PoolQueue(pool, self.params.retries, self.workers, self._stop)

    @abstractmethod
    def _open(self) -> Pool:
        """Start the workers; they may be on their way (`Pool.complete`)."""

    def _prepare(self, patience: float | None) -> None:
        """Record the workers that have run their first task."""
        if self._preparing is not None:
            self._to_prepare -= len(self._preparing.take(patience))
            if not self._to_prepare:
                self._preparing.close()
                self._preparing = None

    def _running(self) -> Pool:
        if self._pool is None:
            self._pool = self._open()
            try:
                while not self._pool.complete:
                    self._pool.listen(unexpected, unexpected)
            except BaseException:
                self._stop()
                raise
        elif self._preparing is None:
            self._to_prepare = 0  # workers that have only begun to start get the first tasks as they are ready
        return self._pool

    def _stop(self) -> None:
        pool, self._pool = self._pool, None
        self._preparing, self._to_prepare = None, 0
        if pool is not None:
            pool.stop()


def unexpected(*news: object) -> None:
    """Take news of a job where there is none."""
    raise AssertionError("a worker without a job cannot have news of one")


class PoolQueue(TaskQueue):
    """Tasks that a pool runs, with a ledger of them; `stop` ends the pool for good."""

    def __init__(self, pool: Pool, retries: int, workers: int, stop: Callable[[], None]) -> None:
        self._pool = pool
        self._ledger = Ledger(retries, pool.certain)
        self._losses_allowed = losses_allowed(workers)
        self._stop = stop
        self._heard = monotonic()
        self._lasting = False

    def give(self, place: int, task: Task) -> None:
        """Start a task, or keep it until there is a worker for it."""
        if self._ledger.done:
            self._heard = monotonic()
        self._lasting |= task.lasting
        self._ledger.add(place, task)
        self._hand_out()

    def take(self, patience: float | None = None) -> list[tuple[int, tuple[Outcome, ...]]]:
        """Return the tasks that are done, and give their workers others."""
        deadline = None if patience is None else monotonic() + patience
        ready = self._ledger.taken()
        while not (ready or self._ledger.done):
            left = PERIOD if deadline is None else max(0.0, min(PERIOD, deadline - monotonic()))
            check_time()
            if self._pool.listen(self._answered, self._lost, left):
                self._heard = monotonic()
            silence = monotonic() - self._heard
            if silence > max(PATIENCE, TIMES_SLOWEST * self._ledger.slowest) and not self._lasting:
                raise ExecutorError(f"the workers have been silent for {silence:.0f} s{self._pool.complaint()}")
            self._hand_out()
            ready = self._ledger.taken()
            if deadline is not None and monotonic() >= deadline:
                break
        return ready

    def close(self) -> None:
        """Give up the jobs under way."""
        # Their answers must not reach the next queue. Where the pool cannot ignore them, its workers are stopped.
        if not (self._ledger.done or self._pool.abandon()):
            self._stop()

    def _answered(self, job: Job, parcel: bytes) -> None:
        self._ledger.completed(job, unpacked(job.task, parcel))

    def _lost(self, jobs: Sequence[Job], overdue: bool, seconds: float) -> None:
        self._ledger.lost(jobs, overdue, seconds)
        if self._ledger.losses_in_a_row > self._losses_allowed:
            raise ExecutorError(f"workers die one after another without any result{self._pool.complaint()}")

    def _hand_out(self) -> None:
        while self._pool.ready and (job := self._ledger.next()) is not None:
            parcel = packed(job.task)
            if isinstance(parcel, Failure):
                self._ledger.refused(job, parcel)
            else:
                self._pool.give(job, parcel)
