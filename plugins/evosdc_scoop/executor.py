"""Tasks run by SCOOP workers, which evosdc starts by itself."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import scoop
from pydantic import Field

from evosdc.errors import ExecutorError
from evosdc.executors.pool import Pool, PoolExecutor
from evosdc.executors.tasks import all_failed, packed, unpacked
from evosdc.model.executor import Failure, Outcome, Rounds, Task, TaskQueue
from evosdc_scoop.hosts import Host, allotted_hosts, hosts_of, shared_out
from evosdc_scoop.launcher import WorkerPlacement, placement_of
from evosdc_scoop.pool import ScoopPool
from evosdc_scoop.task_runner import Runner


class ScoopExecutor(PoolExecutor):
    """A pool of SCOOP workers, on this computer or on several.

    `workers` processes evaluate; one of them, on this computer, is SCOOP's origin. The broker and this process come on
    top and are idle most of the time. Within a job of SLURM or PBS the workers are spread over the computers that the
    job was given, unless hosts are named. In a program that was started under ``python -m scoop`` the workers of that
    pool are used, with SCOOP's own broker and sockets; there must be at least as many as requested.

    Raises
    ------
    ParameterError
        Hosts that cannot be read, or fewer slots than workers.
    """

    class Params(PoolExecutor.Params):
        """Parameters of the SCOOP executor."""

        hosts: Path | tuple[str, ...] | None = Field(
            default=None, description='file or list of hosts with their slots: "node1:8"; default: those of the job'
        )
        shell: str | None = Field(
            default=None,
            min_length=1,
            description='what starts processes on hosts, with options: "ssh -p 2222"; default: srun in a job of SLURM',
        )
        interface: str | None = Field(
            default=None, min_length=1, description="address of this computer that the hosts reach; found by itself"
        )
        python: str | None = Field(default=None, min_length=1, description="interpreter on the hosts; default: as here")

    params: Params

    def __init__(self, params: Any = None, workers: int = 1) -> None:
        super().__init__(params, workers)
        self._native = bool(scoop.IS_RUNNING)
        self._places = WorkerPlacement(workers)
        if self._native:
            if workers > scoop.SIZE:
                raise ExecutorError(f"SCOOP was started with {scoop.SIZE} workers, fewer than the {workers} requested")
            self.workers = int(scoop.SIZE)
            return
        shell, hosts = _hosts(self.params)
        if hosts:
            chosen = self.params
            self._places = placement_of(shared_out(hosts, workers), shell, chosen.interface, chosen.python)
            self.workers = self._places.size

    @classmethod
    def usual_workers(cls, params: Any) -> int:
        """Return the workers of the pool that runs this program, the slots of the hosts, or the cores here."""
        if scoop.IS_RUNNING:
            return int(scoop.SIZE)
        return sum(host.slots for host in _hosts(params)[1]) or super().usual_workers(params)

    def __enter__(self) -> Self:
        return self if self._native else super().__enter__()

    @property
    def started(self) -> bool:
        """Whether there are workers already: under ``python -m scoop`` from the beginning."""
        return self._native or super().started

    def map(self, tasks: Sequence[Task]) -> list[tuple[Outcome, ...]]:
        """Run tasks and return the outcomes of each, in order.

        Raises
        ------
        ExecutorError
            Workers cannot be started, die one after another without any result, or have been silent for too long.
        """
        return self._map_native(tasks) if self._native else super().map(tasks)

    def queue(self) -> TaskQueue:
        """Return a queue of tasks, which run in rounds: those that are there when the last round is done."""
        return Rounds(self) if self._native else super().queue()

    def _open(self) -> Pool:
        return ScoopPool(self._places, self.params.time_limit, self._log_path)

    def _map_native(self, tasks: Sequence[Task]) -> list[tuple[Outcome, ...]]:
        from scoop import futures

        parcels = [packed(task) for task in tasks]
        answers = futures.map(
            Runner(self.params.time_limit), [parcel for parcel in parcels if not isinstance(parcel, Failure)]
        )
        return [
            all_failed(task, parcel) if isinstance(parcel, Failure) else unpacked(task, next(answers))
            for task, parcel in zip(tasks, parcels, strict=True)
        ]


def _hosts(params: ScoopExecutor.Params) -> tuple[str, tuple[Host, ...]]:
    """Return what starts processes on hosts, and the hosts: those named, else those of the job, else none."""
    if params.hosts is not None:
        return params.shell or "ssh", hosts_of(params.hosts)
    shell, hosts = allotted_hosts(os.environ) or ("ssh", ())
    return params.shell or shell, hosts
