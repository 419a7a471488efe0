"""What machine code calls: functions of Python's and of numba's, which LLVM is told of by name."""

import builtins
import ctypes
import sys
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any

import numpy as np
from llvmlite import binding

EXTENSIONS = ("numba._helperlib", "numba._dynfunc", "numba.core.runtime._nrt_python")
"""Of numba: what machine code calls, what makes functions of it, and what has its arrays' memory."""


@cache
def known(name: str) -> bool:
    """Whether LLVM knows what machine code calls, after it was told of what is numba's or Python's."""
    if binding.address_of_symbol(name) is None and (address := _address(name)):
        binding.add_symbol(name, address)
    return binding.address_of_symbol(name) is not None


def _address(name: str) -> int | None:
    """Return the address of what numba names so to LLVM; None where it does not."""
    if name == "_Py_NoneStruct":
        return id(None)
    if name == "numba_unpickle":
        _unpacks_arrays()
    first, _, rest = name.partition("_")
    found: int | None
    if first == "PyExc":
        error = getattr(builtins, rest, None)
        found = None if error is None else id(error)
    elif first == "NRT":
        found = extension("numba.core.runtime._nrt_python").c_helpers.get(rest)
    elif first == "numba":
        helpers = extension("numba._helperlib").c_helpers, extension("numba._dynfunc").c_helpers
        found = helpers[0].get(rest) or helpers[1].get(rest)
    else:
        found = extension("numba._helperlib").c_helpers.get(name)  # functions of numbers: log, exp
    return found


@cache
def _numba_unpickle(address: int, packed: bytes, digest: bytes) -> Any:
    """Return what machine code has packed: the class of arrays, or an error that it raises, which numba unpacks.

    Named as numba's own, by whose name it is told that nothing may be raised here (`evosdc.time_limit`). Kept,
    since of a signal that came while machine code ran Python would hear here, where it has to go unheard, and of the
    next one in the same place again.
    """
    if packed == _PACKED_ARRAY:
        return np.ndarray
    return import_module(_UNPACKING)._numba_unpickle(address, packed, digest)


_PACKED_ARRAY = b"\x80\x04\x95\x15\0\0\0\0\0\0\0\x8c\x05numpy\x94\x8c\x07ndarray\x94\x93\x94."
"""What numba packs into each function that returns an array."""

_UNPACKING = "numba.core.serialize"


@cache
def _unpacks_arrays() -> None:
    """Have numba's extension ask `_numba_unpickle` for what is packed, for which it would import numba.

    It looks for a function in a module when it is first asked, and keeps it. To be called by it, and not by machine
    code, makes errors and interruptions safe: they are handed on.
    """
    own = None if "numba" in sys.modules else {name: ModuleType(name) for name in ("numba", _UNPACKING)}
    module = import_module(_UNPACKING) if own is None else own[_UNPACKING]
    usual = vars(module).get("_numba_unpickle")
    vars(module)["_numba_unpickle"] = _numba_unpickle
    sys.modules.update(own or {})
    try:
        unpickle = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p)
        unpickle(extension("numba._helperlib").c_helpers["unpickle"])(_PACKED_ARRAY, len(_PACKED_ARRAY), bytes(20))
    finally:
        vars(module)["_numba_unpickle"] = usual
        for name in own or {}:
            del sys.modules[name]


@cache
def extension(name: str) -> Any:
    """Return an extension of numba's without the package around it, which would load all the rest."""
    if name in sys.modules:
        return sys.modules[name]
    package = find_spec("numba")
    folders = list(package.submodule_search_locations or ()) if package is not None else []
    inner = name.split(".")[1:-1]
    spec = PathFinder.find_spec(name, ["/".join([folder, *inner]) for folder in folders])
    if spec is None or spec.loader is None:
        raise ImportError(f"numba has no {name}")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    # Numba itself finds it there, if it is imported later on.
    sys.modules[name] = module
    return module


def complete() -> None:
    """Name numba's extensions as parts of numba, which was imported after them, and have it ask `_numba_unpickle`."""
    for name in EXTENSIONS:
        parent, _, own = name.rpartition(".")
        if name in sys.modules and parent in sys.modules and not hasattr(sys.modules[parent], own):
            setattr(sys.modules[parent], own, sys.modules[name])
    _unpacks_arrays()
