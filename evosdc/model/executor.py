"""The contract of executors: run chunks of named work somewhere, give the outcomes back in order."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from evosdc.model.parameters import Parameters
from evosdc.processors import processors
from evosdc.secret import Seed


@dataclass(frozen=True, slots=True)
class SharedFiles:
    """Where a worker finds the problem: a folder of content-hashed files.

    Parameters
    ----------
    folder : str
        Absolute path.
    digest : str
        Hash of the content; workers keep what they built under it.
    """

    folder: str
    digest: str


@dataclass(frozen=True, slots=True)
class Task:
    """A chunk of work, by name and not by object: this and nothing else crosses the wire.

    Parameters
    ----------
    function : str
        ``"package.module:function"``, called as ``function(shared, seed, payload)`` for each item.
    shared : SharedFiles or None
    seed : Seed
    items : tuple of (int, object)
        Identifier and payload of each item; payloads are made of arrays, numbers, texts and tuples of them.
    lasting : bool
        Whether an item may take hours, so that silence of the workers is no sign of trouble: whole runs of a study.
        Its own evaluations keep the time limit, the item as a whole has none.
    evaluations : int
        How many evaluations an item represents, at most: it may take as many times the time limit of one.
    """

    function: str
    shared: SharedFiles | None
    seed: Seed
    items: tuple[tuple[int, Any], ...]
    lasting: bool = False
    evaluations: int = 1

    def time_limit(self, seconds: float | None) -> float | None:
        """Return the seconds that an item may take where one evaluation may take `seconds`; None for no limit."""
        return None if seconds is None or self.lasting else seconds * self.evaluations


@dataclass(frozen=True, slots=True)
class Failure:
    """The failure of an item that raised, ran out of time or died with its worker.

    Parameters
    ----------
    type : str
        Name of the class of the error.
    message : str
    traceback : str
    public : str, optional
        What files may keep of the message, which may hold values of records; None for all of it.
    """

    type: str
    message: str
    traceback: str = ""
    public: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one item: a value or a `Failure`, and the seconds it took."""

    id: int
    value: Any
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether the item was completed."""
        return not isinstance(self.value, Failure)


class TaskQueue(ABC):
    """Tasks that run while others are added; outcomes arrive in the order in which tasks end.

    The caller numbers its tasks by place, and a place has one task at a time. Tasks of the same place tend to need the
    same data. An executor may therefore give them to the same worker.

    As a context manager it ends with `close`.
    """

    @abstractmethod
    def give(self, place: int, task: Task) -> None:
        """Have a task run; the place is free."""

    @abstractmethod
    def take(self, patience: float | None = None) -> list[tuple[int, tuple[Outcome, ...]]]:
        """Return the places whose tasks have ended, with their outcomes.

        Each outcome is returned once; its place is free afterwards.

        Parameters
        ----------
        patience : float, optional
            Seconds to wait for the first outcome, about; by default until there is one. With 0 nothing is waited for,
            which costs little.

        Returns
        -------
        list of (int, tuple of Outcome)
            Empty where nothing was given, or nothing was ready in time.

        Raises
        ------
        ExecutorError
            As `Executor.map`.
        """

    def close(self) -> None:
        """Cancel running tasks; afterwards the executor can be used again."""
        return

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the queue."""
        self.close()


class Executor(ABC):
    """A way of running tasks; a context manager that starts and stops its workers.

    A subclass implements `map`, and `queue` where it can take tasks in while others run. Results never depend on the
    executor: tasks are pure functions of what they carry.
    """

    class Params(Parameters):
        """No parameters."""

    def __init__(self, params: Any, workers: int) -> None:
        self.params = params
        self.workers = workers

    @classmethod
    def usual_workers(cls, params: Any) -> int:
        """Return how many workers there are where the user does not say: one for each core that may be used."""
        return processors()

    def keep_log(self, path: Path) -> None:
        """Set the file that workers' complaints are appended to; called before the workers are started.

        By default complaints are not kept.
        """
        return

    @property
    def time_limit(self) -> float | None:
        """Seconds that one evaluation may take, wherever it is done; None for no limit."""
        limit: float | None = getattr(self.params, "time_limit", None)
        return limit

    @property
    def remote(self) -> bool:
        """Whether tasks leave this process."""
        return True

    @property
    def started(self) -> bool:
        """Whether tasks can run at once.

        An executor that starts its workers with the first task says no until then. A short run then does without
        workers, even where the executor was not entered as a context manager.
        """
        return True

    def begin(self, task: Task) -> bool:
        """Start the workers and have each of them run a task, without waiting for it; return whether all have.

        Called repeatedly while the caller works without workers. By default it does nothing: workers start with the
        first task that is mapped.
        """
        return True

    @abstractmethod
    def map(self, tasks: Sequence[Task]) -> list[tuple[Outcome, ...]]:
        """Run tasks and return the outcomes of each, in order.

        Raises
        ------
        ExecutorError
            The workers are gone for good. An item that fails is an `Outcome` with a `Failure`, never an exception.
        """

    def queue(self) -> TaskQueue:
        """Return a queue of tasks; until it is closed the executor is used for nothing else.

        By default tasks run in rounds: all tasks given so far are mapped together when outcomes are requested.
        """
        return Rounds(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the workers."""
        return


class Rounds(TaskQueue):
    """The queue of an executor that only maps: all tasks of a round are done before the next one begins."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._given: dict[int, Task] = {}

    def give(self, place: int, task: Task) -> None:
        """Put a task into the next round."""
        self._given[place] = task

    def take(self, patience: float | None = None) -> list[tuple[int, tuple[Outcome, ...]]]:
        """Run a round, however long it takes; with a patience of 0 nothing is ever there."""
        if patience == 0.0 or not self._given:
            return []
        given, self._given = self._given, {}
        return list(zip(given, self._executor.map(list(given.values())), strict=True))

    def close(self) -> None:
        """Forget what was given."""
        self._given = {}
