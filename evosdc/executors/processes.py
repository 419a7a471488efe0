"""Tasks run by worker processes on this computer.

The workers are this program's own children rather than those of `concurrent.futures`: it is then known which worker had
which task, so a death costs one task and one worker instead of the whole pool; the user's main script is not imported
again by each worker; and nothing is forked from a process that has threads.
"""

from pydantic import Field

from evosdc.executors.pool import Pool, PoolExecutor
from evosdc.executors.process_pool import ProcessPool


class ProcessesExecutor(PoolExecutor):
    """Worker processes on this computer; a worker that dies costs its task a second try, and is replaced."""

    class Params(PoolExecutor.Params):
        """Parameters of the processes executor."""

        recycle: int | None = Field(
            default=None, ge=1, description="Tasks after which a worker is replaced by a new one; never by default."
        )

    params: Params

    @property
    def processors(self) -> int:
        """As many as there are workers, and processors."""
        return min(self.workers, self.usual_workers(self.params))

    def _open(self) -> Pool:
        pool = self._open_soon()
        try:
            pool.wait()
        except BaseException:
            pool.stop()
            raise
        return pool

    def _open_soon(self) -> ProcessPool:
        return ProcessPool(self.workers, self.params.time_limit, self.params.recycle, self._log_path)
