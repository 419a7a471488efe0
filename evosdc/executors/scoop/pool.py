"""A SCOOP pool of local workers, probed before any work and watched during it."""

from __future__ import annotations

from collections import deque
from multiprocessing.connection import wait
from time import monotonic

from evosdc.errors import ExecutorError
from evosdc.executors.launch import START_TIME, Child, open_log, tail
from evosdc.executors.ledger import Job
from evosdc.executors.packing import packed, unpacked
from evosdc.executors.pool import Answered, Lost, Pool
from evosdc.executors.scoop.launcher import start, stop
from evosdc.executors.scoop.runner import END_OF_BATCH
from evosdc.model.executor import Task

_PERIOD = 1.0
_BATCH_BYTES = 256 * 1024 * 1024
_PRESENCE = "evosdc.executors.scoop.runner:presence"
_PROBE_SECONDS = 0.02
_PROBES_PER_WORKER = 4


class ScoopPool(Pool):
    """A broker and `size` workers, the origin among them.

    Jobs are sent to the origin in batches, the next when the last is done. When any of the processes dies all are
    started anew, for SCOOP does not tell which task was where.
    """

    certain = False

    def __init__(self, size: int, time_limit: float | None) -> None:
        self._size = size
        self._time_limit = time_limit
        self._batch: list[tuple[Job, bytes]] = []
        self._bytes = 0
        self._under_way: deque[Job] = deque()
        self._since = monotonic()
        self.children: list[Child] = []
        self._log = open_log()
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

    def listen(self, answered: Answered, lost: Lost) -> bool:
        """Wait a little, tell of answers and losses, restart the pool if need be, and return whether anything was told.

        Raises
        ------
        ExecutorError
            The pool cannot be started again.
        """
        if self._batch and not self._under_way:
            if not self._alive():
                self._start()
            self._send()
        try:
            if wait([self._origin.connection], _PERIOD):
                parcel = self._origin.connection.recv_bytes()
                answered(self._under_way.popleft(), parcel)
                return True
        except (EOFError, OSError):
            self._origin.stop()
        if self._alive():
            return False
        jobs = list(self._under_way)
        self._under_way.clear()
        self._start()
        lost(jobs, False, monotonic() - self._since)
        return True

    def complaint(self) -> str:
        """Return the end of the workers' log, for an error message."""
        return tail(self._log)

    def stop(self) -> None:
        """End all processes at once."""
        stop(self.children)
        self._log.close()

    @property
    def _origin(self) -> Child:
        return self.children[1]

    def _alive(self) -> bool:
        return all(child.alive for child in self.children)

    def _start(self) -> None:
        stop(self.children)
        self.children = start(self._size, self._time_limit, self._log)
        deadline = monotonic() + START_TIME
        missing = {node.process.pid for node in self.children[1:]}
        while missing:
            self._probe(missing, deadline)

    def _probe(self, missing: set[int], deadline: float) -> None:
        """Have tiny tasks done, more than there are workers, and strike off the workers that did one."""
        task = Task(_PRESENCE, None, 0, ((0, _PROBE_SECONDS),))
        parcel = packed(task)
        assert isinstance(parcel, bytes)
        probes = _PROBES_PER_WORKER * self._size
        connection = self._origin.connection
        try:
            for _ in range(probes):
                connection.send_bytes(parcel)
            connection.send_bytes(END_OF_BATCH)
            while probes and self._alive() and monotonic() < deadline:
                if wait([connection], _PERIOD):
                    (outcome,) = unpacked(task, connection.recv_bytes())
                    missing.discard(outcome.value)
                    probes -= 1
        except (EOFError, OSError):
            self._origin.stop()
        if probes or (missing and monotonic() > deadline):
            raise ExecutorError(
                f"{self._size - len(missing)} of {self._size} SCOOP workers are at work{self.complaint()}"
            )

    def _send(self) -> None:
        self._under_way.extend(job for job, _ in self._batch)
        self._since = monotonic()
        try:
            for _, parcel in self._batch:
                self._origin.connection.send_bytes(parcel)
            self._origin.connection.send_bytes(END_OF_BATCH)
        except OSError:
            # Its death is told by `listen`, since all these are under way now.
            self._origin.stop()
        self._batch = []
        self._bytes = 0
