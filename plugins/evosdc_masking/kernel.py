"""Compilation of loops.

No fast-math and no threads: a sum is taken in one order and is the same at every call. A compiled function is kept on
disk and renewed when its own file changes; after a change to one that others call, remove this package's
``__pycache__``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile a function to machine code, kept on disk between runs; a division by zero follows numpy's rules."""
    return cast(F, njit(cache=True, error_model="numpy")(function))
