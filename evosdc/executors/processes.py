"""Tasks run by worker processes on this computer.

The workers are this program's own children rather than those of `concurrent.futures`: it is then known which worker had
which task, so a death costs one task and one worker instead of the whole pool; the user's main script is not imported
again by each worker; and nothing is forked from a process that has threads.
"""

import json
import logging
from multiprocessing.connection import Connection, wait
from pathlib import Path
from time import monotonic
from typing import IO

from pydantic import Field

from evosdc.errors import ExecutorError
from evosdc.executors.launch import START_TIME, Child, check_versions, close_log, open_log, tail
from evosdc.executors.pool import PERIOD, Answered, Job, Lost, Pool, PoolExecutor, longest, unexpected

_LOG = logging.getLogger("evosdc.executors")

STOPPING = 5.0  # seconds that a worker has to end by itself before it is killed


class ProcessesExecutor(PoolExecutor):
    """Worker processes on this computer; a worker that dies costs its task a second try, and is replaced."""

    class Params(PoolExecutor.Params):
        """Parameters of the processes executor."""

        recycle: int | None = Field(
            default=None, ge=1, description="Tasks after which a worker is replaced by a new one; never by default."
        )

    params: Params

    def _open(self) -> Pool:
        return ProcessPool(self.workers, self.params.time_limit, self.params.recycle, self._log_path)


class Worker:
    """One worker process, its job and its history."""

    def __init__(self, time_limit: float | None, log: IO[bytes]) -> None:
        self.child = Child("evosdc.executors.worker_bootstrap", {"time_limit": time_limit}, log)
        self.ready = False
        self.overdue = False
        self.job: Job | None = None
        self.since = monotonic()
        self.tasks = 0

    @property
    def connection(self) -> Connection:
        """The private line to the process."""
        return self.child.connection

    def assign(self, job: Job, parcel: bytes) -> None:
        """Send a job; if the worker is dead, that is noticed when its answer is awaited."""
        self.job, self.since = job, monotonic()
        self.tasks += 1
        try:
            self.connection.send_bytes(parcel)
        except OSError:
            self.child.process.kill()


class ProcessPool(Pool):
    """A fixed number of worker processes, each with one job at most; those that die are replaced."""

    # The workers keep the time limit of an evaluation; one that never looks at the clock is killed some seconds later.

    certain = True

    def __init__(self, size: int, time_limit: float | None, recycle: int | None, log_path: Path | None = None) -> None:
        self._time_limit = time_limit
        self._recycle = recycle
        self._log_path = log_path
        self._log = open_log(log_path)
        self.workers: list[Worker] = []
        self._worker_of_place: dict[int, Worker] = {}
        self._complete = False
        try:
            for _ in range(size):
                self.workers.append(Worker(time_limit, self._log))
        except BaseException:
            self.stop()
            raise

    @property
    def complete(self) -> bool:
        """Whether all workers have said hello, once; raises as `listen`."""
        if not self._complete:
            self.listen(unexpected, unexpected, 0.0)
            self._complete = all(worker.ready for worker in self.workers)
        return self._complete

    @property
    def ready(self) -> bool:
        """Whether a worker is waiting for a job."""
        return any(worker.ready and worker.job is None for worker in self.workers)

    def give(self, job: Job, parcel: bytes) -> None:
        """Start a job."""
        free = [worker for worker in self.workers if worker.ready and worker.job is None]
        # The worker that had the place before still holds what the task needs, the deme of an island for one.
        home = self._worker_of_place.get(job.index)
        worker = self._worker_of_place[job.index] = home if home is not None and home in free else free[0]
        worker.assign(job, parcel)

    def listen(self, answered: Answered, lost: Lost, patience: float = PERIOD) -> bool:
        """Wait a little, report answers and losses, replace dead workers; return whether anything was reported."""
        self._kill_overdue()
        expected = [worker for worker in self.workers if worker.job is not None or not worker.ready]
        spoke = wait([worker.connection for worker in expected], patience)
        reported = False
        for worker in expected:
            if worker.connection in spoke or worker.connection.poll():
                try:
                    message = worker.connection.recv_bytes()
                except (EOFError, OSError):
                    reported = self._bury(worker, lost) or reported
                else:
                    reported = self._hear(worker, message, answered) or reported
            elif not worker.child.alive:
                # A process that a task started may hold the connection open after the worker is dead.
                reported = self._bury(worker, lost) or reported
        return reported

    def complaint(self) -> str:
        """Return the end of the workers' log, for an error message."""
        return tail(self._log)

    def stop(self) -> None:
        """End all workers at once."""
        for worker in self.workers:
            worker.child.stop()
        self.workers.clear()
        close_log(self._log, self._log_path)

    def _hear(self, worker: Worker, message: bytes, answered: Answered) -> bool:
        if not worker.ready:
            check_versions(json.loads(message), f"worker {worker.child.process.pid}")
            worker.ready = True
            return False
        job, worker.job = worker.job, None
        assert job is not None
        if self._recycle is not None and worker.tasks >= self._recycle:
            self._replace(worker)
        answered(job, message)
        return True

    def _bury(self, worker: Worker, lost: Lost) -> bool:
        if not worker.ready:
            worker.child.stop(STOPPING)
            status = worker.child.process.returncode
            raise ExecutorError(f"a worker ended with status {status} before it was ready{self.complaint()}")
        self._replace(worker)
        if not worker.overdue:
            status = worker.child.process.returncode
            ended = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
            _LOG.warning("A worker %s. Another one has taken its place and does its work.", ended)
        if worker.job is None:
            return False
        lost([worker.job], worker.overdue, monotonic() - worker.since)
        return True

    def _replace(self, worker: Worker) -> None:
        worker.child.stop()
        self.workers[self.workers.index(worker)] = Worker(self._time_limit, self._log)

    def _kill_overdue(self) -> None:
        for worker in self.workers:
            elapsed = monotonic() - worker.since
            if not worker.ready:
                if elapsed > START_TIME:
                    raise ExecutorError(f"a worker was not ready after {START_TIME:g} s{self.complaint()}")
            elif worker.job is not None:
                worker.overdue = elapsed > longest(worker.job, self._time_limit, worker.tasks == 1)
                if worker.overdue:
                    worker.child.process.kill()
