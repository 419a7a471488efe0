"""Numba's compiler, for kernels that have no machine code yet: what takes long to load is imported here alone."""

import fcntl
import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import perf_counter
from typing import Any

from numba import njit
from numba.core.registry import cpu_target
from numba.core.types import unliteral
from numba.core.typing.typeof import typeof_impl

from evosdc.compiling_time import compilation_seconds, set_compilation_seconds
from evosdc.machine_code.numba_cache import InstalledCache, load_array_functions
from evosdc.machine_code.symbols import complete
from evosdc.time_limit import Standing, unlimited

complete()


def dispatcher_of(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Return what numba makes of a function: it compiles at the first call with arguments of a kind.

    Machine code is kept on disk where a folder can be written to. Where several processes want it at once, one compiles
    it and the others wait.
    """
    # Nobody calls kernels from C: what that would need is as much machine code again as a small kernel.
    options = {"no_cfunc_wrapper": True, **options}
    try:
        compiled: Any = njit(cache=True, **options)(function)
    except RuntimeError:  # numba found no place for its cache
        compiled = njit(**options)(function)
    if not hasattr(compiled, "stats"):  # NUMBA_DISABLE_JIT, of somebody who looks for a fault
        return function
    installed = compiled.stats.cache_path is not None and function.__module__.startswith("evosdc")
    if installed:
        compiled._cache = InstalledCache(function)
    folder, compile_here = compiled.stats.cache_path, compiled.compile

    def compile_alone(signature: Any) -> Any:
        if isinstance(signature, tuple):
            # A constant in a caller is no reason to compile for it alone.
            signature = tuple(unliteral(kind) for kind in signature)
        # numba numbers the files of a function's signatures. Two processes that number at once may exchange them,
        # and code would then run on arrays of another type.
        lock = Path(folder) / f"{function.__module__}.{function.__name__}.lock" if folder else None
        if not installed:
            load_array_functions()
        with unlimited() as standing, _timed(standing), _held(lock) as waited, _uncollected():
            read = compiled.stats.cache_hits.total()
            code = compile_here(signature)
            # Machine code that is there is read within milliseconds, and that is time like any other.
            standing.counts = not waited and compiled.stats.cache_hits.total() > read
            return code

    compiled.compile = compile_alone
    return compiled


def have_typed(owner: type, of: Callable[[Any], Any]) -> None:
    """Have numba take objects of a class, in what it compiles, for others that it knows.

    Parameters
    ----------
    owner : type
    of : callable
        Returns, of such an object, what numba knows.
    """

    @typeof_impl.register(owner)
    def _typed(value: Any, context: Any) -> Any:
        known = of(value)
        cpu_target.typing_context.refresh()  # what is known may have come just now
        return cpu_target.typing_context.resolve_value_type(known)


@contextmanager
def _timed(standing: Standing) -> Iterator[None]:
    began, before = perf_counter(), compilation_seconds()
    try:
        yield
    finally:
        if not standing.counts:
            # Kernels that this one calls were compiled within its own time.
            set_compilation_seconds(before + perf_counter() - began)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Leave the garbage of compilation, which took a fifth of its time, until afterwards."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@contextmanager
def _held(path: Path | None) -> Iterator[bool]:
    """Hold a lock that ends with the process at the latest, where one can be had, and say whether it was awaited."""
    if path is None:
        yield False
        return
    descriptor, waited = None, False
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waited = True
            fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield waited
    finally:
        if descriptor is not None:
            os.close(descriptor)
