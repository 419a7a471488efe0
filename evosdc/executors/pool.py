"""What the executors with worker processes have in common: one way to hand out work, take it in and give up."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from math import inf
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pydantic import Field

from evosdc.errors import ExecutorError, Fault, ParameterError
from evosdc.executors.ledger import Job, Ledger
from evosdc.executors.packing import packed, unpacked
from evosdc.executors.watchdog import Watchdog, losses_allowed
from evosdc.model.executor import Executor, Failure, Outcome, Task
from evosdc.model.parameters import Parameters

Answered = Callable[[Job, bytes], None]
"""Told of a job and what `run_packed` made of it."""

Lost = Callable[[Sequence[Job], bool, float], None]
"""Told of jobs lost, of whether they were overdue, and of the seconds they had been under way."""


class Pool(ABC):
    """Workers that are running.

    Attributes
    ----------
    certain : bool
        Whether a loss tells which job the dead worker had.
    """

    certain: bool

    @property
    @abstractmethod
    def ready(self) -> bool:
        """Whether another job can be given now."""

    @abstractmethod
    def give(self, job: Job, parcel: bytes) -> None:
        """Start a job."""

    @abstractmethod
    def listen(self, answered: Answered, lost: Lost) -> bool:
        """Wait a little, tell of answers and losses, replace what is dead, and return whether anything was told.

        Raises
        ------
        ExecutorError
            Workers cannot be started.
        """

    @abstractmethod
    def complaint(self) -> str:
        """Return the end of the workers' log, for an error message."""

    @abstractmethod
    def stop(self) -> None:
        """End all workers at once."""


class PoolExecutor(Executor):
    """An executor whose workers are processes; a subclass says in `_open` how they are started."""

    class Params(Parameters):
        """Parameters of executors with worker processes."""

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
        self._log_path: Path | None = None

    def keep_log(self, path: Path) -> None:
        """Have what workers complain of appended to a file, readable by its owner alone; an empty one is removed."""
        self._log_path = path

    def __enter__(self) -> Self:
        self._started()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the workers."""
        self._stop()

    def map(self, tasks: Sequence[Task]) -> list[tuple[Outcome, ...]]:
        """Run tasks and return the outcomes of each, in order.

        Raises
        ------
        ExecutorError
            Workers cannot be started, die one after another without any result, or have been silent for too long.
        """
        pool = self._started()
        ledger = Ledger(tasks, self.params.retries, pool.certain)
        watchdog = Watchdog(inf) if any(task.lasting for task in tasks) else Watchdog()

        def answered(job: Job, parcel: bytes) -> None:
            ledger.completed(job, unpacked(job.task, parcel))

        def lost(jobs: Sequence[Job], overdue: bool, seconds: float) -> None:
            ledger.lost(jobs, overdue, seconds)
            if ledger.losses_in_a_row > losses_allowed(self.workers):
                raise ExecutorError(f"workers die one after another without any result{pool.complaint()}")

        try:
            while not ledger.done:
                _hand_out(pool, ledger)
                if not ledger.done:
                    if pool.listen(answered, lost):
                        watchdog.news()
                    watchdog.check(ledger.slowest, pool.complaint)
        except BaseException:
            # Whatever is under way now would answer to the next call.
            self._stop()
            raise
        return ledger.results()

    @abstractmethod
    def _open(self) -> Pool:
        """Start the workers."""

    def _started(self) -> Pool:
        if self._pool is None:
            self._pool = self._open()
        return self._pool

    def _stop(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.stop()


def _hand_out(pool: Pool, ledger: Ledger) -> None:
    while pool.ready and (job := ledger.next()) is not None:
        parcel = packed(job.task)
        if isinstance(parcel, Failure):
            ledger.refused(job, parcel)
        else:
            pool.give(job, parcel)
