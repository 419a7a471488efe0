"""How long this process has compiled, and who is to be told once that takes long. Imports nothing heavy."""

from collections.abc import Callable

LONG = 1.0
"""Seconds of compilation from which on it is told of."""

COMPILING = "compiling for this machine, once"
"""What commands say then."""

_spent = [0.0]
_listening: list[tuple[float, Callable[[], object]]] = []


def compilation_seconds() -> float:
    """Return how long this process has compiled kernels, or waited until others had compiled; not how long it read."""
    return _spent[0]


def set_compilation_seconds(seconds: float) -> None:
    """Set it, and tell whoever listens where it has grown long."""
    _spent[0] = seconds
    if _listening and seconds - _listening[0][0] > LONG:
        _, told = _listening.pop()
        told()


def tell_of_compilation(told: Callable[[], object] | None) -> None:
    """Have a function called, once, when this process has compiled for a second from now; None: nobody any more."""
    _listening[:] = [] if told is None else [(_spent[0], told)]
