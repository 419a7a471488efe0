"""Compilation of hot loops.

Kernels take plain arrays: int32 codes in C order, int64 counts, float64 results. No fast-math and no threads: a sum is
taken in one order and is the same at every call. A compiled function is renewed when its own file changes; after a
change to one that others call, remove the ``__pycache__`` of the callers' package.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile a function at its first call and keep the machine code on disk, where a folder can be written to.

    A division by zero follows numpy's rules; indices are not checked.
    """
    try:
        return cast(F, njit(cache=True, error_model="numpy")(function))
    except RuntimeError:  # numba found no place for its cache
        return cast(F, njit(error_model="numpy")(function))
