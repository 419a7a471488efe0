"""A line that says that kernels are compiled, as in the first run on a machine."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

COMPILING = "Compiling for this machine: the first run takes longer."

PERIOD = 0.5  # seconds between two looks


@contextmanager
def announced_compilation(say: Callable[[str], object]) -> Iterator[None]:
    """Call a function with `COMPILING`, once, if the body has a kernel compiled that numba's cache does not hold."""
    ended = Event()
    Thread(target=_watch, args=(say, kernels_compiled(), ended), name="compilation", daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def _watch(say: Callable[[str], object], before: int, ended: Event) -> None:
    while not ended.wait(PERIOD):
        if kernels_compiled() > before:
            say(COMPILING)
            return


def kernels_compiled() -> int:
    """Return how many kernels of evosdc and its plugins this process has compiled, or is compiling."""
    # Nothing is imported here: in a thread of its own that would disturb an import of numba that is under way.
    compiled = 0
    for name, module in sys.modules.copy().items():
        if name.startswith("evosdc"):
            values = vars(module)
            # To look through all modules takes milliseconds, as long as many a command.
            if _KERNELS.get(name, (-1,))[0] != len(values):
                kernels = [value for value in list(values.values()) if hasattr(value, "py_func")]
                _KERNELS[name] = len(values), kernels
            compiled += sum(sum(kernel.stats.cache_misses.values()) for kernel in _KERNELS[name][1])
    return compiled


_KERNELS: dict[str, tuple[int, list[Any]]] = {}  # by module, with the number of its names when it was looked through
