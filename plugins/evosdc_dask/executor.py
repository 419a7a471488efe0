"""Tasks run by Dask workers: those of a cluster that a site runs already, or of one started here for this run."""

from contextlib import ExitStack
from importlib import import_module
from typing import Any

from pydantic import Field

from evosdc.executors.dask_client import dask_client
from evosdc.executors.pool import PERIOD, Answered, Job, Lost, Pool, PoolExecutor
from evosdc.executors.tasks import run_packed
from evosdc.model.parameters import Parameters

_PER_WORKER = 2

# Of a cluster started here, for as long as it runs.
_SETTINGS = {
    # The ledger finds the task at fault, so it must receive each death.
    "distributed.scheduler.allowed-failures": 0,
    # Seconds after a loss until Dask stops replacing a worker: longer than any run.
    "distributed.deploy.lost-worker-timeout": "1000 days",
}


class DaskPool(Pool):
    """A client of a Dask scheduler."""

    # With the task that a worker died of, Dask gives up others that merely waited for the same worker.
    certain = False

    def __init__(self, workers: int, scheduler: str | None) -> None:
        self._held = ExitStack()
        self._jobs: dict[Any, Job] = {}
        self._client, self.workers = dask_client(self._held, workers, scheduler, _SETTINGS)
        self._wait: Any = import_module("distributed").wait

    @property
    def ready(self) -> bool:
        """Whether Dask needs another task: each worker has one running and one waiting."""
        return len(self._jobs) < _PER_WORKER * self.workers

    def give(self, job: Job, parcel: bytes) -> None:
        """Start a job."""
        self._jobs[self._client.submit(run_packed, parcel, pure=False)] = job

    def listen(self, answered: Answered, lost: Lost, patience: float = PERIOD) -> bool:
        """Wait briefly and report answers and losses; a scheduler of the site may rerun lost tasks."""
        try:
            self._wait(list(self._jobs), timeout=patience, return_when="FIRST_COMPLETED")
        except TimeoutError:
            return False
        done = [future for future in self._jobs if future.done()]
        for future in done:
            job = self._jobs.pop(future)
            if future.status == "finished":
                answered(job, future.result())
            else:
                lost([job], False, 0.0)
        return bool(done)

    def complaint(self) -> str:
        """Return nothing: Dask keeps its own logs."""
        return ""

    def abandon(self) -> bool:
        """Cancel what waits and let workers finish what they are at."""
        self._client.cancel(list(self._jobs))
        self._jobs.clear()
        return True

    def stop(self) -> None:
        """Leave the scheduler; end the workers that were started here."""
        self._jobs.clear()
        self._held.close()


class DaskExecutor(PoolExecutor):
    """Dask workers, for sites that run Dask already; elsewhere `processes` is faster and `scoop` reaches further.

    Dask runs tasks beside its own main thread, where no time limit can be kept, so there is none. A task that was lost
    with its worker is run once more with nothing else under way: only one that itself ends its worker counts as failed.
    """

    class Params(Parameters):
        """Parameters of the Dask executor."""

        scheduler: str | None = Field(
            default=None, description="address of a scheduler, such as tls://head:8786; default: own workers, here"
        )
        retries: int = Field(default=0, ge=0, description="times that a task which Dask gave up is given to it again")

    params: Params  # type: ignore[assignment]

    def _open(self) -> Pool:
        pool = DaskPool(self.workers, self.params.scheduler)
        self.workers = pool.workers
        return pool
