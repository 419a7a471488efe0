"""Genomes in few arrays: large ones that are alike are stored as what they differ in from a few that are whole."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAST_BYTES = 1 << 16
"""Size from which on the arrays of a genome are compared with others."""

SAMPLE = 512
"""Entries by which the nearest whole array is found."""

SHARE = 4
"""An array of which more than this part differs from all whole ones is stored as it is."""

Arrays = dict[str, NDArray[Any]]


def packed(dumps: Iterable[Mapping[str, Any]]) -> Arrays:
    """Return dumps of genomes as few arrays, taking them one after the other.

    ``genomes/NAME`` where all have one shape and are small; else ``genome/INDEX/NAME`` as it is, or what it differs in
    from that of another genome, ``base/INDEX/NAME``: at the entries ``at/INDEX/NAME`` by ``set/INDEX/NAME``.
    """
    arrays: Arrays = {}
    small: dict[str, list[NDArray[Any]]] = {}
    bases: dict[str, list[int]] = {}
    count = 0
    for index, dump in enumerate(dumps):
        count += 1
        for name, given in dump.items():
            array = np.asarray(given)
            place = f"{index}/{name}"
            if array.nbytes < LEAST_BYTES:
                arrays[f"genome/{place}"] = array
                small.setdefault(name, []).append(array)
            elif (found := _delta(array, name, bases.setdefault(name, []), arrays)) is not None:
                base, at = found
                arrays[f"base/{place}"] = np.array(base, dtype=np.int64)
                arrays[f"at/{place}"], arrays[f"set/{place}"] = at, array.reshape(-1)[at]
            else:
                bases[name].append(index)
                arrays[f"genome/{place}"] = array
    for name, parts in small.items():
        if len(parts) == count and len({(part.shape, part.dtype) for part in parts}) == 1:
            arrays[f"genomes/{name}"] = np.stack(parts)
            for index in range(count):
                del arrays[f"genome/{index}/{name}"]
    return arrays


def unpacked(arrays: Mapping[str, NDArray[Any]], count: int) -> Iterable[Arrays]:
    """Return the dumps one after the other; raises `LookupError` or `ValueError` where arrays do not fit each other."""
    listed: list[dict[str, str]] = [{} for _ in range(count)]
    for key in arrays:
        kind, _, rest = key.partition("/")
        if kind in ("genome", "base"):
            number, _, name = rest.partition("/")
            listed[int(number)][name] = kind
        elif kind == "genomes":
            for own in listed:
                own[rest] = kind
    for index, own in enumerate(listed):
        yield {name: _found(arrays, kind, index, name) for name, kind in own.items()}


def _found(arrays: Mapping[str, NDArray[Any]], kind: str, index: int, name: str) -> NDArray[Any]:
    if kind == "genomes":
        whole: NDArray[Any] = arrays[f"genomes/{name}"][index]
        return whole
    if kind == "genome":
        return arrays[f"genome/{index}/{name}"]
    array = arrays[f"genome/{int(arrays[f'base/{index}/{name}'])}/{name}"].copy()
    array.reshape(-1)[arrays[f"at/{index}/{name}"]] = arrays[f"set/{index}/{name}"]
    return array


def _delta(
    array: NDArray[Any], name: str, bases: list[int], arrays: Mapping[str, NDArray[Any]]
) -> tuple[int, NDArray[np.int64]] | None:
    """Return the nearest whole array, by the index of its genome, and the entries in which it differs."""
    flat = array.reshape(-1)
    step = max(1, flat.size // SAMPLE)
    nearest, least = -1, flat.size // step // SHARE
    for base in bases:
        other = arrays[f"genome/{base}/{name}"]
        if other.shape == array.shape and other.dtype == array.dtype:
            apart = int(np.count_nonzero(flat[::step] != other.reshape(-1)[::step]))
            if apart < least:
                nearest, least = base, apart
    if nearest < 0:
        return None
    at = np.flatnonzero(flat != arrays[f"genome/{nearest}/{name}"].reshape(-1))
    return (nearest, at.astype(np.int64)) if len(at) * SHARE <= flat.size else None
