"""What the suites need to see whether code is pure: content hashes, writable arrays, the global random state."""

import random
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from evosdc.secret import Purpose, stream
from evosdc.table.table import Table

T = TypeVar("T")

_PLAIN = {bool, int, float, str, bytes, type(None)}  # Types whose text distinguishes values.


def fingerprint(value: object) -> bytes:
    """Return a hash of the content of arrays, tables, containers and dataclasses, nested as they may be.

    Arrays count with type, shape and bits. Objects of other classes count with their attributes.
    """
    pieces: list[bytes] = []
    _collect(value, (), pieces)
    hashed = blake2b(digest_size=16)
    for piece in pieces:
        hashed.update(len(piece).to_bytes(8, "little"))
        hashed.update(piece)
    return hashed.digest()


def _collect(value: object, above: tuple[int, ...], pieces: list[bytes]) -> None:
    kind = type(value)
    if kind in _PLAIN:
        pieces += (kind.__qualname__.encode(), repr(value).encode())
        return
    if id(value) in above:
        pieces.append(b"above")
        return
    above = (*above, id(value))
    pieces.append(kind.__qualname__.encode())
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        pieces += (f"{value.dtype.str}{value.shape}".encode(), value.tobytes())
    elif isinstance(value, Table):
        for part in (value.schema, value.codes, value.numbers):
            _collect(part, above, pieces)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            pieces.append(repr(key).encode())
            _collect(item, above, pieces)
    elif isinstance(value, Set):
        pieces += sorted(fingerprint(item) for item in value)
    elif isinstance(value, (tuple, list)) and _PLAIN.issuperset(map(type, value)):
        pieces.append(repr(value).encode())  # the state of a generator is a tuple of hundreds of numbers
    elif isinstance(value, (tuple, list, np.ndarray)):
        for item in value:
            _collect(item, above, pieces)
    elif is_dataclass(value):
        for field in fields(value):
            _collect(getattr(value, field.name), above, pieces)
    elif callable(value) or not hasattr(value, "__dict__"):
        pieces.append(repr(value).encode())
    else:
        _collect(vars(value), above, pieces)


def arrays_in(value: object) -> list[NDArray[Any]]:
    """Return all arrays of a genome: an array, or tuples of arrays and plain values."""
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, tuple):
        return [array for item in value for array in arrays_in(item)]
    return []


def is_genome(value: object) -> bool:
    """Whether a value is an ndarray, a number, a text, or a tuple of such, as allowed in genomes."""
    if isinstance(value, np.ndarray):
        return not value.dtype.hasobject
    if isinstance(value, tuple):
        return all(is_genome(item) for item in value)
    return isinstance(value, (bool, int, float, str, bytes, np.generic)) or value is None


@contextmanager
def global_random(seed: int) -> Iterator[None]:
    """Give the global `random` and `numpy.random` a state, check that the body leaves it alone, then restore both.

    Raises
    ------
    AssertionError
        The body drew from a global generator, or seeded it.
    """
    python_state, numpy_state = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed)
    before = fingerprint((random.getstate(), np.random.get_state()))
    try:
        yield
        after = fingerprint((random.getstate(), np.random.get_state()))
    finally:
        random.setstate(python_state)
        np.random.set_state(numpy_state)
    assert after == before, "the global state of random or numpy.random was changed: draw from the generator passed in"


def generator(*address: int) -> np.random.Generator:
    """Return a generator for tests by its address."""
    return stream(1, Purpose.GENERATE, *address)


def assert_repeatable(call: Callable[[np.random.Generator], T], seed: int, what: str) -> T:
    """Return the result of a call, and assert that it depends only on the passed generator.

    The call is repeated with an equal generator and other states of the global ones.
    """
    with global_random(seed=1):
        first = call(generator(seed))
    assert_same_again(call, seed, first, what)
    return first


def assert_same_again(call: Callable[[np.random.Generator], T], seed: int, first: object, what: str) -> None:
    """Assert that a call gives once more what it gave with an equal generator, whatever the global random state."""
    with global_random(seed=2):
        second = call(generator(seed))
    assert fingerprint(first) == fingerprint(second), (
        f"{what}: equal generators gave different results, so something else than the generator decides them"
    )


@contextmanager
def unchanged(what: str, *values: object) -> Iterator[None]:
    """Assert that the body leaves the content of all values as it is."""
    before = fingerprint(values)
    yield
    assert fingerprint(values) == before, f"{what} changed what was passed to it; work on a copy"
