"""The contract of executors: run chunks of named work somewhere, give the outcomes back in order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from evosdc.model.parameters import Parameters


@dataclass(frozen=True, slots=True)
class ContextRef:
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
        ``"package.module:function"``, called as ``function(context, seed, payload)`` for each item.
    context : ContextRef or None
    seed : int
    items : tuple of (int, object)
        Identifier and payload of each item; payloads are made of arrays, numbers, texts and tuples of them.
    """

    function: str
    context: ContextRef | None
    seed: int
    items: tuple[tuple[int, Any], ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """What is left of an item that raised, ran out of time or died with its worker."""

    type: str
    message: str
    traceback: str = ""


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


class Executor(ABC):
    """A way of running tasks; a context manager that starts and stops its workers.

    A subclass implements `map`. Results never depend on the executor: tasks are pure functions of what they carry.
    """

    class Params(Parameters):
        """No parameters."""

    def __init__(self, params: Any, workers: int) -> None:
        self.params = params
        self.workers = workers

    @property
    def remote(self) -> bool:
        """Whether tasks leave this process."""
        return True

    @abstractmethod
    def map(self, tasks: Sequence[Task]) -> list[tuple[Outcome, ...]]:
        """Run tasks and return the outcomes of each, in order.

        Raises
        ------
        ExecutorError
            The workers are gone for good. An item that fails is an `Outcome` with a `Failure`, never an exception.
        """

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the workers."""
        return
