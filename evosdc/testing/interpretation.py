"""Kernels run as the Python that they are written in, where an index outside an array is an error."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

import numpy as np
from numba.extending import is_jitted


@contextmanager
def interpreted() -> Iterator[None]:
    """Run kernels uncompiled within the block.

    Compiled code does not check indices: one that is too great reads what lies beside the array, or breaks it, and the
    result may still look right. Interpreted, it raises an ``IndexError``. Slow: meant for small tables.
    """
    replaced = [
        (module, name, value)
        for module in list(sys.modules.values())
        for name in _names_of_kernels(module)
        if (value := getattr(module, name, None)) is not None and is_jitted(value)
    ]
    for module, name, value in replaced:
        setattr(module, name, value.py_func)
    try:
        # Compiled integers wrap around and divisions by zero give infinity, both without a word.
        with np.errstate(all="ignore"):
            yield
    finally:
        for module, name, value in replaced:
            setattr(module, name, value)


_scanned: dict[str, tuple[int, int, tuple[str, ...]]] = {}
"""By module: which object, of how many names, and those of kernels: a thousand modules are not searched each time."""


def _names_of_kernels(module: ModuleType) -> tuple[str, ...]:
    """Return the names of kernels in a module, searched anew when it has other names than before."""
    own = getattr(module, "__dict__", {})
    key = getattr(module, "__name__", "")
    known = _scanned.get(key)
    if known is None or known[:2] != (id(module), len(own)):
        known = id(module), len(own), tuple(name for name, value in list(own.items()) if is_jitted(value))
        _scanned[key] = known
    return known[2]
