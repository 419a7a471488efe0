"""Types of kernels' arguments as JSON, and back."""

from collections.abc import Sequence
from typing import Any

from numba.core import types

from evosdc.machine_code.kinds import READ_ONLY, named

JSON = Any
"""What `json` reads and writes."""


def written(kind: types.Type) -> JSON:
    """Return a type as JSON: a name for a number, a list for an array, a dictionary for a tuple.

    Raises
    ------
    TypeError
        No kernel takes such a type.
    """
    if isinstance(kind, types.Array):
        return [str(kind.dtype), kind.ndim, kind.layout, *([] if kind.mutable else [READ_ONLY])]
    if isinstance(kind, types.NamedTuple | types.NamedUniTuple):
        made = kind.instance_class
        return {"class": f"{made.__module__}:{made.__qualname__}", "of": [written(part) for part in kind]}
    if isinstance(kind, types.Tuple | types.UniTuple):
        return {"of": [written(part) for part in kind]}
    if isinstance(kind, types.Number | types.Boolean):
        return str(kind)
    raise TypeError(f"kernels take numbers, arrays and tuples of them, and not {kind}")


def read(given: JSON) -> types.Type:
    """Return the type that was written."""
    if isinstance(given, str):
        return _named(given)
    if isinstance(given, list):
        name, ndim, layout, *marks = given
        return types.Array(_named(name), ndim, layout, readonly=READ_ONLY in marks)
    parts = signature(given["of"])
    if "class" not in given:
        return types.Tuple(parts)
    made = named(given["class"])
    if len(set(parts)) == 1:
        return types.NamedUniTuple(parts[0], len(parts), made)
    return types.NamedTuple(parts, made)


def signature(given: Sequence[JSON]) -> tuple[types.Type, ...]:
    """Return the types of arguments that were written."""
    return tuple(map(read, given))


def _named(name: str) -> types.Type:
    found: types.Type = getattr(types, "boolean" if name == "bool" else name)
    return found
