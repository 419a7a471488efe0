"""A line that says that kernels are compiled, as in the first run on a machine."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

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
    modules = [module for name, module in sys.modules.copy().items() if name.startswith("evosdc")]
    values = [value for module in modules for value in list(vars(module).values()) if hasattr(value, "py_func")]
    return sum(sum(value.stats.cache_misses.values()) for value in values)
