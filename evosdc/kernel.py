"""Compilation of hot loops.

Kernels take plain arrays: int32 codes in C order, int64 counts, float64 results. No fast-math and no threads: a sum is
taken in one order and is the same at every call. A compiled function is renewed when its own file changes; after a
change to one that others call, run ``evosdc compile``.
"""

import fcntl
import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any, TypeVar, cast

from numba import njit
from numba.core.types import unliteral

from evosdc.compiling_time import compilation_seconds, set_compilation_seconds
from evosdc.machine_code import InstalledCache, load_array_functions
from evosdc.time_limit import Standing, unlimited

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile a function at its first call and keep the machine code on disk, where a folder can be written to.

    A division by zero follows numpy's rules; indices are not checked. Where several processes want it at once, one
    compiles it and the others wait for the machine code.
    """
    return _compiled(function)


def inner_kernel(function: F) -> F:
    """Compile a function that kernels call in their loops, as `kernel`; it makes no array and returns none.

    References to its arrays are not counted, which took up to half the time of short functions. Numba calls that
    option private, but its own array functions are compiled so.
    """
    return _compiled(function, _nrt=False)


def _compiled(function: F, **private: bool) -> F:
    options: dict[str, Any] = {"error_model": "numpy", "no_cfunc_wrapper": True, **private}
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
    return cast(F, compiled)


def working_time() -> float:
    """Return the seconds of a clock that stands still while `compilation_seconds` grow; its zero has no meaning.

    Compilation takes long in the first run on a machine alone. On this clock that run gets as much of the time it was
    given as later ones, and measures the same of methods and of its own pace.
    """
    return monotonic() - compilation_seconds()


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
