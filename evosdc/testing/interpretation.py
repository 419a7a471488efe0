"""Kernels run as the Python that they are written in, where an index outside an array is an error."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numba.core.dispatcher import Dispatcher


@contextmanager
def interpreted() -> Iterator[None]:
    """Run kernels uncompiled within the block.

    Compiled code does not check indices: one that is too great reads what lies beside the array, or breaks it, and the
    result may still look right. Interpreted, it raises an ``IndexError``. Slow: meant for small tables.
    """
    replaced = [
        (module, name, value)
        for module in list(sys.modules.values())
        for name, value in list(getattr(module, "__dict__", {}).items())
        if isinstance(value, Dispatcher) and value.py_func.__module__.partition(".")[0] != "numba"
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
