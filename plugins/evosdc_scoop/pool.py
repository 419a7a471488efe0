"""A SCOOP pool, probed before any work and watched during it."""

from collections import deque
from dataclasses import replace
from multiprocessing.connection import wait
from pathlib import Path
from time import monotonic
from typing import Any

from evosdc.errors import ExecutorError
from evosdc.executors.launch import START_TIME, Child, close_log, open_log, tail
from evosdc.executors.pool import PERIOD, Answered, Job, Lost, Pool, longest
from evosdc.executors.tasks import packed, unpacked
from evosdc.model.executor import Task
from evosdc_scoop.launcher import LostHostError, WorkerPlacement, start, stop
from evosdc_scoop.task_runner import END_OF_BATCH

_BATCH_BYTES = 256 * 1024 * 1024
_PRESENCE = "evosdc_scoop.task_runner:presence"
_PROBE_SECONDS = 0.02
_PROBES_PER_WORKER = 4


class ScoopPool(Pool):
    """A broker and workers, the origin among them."""

    # Jobs are sent to the origin in batches, the next when the last is done. When any of the processes dies or hangs
    # all are restarted: SCOOP does not report where a task was. Another computer on which that does not
    # succeed is dropped, with a line in the log; the others do the work.

    certain = False

    def __init__(self, places: WorkerPlacement, time_limit: float | None, log_path: Path | None = None) -> None:
        self.places = places
        self._time_limit = time_limit
        self._log_path = log_path
        self._batch: list[tuple[Job, bytes]] = []
        self._bytes = 0
        self._under_way: deque[Job] = deque()
        self._since, self._fresh = monotonic(), True
        self.children: list[Any] = []
        self._log = open_log(log_path)
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    @property
    def ready(self) -> bool:
        """Whether the next batch can take another job."""
        return not self._under_way and self._bytes < _BATCH_BYTES

    def give(self, job: Job, parcel: bytes) -> None:
        """Put a job into the next batch, which starts with `listen`."""
        self._batch.append((job, parcel))
        self._bytes += len(parcel)

    def listen(self, answered: Answered, lost: Lost, patience: float = PERIOD) -> bool:
        """Report answers and losses, restart the pool if need be; return whether there were any."""
        if self._batch and not self._under_way:
            if not self._alive():
                self._restart()
            self._send()
        try:
            if wait([self._origin.connection], patience):
                parcel = self._origin.connection.recv_bytes()
                answered(self._under_way.popleft(), parcel)
                self._since, self._fresh = monotonic(), False
                return True
        except (EOFError, OSError):
            self._origin.stop()
        silence = monotonic() - self._since
        overdue = self._alive() and bool(self._under_way) and silence > self._patience()
        if self._alive() and not overdue:
            return False
        jobs = list(self._under_way)
        self._under_way.clear()
        self._restart()
        lost(jobs, overdue, silence)
        return True

    def complaint(self) -> str:
        """Return the end of the workers' log, for an error message."""
        return tail(self._log)

    def stop(self) -> None:
        """End all processes at once."""
        stop(self.children)
        close_log(self._log, self._log_path)

    @property
    def _origin(self) -> Child:
        origin: Child = self.children[1]
        return origin

    def _patience(self) -> float:
        """Return the seconds of silence after which a worker is taken to hang."""
        # The next to be answered may have begun only when another one was done.
        return 2.0 * max(longest(job, self._time_limit, self._fresh) for job in self._under_way)

    def _alive(self) -> bool:
        return all(child.alive for child in self.children)

    def _start(self) -> None:
        stop(self.children)
        self.children = start(self.places, self._time_limit, self._log)
        self._fresh = True
        deadline = monotonic() + START_TIME
        missing = {name for node in self.children[1:] for name in node.names}
        while missing:
            self._probe(missing, deadline)

    def _restart(self) -> None:
        while True:
            try:
                return self._start()
            except LostHostError as error:
                left = tuple(host for host in self.places.elsewhere if host.name != error.host)
                self.places = replace(self.places, elsewhere=left)
                self._log.write(f"host {error.host} is given up; {self.places.size} workers are left\n".encode())

    def _probe(self, missing: set[str], deadline: float) -> None:
        """Have tiny tasks done, more than there are workers, and strike off the workers that did one."""
        task = Task(_PRESENCE, None, 0, ((0, _PROBE_SECONDS),))
        parcel = packed(task)
        assert isinstance(parcel, bytes)
        probes = _PROBES_PER_WORKER * self.places.size
        connection = self._origin.connection
        try:
            for _ in range(probes):
                connection.send_bytes(parcel)
            connection.send_bytes(END_OF_BATCH)
            while probes and self._alive() and monotonic() < deadline:
                if wait([connection], PERIOD):
                    (outcome,) = unpacked(task, connection.recv_bytes())
                    missing.discard(outcome.value)
                    probes -= 1
        except (EOFError, OSError):
            self._origin.stop()
        size = self.places.size
        if probes or (missing and monotonic() > deadline):
            raise ExecutorError(f"{size - len(missing)} of {size} SCOOP workers are at work{self.complaint()}")

    def _send(self) -> None:
        self._under_way.extend(job for job, _ in self._batch)
        self._since = monotonic()
        try:
            for _, parcel in self._batch:
                self._origin.connection.send_bytes(parcel)
            self._origin.connection.send_bytes(END_OF_BATCH)
        except OSError:
            # `listen` reports its death, since all these tasks are under way now.
            self._origin.stop()
        self._batch = []
        self._bytes = 0
