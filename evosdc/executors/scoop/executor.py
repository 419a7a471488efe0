"""Tasks run by SCOOP workers, which evosdc starts by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import scoop

from evosdc.errors import ExecutorError
from evosdc.executors.packing import all_failed, packed, unpacked
from evosdc.executors.pool import Pool, PoolExecutor
from evosdc.executors.scoop.pool import ScoopPool
from evosdc.executors.scoop.runner import Runner
from evosdc.model.executor import Failure, Outcome, Task


class ScoopExecutor(PoolExecutor):
    """A pool of SCOOP workers on this computer.

    `workers` processes evaluate; one of them is SCOOP's origin. The broker and this process come on top and are idle
    most of the time. In a program that was started under ``python -m scoop`` the workers of that pool are used, with
    SCOOP's own broker and sockets; there must be at least as many as asked for.
    """

    class Params(PoolExecutor.Params):
        """Parameters of the SCOOP executor."""

    def __init__(self, params: Any = None, workers: int = 1) -> None:
        super().__init__(params, workers)
        self._native = bool(scoop.IS_RUNNING)
        if self._native:
            if workers > scoop.SIZE:
                raise ExecutorError(f"SCOOP was started with {scoop.SIZE} workers, fewer than the {workers} asked for")
            self.workers = int(scoop.SIZE)

    def __enter__(self) -> Self:
        return self if self._native else super().__enter__()

    def map(self, tasks: Sequence[Task]) -> list[tuple[Outcome, ...]]:
        """Run tasks and return the outcomes of each, in order.

        Raises
        ------
        ExecutorError
            Workers cannot be started, die one after another without any result, or have been silent for too long.
        """
        return self._map_native(tasks) if self._native else super().map(tasks)

    def _open(self) -> Pool:
        return ScoopPool(self.workers, self.params.time_limit)

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
