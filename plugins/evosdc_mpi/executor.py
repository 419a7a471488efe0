"""Tasks run by MPI processes, through mpi4py, for sites whose batch system starts MPI programs and nothing else."""

import os
import shutil
import sys
from concurrent.futures import FIRST_COMPLETED, Future, wait
from importlib import import_module
from pathlib import Path
from typing import Any

from evosdc.errors import ExecutorError
from evosdc.executors.launch import ONE_THREAD, START_TIME, search_path
from evosdc.executors.ledger import Job
from evosdc.executors.packing import run_packed
from evosdc.executors.pool import PERIOD, Answered, Lost, Pool, PoolExecutor
from evosdc.executors.versions import check_versions, versions

_PER_WORKER = 2

_ONE_MORE_PROCESS = {
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}
"""Open MPI counts this process, which only waits, against the cores, and would start one worker fewer or none."""


def make_mpi_known() -> None:
    """Tell MPI libraries by the environment what they need to start processes beside this one."""
    for name, value in _ONE_MORE_PROCESS.items():
        os.environ.setdefault(name, value)
    beside, path = str(Path(sys.executable).parent), os.environ.get("PATH", "")
    if shutil.which("mpiexec", path=beside) and shutil.which("mpiexec") != shutil.which("mpiexec", path=beside):
        # A library that was installed with mpi4py starts processes by its own program, not by that of another MPI.
        os.environ["PATH"] = os.pathsep.join(filter(None, [beside, path]))


class MpiPool(Pool):
    """The workers of `mpi4py.futures`.

    Parameters
    ----------
    workers : int
        To start; under ``mpiexec python -m mpi4py.futures`` those that it started are used.
    time_limit : float or None
        Seconds for each evaluation.
    """

    certain = True

    def __init__(self, workers: int, time_limit: float | None) -> None:
        make_mpi_known()
        try:
            futures: Any = import_module("mpi4py.futures")
        except (ImportError, RuntimeError):
            message = "the executor mpi needs mpi4py and an MPI library (mpich for one): pip install evosdc[mpi]"
            raise ExecutorError(message) from None
        self._time_limit = time_limit
        self._jobs: dict[Future[bytes], Job] = {}
        self._executor: Any = futures.MPIPoolExecutor(workers, main=False, path=search_path(), env=ONE_THREAD)
        try:
            # Where MPI cannot start processes, nobody ever answers: hence the time limit, and nothing else before.
            for found in [self._executor.submit(versions) for _ in range(workers)]:
                check_versions(found.result(timeout=START_TIME), "an MPI worker")
            self.workers = int(self._executor.num_workers)
        except BaseException as error:
            self.stop()
            if isinstance(error, ExecutorError) or not isinstance(error, Exception):
                raise
            raise ExecutorError(f"MPI workers cannot be started: {type(error).__name__}: {error}") from None

    @property
    def ready(self) -> bool:
        """Whether MPI should be given another task: each worker has one to do and one to go on with."""
        return len(self._jobs) < _PER_WORKER * self.workers

    def give(self, job: Job, parcel: bytes) -> None:
        """Start a job."""
        self._jobs[self._executor.submit(run_packed, parcel, self._time_limit)] = job

    def listen(self, answered: Answered, lost: Lost, patience: float = PERIOD) -> bool:
        """Wait a little and tell of answers and losses."""
        done, _ = wait(self._jobs, patience, FIRST_COMPLETED)
        for future in done:
            job = self._jobs.pop(future)
            if future.exception() is None:
                answered(job, future.result())
            else:
                lost([job], False, 0.0)
        return bool(done)

    def complaint(self) -> str:
        """Return nothing: what MPI processes print goes where `mpiexec` sends it."""
        return ""

    def abandon(self) -> bool:
        """Cancel what waits and let workers finish what they are at."""
        for future in self._jobs:
            future.cancel()
        self._jobs.clear()
        return True

    def stop(self) -> None:
        """End the workers as soon as they have done what they are at."""
        self._jobs.clear()
        self._executor.shutdown(wait=False, cancel_futures=True)


class MpiExecutor(PoolExecutor):
    """MPI processes.

    Started by ``mpiexec -n 9 python -m mpi4py.futures -m evosdc run X.toml --executor mpi`` there are eight workers;
    without `mpiexec` this program starts them itself where the MPI library can. A process that dies takes the whole MPI
    job with it, as MPI has it: `evosdc resume` then goes on from the last checkpoint.
    """

    @classmethod
    def usual_workers(cls, params: Any) -> int:
        """Return the processes that mpiexec started besides this one, or one for each core."""
        futures = sys.modules.get("mpi4py.futures")
        if futures is not None and "mpi4py.MPI" in sys.modules:
            started = int(sys.modules["mpi4py.MPI"].COMM_WORLD.size) - 1
            return started or super().usual_workers(params)
        return super().usual_workers(params)

    def _open(self) -> Pool:
        pool = MpiPool(self.workers, self.params.time_limit)
        self.workers = pool.workers
        return pool
