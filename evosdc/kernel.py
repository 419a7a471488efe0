"""Compilation of hot loops.

Kernels take plain arrays: int32 codes in C order, int64 counts, float64 results. No fast-math and no threads: a sum is
taken in one order and is the same at every call. A compiled function is renewed when its own file changes; after a
change to one that others call, run ``evosdc compile``.
"""

import os
import sys
from collections.abc import Callable
from functools import cache, update_wrapper
from importlib import import_module
from inspect import CO_VARARGS
from pathlib import Path
from threading import RLock
from time import monotonic
from typing import Any, TypeVar, cast

from evosdc.compiling_time import compilation_seconds
from evosdc.machine_code.kinds import Kind, kinds_listed, kinds_of
from evosdc.time_limit import unlimited

F = TypeVar("F", bound=Callable[..., Any])

_PART = {"no_cpython_wrapper": True}

MANY = 50_000
"""Calls of a kernel after which numba is worth the time it takes to load: it tells kinds of arguments apart faster.

A call takes some 5 microseconds less with numba, of arrays by the dozen, and to load it a quarter of a second.
"""


_LINKING = RLock()
"""Held while machine code is linked, which two threads cannot do with the same, and while numba is loaded."""


def kernel(function: F) -> F:
    """Compile a function at its first call and keep the machine code on disk, where a folder can be written to.

    A division by zero follows numpy's rules; indices are not checked. Where several processes want it at once, one
    compiles it and the others wait for the machine code.
    """
    return cast(F, Kernel(function, {}))


def long_kernel(function: F) -> F:
    """Compile a function that runs for milliseconds, as `kernel`; other threads of Python go on meanwhile."""
    return cast(F, Kernel(function, {"nogil": True}))


def inner_kernel(function: F) -> F:
    """Compile a function that kernels call in their loops, as `kernel_part`; it makes no array and returns none.

    References to its arrays are not counted, which took up to half the time of short functions. Numba calls that
    option private, but its own array functions are compiled so.
    """
    return cast(F, Kernel(function, {**_PART, "_nrt": False}))


def kernel_part(function: F) -> F:
    """Compile a function that kernels alone call, as `kernel`.

    What takes Python's objects apart is left out, which is as much machine code again as the function itself.
    """
    return cast(F, Kernel(function, _PART))


def inlined_kernel(function: F) -> F:
    """Compile a function as `inner_kernel`, within each kernel that calls it.

    To hand over a dozen arrays takes longer than many a short function.
    """
    return cast(F, Kernel(function, {**_PART, "_nrt": False, "forceinline": True}))


class Kernel:
    """A compiled function.

    What was compiled when evosdc was installed is run without numba. All else numba compiles when it is first called
    with arguments of a kind, and takes over from then on. Kernels call each other as they are; functions that numba
    compiles otherwise, by ``numba.njit``, call the `dispatcher`.

    Attributes
    ----------
    py_func : callable
        The function as it is written.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._options = options
        code = function.__code__
        self._named = code.co_argcount if code.co_flags & CO_VARARGS else None
        self._dispatcher: Any = None
        self._listed: dict[tuple[Kind, ...], Any] | None = None
        self._linked: dict[tuple[Kind, ...], Callable[..., Any]] = {}
        self._calls = 0

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Return what the function does.

        Raises
        ------
        TypeError
            It is part of a kernel and has no machine code that Python can call.
        """
        if "no_cpython_wrapper" in self._options and self.dispatcher is not self.py_func:
            raise TypeError(f"{self.py_func.__name__} is called by kernels alone, and no kernel itself")
        if self._dispatcher is None and not named:
            # Machine code takes what stands for `*arguments` as one tuple.
            given = arguments if self._named is None else (*arguments[: self._named], arguments[self._named :])
            kinds = kinds_of(given)
            linked = self._linked.get(kinds) or self._link(kinds)
            self._calls += 1
            if linked is not None and self._calls < MANY:
                return linked(*given)
        return self.dispatcher(*arguments, **named)

    @property
    def dispatcher(self) -> Any:
        """What numba makes of the function."""
        if self._dispatcher is None:
            with unlimited() as standing, _LINKING:
                standing.counts = True
                self._dispatcher = _compiler().dispatcher_of(self.py_func, self._options)
        return self._dispatcher

    def _link(self, kinds: tuple[Kind, ...]) -> Callable[..., Any] | None:
        """Return a function for arguments of given kinds; None where it has to be compiled first."""
        if _adjusted():
            return None
        from evosdc.machine_code import kept_code, linking  # needs LLVM, which modules that have kernels may not

        with unlimited() as standing, _LINKING:
            standing.counts = True
            if kinds in self._linked:
                return self._linked[kinds]
            if self._listed is None:
                kept = kept_code.read_code(self.py_func.__code__.co_filename, self.py_func.__qualname__)
                self._listed = {kinds_listed(types): code for types, code in kept}
            code = self._listed.get(kinds)
            module = sys.modules.get(self.py_func.__module__)
            linked = linking.linked(code, module, self.py_func.__name__) if code is not None and module else None
            if linked is not None:
                self._linked[kinds] = linked
            return linked

    def __reduce__(self) -> str:
        return self.py_func.__qualname__  # where it stands in its module, as a function


class CompiledAlone:
    """What kernels alone can call: numba makes it, and is not loaded before a kernel is compiled.

    Parameters
    ----------
    place : str
        Where that is: ``module:name``.
    """

    def __init__(self, place: str) -> None:
        self._place = place

    @property
    def made(self) -> Any:
        """What numba made."""
        module, _, name = self._place.partition(":")
        return getattr(import_module(module), name)


@cache
def _compiler() -> Any:
    compiler = import_module("evosdc.machine_code.compiler")
    compiler.have_typed(Kernel, lambda one: one.dispatcher)
    compiler.have_typed(CompiledAlone, lambda one: one.made)
    return compiler


@cache
def _adjusted() -> bool:
    """Whether somebody has set numba's variables: it alone knows what they change."""
    others = {name for name in os.environ if name.startswith("NUMBA_")} - {"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS"}
    return bool(others) or Path(".numba_config.yaml").exists()


def working_time() -> float:
    """Return the seconds of a clock that stands still while `compilation_seconds` grow; its zero has no meaning.

    Compilation takes long in the first run on a machine alone. On this clock that run gets as much of the time it was
    given as later ones, and measures the same of methods and of its own pace.
    """
    return monotonic() - compilation_seconds()
