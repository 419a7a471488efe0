"""Compilation of hot loops.

Kernels take plain arrays: int32 codes in C order, int64 counts, float64 results. No fast-math and no threads: a sum is
taken in one order and is the same at every call. A compiled function is renewed when its own file changes; after a
change to one that others call, run ``evosdc compile``.
"""

import fcntl
import gc
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any, TypeVar, cast

from numba import njit
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.types import unliteral
from numba.np import linalg

from evosdc.compiling_time import compilation_seconds, set_compilation_seconds
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
    if compiled.stats.cache_path is not None and function.__module__.startswith("evosdc"):
        compiled._cache = _InstalledCache(function)
    folder, compile_here = compiled.stats.cache_path, compiled.compile

    def compile_alone(signature: Any) -> Any:
        if isinstance(signature, tuple):
            # A constant in a caller is no reason to compile for it alone.
            signature = tuple(unliteral(kind) for kind in signature)
        # numba numbers the files of a function's signatures. Two processes that number at once may exchange them,
        # and code would then run on arrays of another type.
        lock = Path(folder) / f"{function.__module__}.{function.__name__}.lock" if folder else None
        _load_array_functions()
        with unlimited() as standing, _timed(standing), _held(lock) as waited, _uncollected():
            read = compiled.stats.cache_hits.total()
            code = compile_here(signature)
            # Machine code that is there is read within milliseconds, and that is time like any other.
            standing.counts = not waited and compiled.stats.cache_hits.total() > read
            return code

    compiled.compile = compile_alone
    return cast(F, compiled)


class _InstalledCache(FunctionCache):
    """Numba's cache on disk, which also reads the machine code that was made when evosdc was installed.

    That lies beside the source. Numba looks there only where it can write, and not where ``NUMBA_CACHE_DIR`` names
    another folder.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        folder = str(Path(inspect.getfile(function)).with_name("__pycache__"))
        stamp = self._impl.locator.get_source_stamp()
        self._installed = IndexDataCacheFile(folder, self._impl.filename_base, stamp)
        self._elsewhere = folder != self.cache_path

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super()._load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        if found is not None or not self._elsewhere:
            return found
        kept = self._installed.load(self._index_key(sig, target_context.codegen()))  # type: ignore[no-untyped-call]
        return None if kept is None else self._impl.rebuild(target_context, kept)


@cache
def _load_array_functions() -> None:
    """Load numba's functions of arrays without scipy, which it imports only to see whether there is a BLAS.

    That took a fifth of a second in every process. A kernel that multiplies matrices asks again when it is compiled.
    """
    asked = getattr(linalg, "ensure_blas", None)
    if asked is None or "numba.np.arraymath" in sys.modules:
        return
    linalg.ensure_blas = lambda: None
    try:
        import_module("numba.np.arraymath").ensure_blas = asked  # type: ignore[attr-defined]
    finally:
        linalg.ensure_blas = asked


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
