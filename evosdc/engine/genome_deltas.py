"""Genomes in few arrays: large ones that are alike are stored as what they differ in from a few that are whole."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAST_BYTES = 1 << 16
"""Size from which on the arrays of a genome are compared with others."""

SAMPLE = 512
"""Entries by which the nearest whole array is found."""

Arrays = dict[str, NDArray[Any]]


def packed(dumps: Iterable[Mapping[str, Any]]) -> Arrays:
    """Return dumps of genomes as few arrays, taking them one after the other.

    ``genomes/NAME`` where all have one shape and are small; else ``genome/INDEX/NAME`` as it is. Of those that differ
    in little from one of these: ``alike/INDEX/NAME``, shape (k, 2), which genomes they are and where the entries end
    in which each differs, ``at/INDEX/NAME``, and what is there, ``set/INDEX/NAME``.
    """
    arrays: Arrays = {}
    small: dict[str, list[NDArray[Any]]] = {}
    large: dict[tuple[Any, ...], _Alike] = {}
    count = 0
    for index, dump in enumerate(dumps):
        count += 1
        for name, given in dump.items():
            array = np.asarray(given)
            if array.nbytes < LEAST_BYTES:
                small.setdefault(name, []).append(array)
            elif not large.setdefault((name, array.shape, array.dtype.str), _Alike()).whole(index, array):
                continue
            arrays[f"genome/{index}/{name}"] = array
    for (name, *_), alike in large.items():
        arrays |= alike.told(name)
    for name, parts in small.items():
        if len(parts) == count and len({(part.shape, part.dtype) for part in parts}) == 1:
            arrays[f"genomes/{name}"] = np.stack(parts)
            for index in range(count):
                del arrays[f"genome/{index}/{name}"]
    return arrays


def unpacked(arrays: Mapping[str, NDArray[Any]], count: int) -> Iterable[Arrays]:
    """Return the dumps one after the other; raises `LookupError` or `ValueError` where arrays do not fit each other."""
    listed: list[dict[str, Callable[[], NDArray[Any]]]] = [{} for _ in range(count)]
    for key, array in arrays.items():
        kind, _, rest = key.partition("/")
        number, _, name = rest.partition("/")
        if kind == "genome":
            listed[int(number)][name] = partial(arrays.__getitem__, key)
        elif kind == "genomes":
            for own, part in zip(listed, array, strict=True):
                own[rest] = partial(np.asarray, part)
        elif kind == "alike":
            begin = 0
            for index, end in array.tolist():
                listed[index][name] = partial(_changed, arrays, rest, slice(begin, end))
                begin = end
        elif kind == "base":  # of the second format of checkpoints
            listed[int(number)][name] = partial(_changed, arrays, f"{int(array)}/{name}", slice(None), rest)
    for one in listed:
        yield {name: found() for name, found in one.items()}


def _changed(arrays: Mapping[str, NDArray[Any]], base: str, entries: slice, own: str | None = None) -> NDArray[Any]:
    array = arrays[f"genome/{base}"].copy()
    array.reshape(-1)[arrays[f"at/{own or base}"][entries]] = arrays[f"set/{own or base}"][entries]
    return array


class _Alike:
    """Large arrays of one shape and type: some are whole, and others are told by what they differ in from one of these.

    The nearest is looked for by a sample of the entries. An array is whole where those told by its nearest would
    otherwise take more bytes than it does, so that members which have moved away together get a whole one of their own.
    """

    def __init__(self) -> None:
        self._wholes: list[tuple[int, NDArray[Any]]] = []
        self._samples: NDArray[Any] = np.empty((0, 0))
        self._told: list[list[tuple[int, NDArray[Any], NDArray[Any]]]] = []
        self._bytes: list[int] = []

    def whole(self, index: int, array: NDArray[Any]) -> bool:
        """Take in the array of a genome; return whether it is one of the whole ones."""
        flat = array.reshape(-1)
        sample = flat[:: max(1, flat.size // SAMPLE)]
        if self._wholes:
            nearest = int(np.count_nonzero(self._samples != sample, axis=1).argmin())
            at = np.flatnonzero(flat != self._wholes[nearest][1]).astype(np.min_scalar_type(flat.size))
            values = flat[at]
            size = self._bytes[nearest] + at.nbytes + values.nbytes
            if size <= array.nbytes:
                self._bytes[nearest] = size
                self._told[nearest].append((index, at, values))
                return False
        self._samples = np.vstack((self._samples, sample)) if self._wholes else sample[None]
        self._wholes.append((index, flat))
        self._told.append([])
        self._bytes.append(0)
        return True

    def told(self, name: str) -> Arrays:
        """Return what others differ in."""
        arrays: Arrays = {}
        for (base, _), alike in zip(self._wholes, self._told, strict=True):
            if alike:
                indices, at, values = zip(*alike, strict=True)
                ends = np.cumsum([len(own) for own in at])
                arrays[f"alike/{base}/{name}"] = np.column_stack((indices, ends))
                arrays[f"at/{base}/{name}"] = np.concatenate(at)
                arrays[f"set/{base}/{name}"] = np.concatenate(values)
        return arrays
