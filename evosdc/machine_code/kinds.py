"""Kinds of arguments, by which machine code is chosen: told apart as numba's types are, without numba."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy import ndarray

READ_ONLY = "read-only"

Kind = str | tuple[Any, ...] | None
"""Of a number its name; of an array the name of its numbers, its dimensions, its order in memory, and whether it can be
written to; of a tuple its own type and the kinds of its parts. None of what no listed kernel takes."""

_NAMES = (
    "bool", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
)  # fmt: skip

_NUMBERS: dict[type, str] = {np.dtype(name).type: name for name in _NAMES} | {bool: "bool", float: "float64"}

_DTYPES = {id(np.dtype(name)): name for name in _NAMES}
"""By address: numpy makes one object for nearly all arrays of a usual kind, and an address is compared fastest."""

_EQUAL_DTYPES = {np.dtype(name): name for name in _NAMES}
"""Arrays that were pickled have other objects."""

_C, _F, _ALIGNED, _WRITABLE = 0x1, 0x2, 0x100, 0x400  # numpy's flags
_FLAGS = _C | _F | _ALIGNED | _WRITABLE
_LAYOUTS = {
    flags | _ALIGNED | writable: (order, bool(writable))
    for flags, order in ((_C, "C"), (_C | _F, "C"), (_F, "F"), (0, "A"))
    for writable in (0, _WRITABLE)
}
_INT64 = range(-(2**63), 2**63)


def kinds_of(arguments: Sequence[Any]) -> tuple[Kind, ...]:
    """Return the kinds of arguments."""
    kinds: list[Kind] = []
    for value in arguments:
        own = type(value)
        # Most are arrays: to call a function for each would take a quarter of the time.
        if own is ndarray:
            name = _DTYPES.get(id(value.dtype)) or _EQUAL_DTYPES.get(value.dtype)
            kinds.append((name, value.ndim, _LAYOUTS.get(value.flags.num & _FLAGS)))
        elif (number := _NUMBERS.get(own)) is not None:
            kinds.append(number)
        elif own is int:
            kinds.append("int64" if value in _INT64 else None)
        elif isinstance(value, tuple):
            kinds.append((own, *kinds_of(value)))
        else:
            kinds.append(None)
    return tuple(kinds)


def kinds_listed(types: Sequence[Any]) -> tuple[Kind, ...]:
    """Return the kinds of arguments that a listed signature is for (`evosdc.compilation.signatures`)."""
    return tuple(map(_listed, types))


def _listed(given: Any) -> Kind:
    if isinstance(given, str):
        return given
    if isinstance(given, list):
        name, dimensions, order, *marks = given
        return name, dimensions, (order, READ_ONLY not in marks)
    own = named(given["class"]) if "class" in given else tuple
    return own, *kinds_listed(given["of"])


def named(place: str) -> Any:
    """Return what is called ``module:name``; the name may have parts."""
    module, _, name = place.partition(":")
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found
