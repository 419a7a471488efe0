"""The machine code of a kernel, of what numba has kept when it compiled it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from evosdc.machine_code.linking import Code, Environment
from evosdc.machine_code.numba_cache import InstalledCache, called_names

X86_64 = b"\x3e\0"
"""How an ELF file tells of its processors; on others numba places machine code by itself, so that calls reach it."""


def source_of(function: Any) -> str:
    """Return the file in which a kernel is written."""
    found: str = function.py_func.__code__.co_filename
    return found


def code_of(dispatcher: Any, types: Sequence[Any]) -> Code | None:
    """Return the machine code of a kernel, of what numba has kept; None of what cannot be run without numba.

    That is what Python does not call, what was compiled elsewhere than beside its source, or for another system than
    `X86_64`, and what needs other objects of Python than kinds of numbers.
    """
    cache = dispatcher._cache
    if not isinstance(cache, InstalledCache) or cache.elsewhere:
        return None
    if dispatcher.targetoptions.get("no_cpython_wrapper", False):
        return None
    kept = cache.kept(tuple(types), dispatcher.targetctx)
    if kept is None:
        return None
    (_, kind, (machine_code, _)), described, environment, *_, again, further = kept
    called = called_names(machine_code) if kind == "object" and machine_code[18:20] == X86_64 else None
    environments = [environment, *further]
    if called is None or again or not all(isinstance(one, np.dtype) for e in environments for one in e.consts):
        return None
    own, *others = (Environment(e.env_name, tuple(one.str for one in e.consts)) for e in environments)
    return Code(described.llvm_cpython_wrapper_name, own, tuple(others), tuple(sorted(called)), machine_code)
