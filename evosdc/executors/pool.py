"""What the executors with worker processes have in common: one way to hand out work, take it in and give up."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from math import inf
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Self

from pydantic import Field

from evosdc.errors import ExecutorError, Fault, ParameterError
from evosdc.executors.ledger import Job, Ledger
from evosdc.executors.tasks import packed, unpacked
from evosdc.model.executor import Executor, Failure, Outcome, Task, TaskQueue
from evosdc.model.parameters import Parameters
from evosdc.time_limit import check_time

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
        """Have what workers complain of appended to a file, readable by its owner alone; an empty one is removed."""
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
        """Return a queue of tasks; where it is closed while some are under way, workers may have to start anew."""
        pool = self._running()
        while self._preparing is not None:
            self._prepare(None)
        return PoolQueue(pool, self.params.retries, self.workers, self._stop)

    @abstractmethod
    def _open(self) -> Pool:
        """Start the workers; they may be on their way (`Pool.complete`)."""

    def _prepare(self, patience: float | None) -> None:
        """Take in which workers have run their first task."""
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
