"""Tasks run one after another in this process."""

from collections.abc import Sequence
from typing import Any

from pydantic import Field

from evosdc.executors.tasks import run_chunk
from evosdc.model.executor import Executor, Outcome, Task
from evosdc.model.parameters import Parameters


class SerialExecutor(Executor):
    """No workers: each task is run at once, here; the count of workers is 1 whatever was requested."""

    class Params(Parameters):
        """Parameters of the serial executor."""

        time_limit: float | None = Field(
            default=None, gt=0.0, description="Seconds that one evaluation may take; kept in the main thread only."
        )

    params: Params

    def __init__(self, params: Any = None, workers: int = 1) -> None:
        super().__init__(self.Params() if params is None else params, 1)

    @property
    def remote(self) -> bool:
        """False: tasks stay in this process."""
        return False

    def map(self, tasks: Sequence[Task]) -> list[tuple[Outcome, ...]]:
        """Run tasks and return the outcomes of each, in order."""
        return [run_chunk(task, self.params.time_limit) for task in tasks]
