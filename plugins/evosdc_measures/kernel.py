"""Compilation of hot loops.

Kernels take plain arrays: int32 codes in C order, int64 tables, float64 results. They are compiled without fast-math
and without threads, so a sum is taken in one order and is the same on every call. numba refreshes a cached kernel
when its own file changes; after a change to a kernel that others call, remove the ``__pycache__`` of this package.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile a function at its first call and keep the machine code on disk, where a folder can be written to."""
    try:
        return cast(F, njit(cache=True, error_model="numpy")(function))
    except RuntimeError:  # numba found no place for its cache
        return cast(F, njit(error_model="numpy")(function))
