"""Genomes in few arrays: large similar ones are stored as differences from another one."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAST_BYTES = 1 << 16  # Size from which on an array is compared with those of other genomes
SAMPLE = 512  # Entries by which the nearest array is found
Arrays = dict[str, NDArray[Any]]


def packed(dumps: Iterable[Mapping[str, Any]]) -> Arrays:
    """Return dumps of genomes as few arrays, taking them one after the other."""
    # ``genomes/NAME`` where all are small and have one shape; else ``genome/INDEX/NAME`` as it is.
    arrays: Arrays = {}
    bases: dict[str, dict[int, NDArray[Any]]] = {}
    last: dict[str, tuple[int, NDArray[Any]]] = {}
    count = 0
    for index, dump in enumerate(dumps):
        count += 1
        for name, given in dump.items():
            array = np.asarray(given)
            if array.nbytes < LEAST_BYTES:
                arrays[f"genome/{index}/{name}"] = array
                continue
            whole = bases.setdefault(name, {})
            alike = {**whole, **dict([last[name]] if name in last else [])}
            alike = {i: a for i, a in alike.items() if a.shape == array.shape and a.dtype == array.dtype}
            last[name] = index, array
            if alike:
                sample = _sample(array)
                base = min(alike, key=lambda i: int(np.count_nonzero(_sample(alike[i]) != sample)))
                at = np.flatnonzero(array != alike[base]).astype(np.min_scalar_type(array.size))
                values = array.reshape(-1)[at]
                if at.nbytes + values.nbytes < array.nbytes // 2:
                    arrays |= {f"at/{index}/{base}/{name}": at, f"set/{index}/{base}/{name}": values}
                    continue
            whole[index] = arrays[f"genome/{index}/{name}"] = array
    _stack(arrays, count)
    return arrays


def _stack(arrays: Arrays, count: int) -> None:
    """Put small arrays that all genomes have, of one shape and type, into one array."""
    for name in {key.split("/", 2)[2] for key in arrays if key.startswith("genome/")}:
        keys = [f"genome/{index}/{name}" for index in range(count)]
        listed = [arrays[key] for key in keys if key in arrays]
        kinds = {(array.shape, array.dtype, array.nbytes < LEAST_BYTES) for array in listed}
        if len(listed) == count and len(kinds) == 1 and listed[0].nbytes < LEAST_BYTES:
            arrays[f"genomes/{name}"] = np.stack(listed)
            for key in keys:
                del arrays[key]


def unpacked(arrays: Mapping[str, NDArray[Any]], count: int) -> Iterable[Arrays]:
    """Return the dumps one after the other; raises `LookupError` or `ValueError` where arrays do not fit each other."""
    listed: list[dict[str, tuple[str, str]]] = [{} for _ in range(count)]
    together = {key.partition("/")[2]: array for key, array in arrays.items() if key.startswith("genomes/")}
    for key in arrays:
        kind, _, rest = key.partition("/")
        if kind == "genome":
            number, _, name = rest.partition("/")
            listed[int(number)][name] = (key, "")
        elif kind == "at":
            number, base, name = rest.split("/", 2)
            listed[int(number)][name] = (rest, base)
    before: Arrays = {}
    for index, one in enumerate(listed):
        found = {name: np.asarray(array[index]) for name, array in together.items()}
        for name, (key, base) in one.items():
            if not base:
                found[name] = arrays[key]
                continue
            whole = arrays.get(f"genome/{base}/{name}")
            found[name] = (before[name] if whole is None else whole).copy()
            found[name].reshape(-1)[arrays[f"at/{key}"]] = arrays[f"set/{key}"]
        before = found
        yield found


def _sample(array: NDArray[Any]) -> NDArray[Any]:
    flat = array.reshape(-1)
    return flat[:: max(1, flat.size // SAMPLE)]
