"""Who works on the blocks of a file: this process, one after the other, or a Dask cluster by Dask's own engine."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

from evosdc.executors.dask_client import dask_client

Task = TypeVar("Task")
Part = TypeVar("Part")

_TOGETHER = 8  # parts that one worker adds up


class Workers:
    """Work on tasks that do not depend on each other: here in this process, which holds one part and the sum so far."""

    def each(self, work: Callable[[Task, Any], Iterator[Part]], tasks: Sequence[Task], shared: Any) -> Iterator[Part]:
        """Yield what `work` yields of each task and of what all share, in the order of tasks."""
        for task in tasks:
            yield from work(task, shared)

    def total(self, work: Callable[[Task], Part], tasks: Sequence[Task], add: Callable[[Iterable[Part]], Part]) -> Part:
        """Return the sum of what `work` returns of each task; `add` does not look at order and grouping."""
        return add(work(task) for task in tasks)


class Cluster(Workers):
    """The workers of a Dask scheduler."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def each(self, work: Callable[[Task, Any], Iterator[Part]], tasks: Sequence[Task], shared: Any) -> Iterator[Part]:
        """Yield what `work` yields of each task, in their order; a few more tasks than workers are under way."""
        # In a list, as Dask would take a mapping or a list itself for several things.
        given = self._client.scatter([shared], broadcast=True, hash=False)[0]
        ahead = 2 * max(len(self._client.ncores()), 1)
        waiting: list[Any] = []
        for task in tasks:
            waiting.append(self._client.submit(_listed, work, task, given, pure=False))
            if len(waiting) > ahead:
                yield from waiting.pop(0).result()
        while waiting:
            yield from waiting.pop(0).result()

    def total(self, work: Callable[[Task], Part], tasks: Sequence[Task], add: Callable[[Iterable[Part]], Part]) -> Part:
        """Return the sum of what `work` returns of each task, added up on workers as a tree."""
        parts = self._client.map(work, tasks, pure=False)
        while len(parts) > 1:
            groups = [parts[start : start + _TOGETHER] for start in range(0, len(parts), _TOGETHER)]
            parts = [self._client.submit(add, group, pure=False) for group in groups]
        found: Part = parts[0].result()
        return found


def _listed(work: Callable[[Task, Any], Iterator[Part]], task: Task, shared: Any) -> list[Part]:
    return list(work(task, shared))


@contextmanager
def workers(address: str | None = None, number: int | None = None) -> Iterator[Workers]:
    """Give the workers of a Dask scheduler at an address, or `number` workers started here, or this process."""
    if address is None and number is None:
        yield Workers()
        return
    with ExitStack() as held:
        client, _ = dask_client(held, number or 1, address, {})
        yield Cluster(client)
