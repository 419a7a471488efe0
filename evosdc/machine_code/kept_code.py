"""The machine code of a module's kernels in one file beside their source, to be run without numba."""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from evosdc.machine_code.linking import Code, Environment, machine

DIGEST = 16
"""Bytes at the end of a file, which tell whether it is whole."""

LAYOUT = "1"
"""Of what is in a file; another one is not read."""


class Signature(NamedTuple):
    """One of the signatures of a kernel, as listed, and its machine code."""

    types: Sequence[Any]
    code: Code


def place_of(source: str) -> Path:
    """Return where the machine code of a module is kept."""
    path = Path(source)
    return path.parent / "__pycache__" / f"{path.stem}.{sys.implementation.cache_tag}.kernels"


def write_code(source: str, kernels: Mapping[str, Sequence[Signature]]) -> None:
    """Keep the machine code of a module's kernels; where that fails, there is none and numba is asked instead."""
    codes, listed, begin = list[bytes | memoryview](), dict[str, list[Any]](), 0
    for name, signatures in kernels.items():
        listed[name] = []
        for types, code in signatures:
            *described, machine_code = code
            listed[name].append([types, described, begin, len(machine_code)])
            codes.append(machine_code)
            begin += len(machine_code)
    head = json.dumps({"stamp": _stamp(source), "kernels": listed}, separators=(",", ":")).encode()
    whole = b"\n".join([head, b"".join(codes)])
    place = place_of(source)
    draft = place.with_suffix(f".{os.getpid()}")
    with suppress(OSError):
        try:
            draft.write_bytes(whole + blake2b(whole, digest_size=DIGEST).digest())
            draft.replace(place)
        finally:
            draft.unlink(missing_ok=True)


def read_code(source: str, name: str) -> Iterator[Signature]:
    """Yield what is kept of a kernel: nothing after its source has changed, or on a machine of another kind."""
    kernels, codes = _read(source)
    for types, (wrapper, environment, further, called), begin, length in kernels.get(name, ()):
        own, *others = (Environment(one, tuple(dtypes)) for one, dtypes in (environment, *further))
        yield Signature(types, Code(wrapper, own, tuple(others), tuple(called), codes[begin : begin + length]))


@cache
def _read(source: str) -> tuple[Mapping[str, Any], memoryview]:
    with suppress(OSError):
        whole = place_of(source).read_bytes()
        content, digest = whole[:-DIGEST], whole[-DIGEST:]
        if blake2b(content, digest_size=DIGEST).digest() == digest:  # else it was cut off, as by a full disk
            end = content.index(b"\n")
            head = json.loads(content[:end])
            if head["stamp"] == _stamp(source):
                return head["kernels"], memoryview(content)[end + 1 :]
    return {}, memoryview(b"")


def _stamp(source: str) -> dict[str, str]:
    """Return what the machine code of a module is made of and for."""
    text = Path(source).read_bytes()
    known = {"layout": LAYOUT, "source": blake2b(text, digest_size=DIGEST).hexdigest(), "numba": _version()}
    return known | machine()


@cache
def _version() -> str:
    """Return what tells versions of numba apart, without importing it."""
    package = find_spec("numba")
    folder = Path(package.origin).parent if package is not None and package.origin else Path()
    return blake2b((folder / "_version.py").read_bytes(), digest_size=DIGEST).hexdigest()


def forget_code(source: str) -> None:
    """Let go of the machine code of a module."""
    with suppress(OSError):
        place_of(source).unlink(missing_ok=True)
    _read.cache_clear()
