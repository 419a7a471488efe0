"""Genomes in few arrays: large ones that are alike are stored as what they differ in from a few that are whole."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Genotype, Local
from evosdc.model.blocks import Blocks

LEAST_BYTES = 1 << 16
"""Size from which on the arrays of a genome are compared with others."""

SAMPLE = 512
"""Entries by which the nearest whole array is found."""

Arrays = dict[str, NDArray[Any]]
Entries = tuple[NDArray[Any], NDArray[Any]]
"""Positions in a flattened array, and what is there."""

Own = TypeVar("Own", NDArray[Any], Blocks)


def dump_of(genotype: Genotype[Any], genome: Any) -> Mapping[str, Any]:
    """Return the dump of a genome for `packed`: its `Blocks` where it is made of them."""
    return (genotype.blocks(genome) if isinstance(genotype, Local) else None) or genotype.dump(genome)


def packed(dumps: Iterable[Mapping[str, Any]]) -> Arrays:
    """Return dumps of genomes, whose arrays may be `Blocks`, as few arrays, taking them one after the other.

    ``genomes/NAME`` where all have one shape and are small; else ``genome/INDEX/NAME`` as it is. Of those that differ
    in little from one of these: ``alike/INDEX/NAME``, shape (k, 2), which genomes they are and where the entries end
    in which each differs, ``at/INDEX/NAME``, and what is there, ``set/INDEX/NAME``.
    """
    arrays: Arrays = {}
    small: dict[str, list[NDArray[Any]]] = {}
    large: dict[tuple[Any, ...], _Alike[Any]] = {}
    count = 0
    for index, dump in enumerate(dumps):
        count += 1
        for name, given in dump.items():
            if hasattr(given, "blocks"):
                alike = large.setdefault((name, given.shape, given.dtype.str, "blocks"), _AlikeBlocks())
            else:
                given = np.asarray(given)
                if given.nbytes < LEAST_BYTES:
                    small.setdefault(name, []).append(given)
                    arrays[f"genome/{index}/{name}"] = given
                    continue
                alike = large.setdefault((name, given.shape, given.dtype.str), _AlikeArrays())
            if alike.whole(index, given):
                arrays[f"genome/{index}/{name}"] = np.asarray(given)
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
    return ({name: found() for name, found in one.items()} for one in listed)


def _changed(arrays: Mapping[str, NDArray[Any]], base: str, entries: slice, own: str | None = None) -> NDArray[Any]:
    array = arrays[f"genome/{base}"].copy()
    array.reshape(-1)[arrays[f"at/{own or base}"][entries]] = arrays[f"set/{own or base}"][entries]
    return array


class _Alike(ABC, Generic[Own]):
    """Large arrays of one shape and type: some are whole, and others are told by what they differ in from one of these.

    An array is whole where those told by its nearest would otherwise take more bytes than it does, so that members
    which have moved away together get a whole one of their own.
    """

    def __init__(self) -> None:
        self._indices: list[int] = []
        self._told: list[list[tuple[int, NDArray[Any], NDArray[Any]]]] = []
        self._bytes: list[int] = []

    def whole(self, index: int, own: Own) -> bool:
        """Take in the array of a genome; return whether it is one of the whole ones."""
        if self._indices:
            nearest = self._nearest(own)
            at, values = self._differing(own, nearest)
            size = self._bytes[nearest] + at.nbytes + values.nbytes
            if size <= prod(own.shape) * own.dtype.itemsize:
                self._bytes[nearest] = size
                self._told[nearest].append((index, at, values))
                return False
        self._enter(own)
        self._indices.append(index)
        self._told.append([])
        self._bytes.append(0)
        return True

    @abstractmethod
    def _nearest(self, own: Own) -> int:
        """Return the place of the whole one that differs in least, as far as can be told soon."""

    @abstractmethod
    def _differing(self, own: Own, place: int) -> Entries:
        """Return the entries in which an array differs from a whole one."""

    @abstractmethod
    def _enter(self, own: Own) -> None:
        """Take in an array that is whole."""

    def told(self, name: str) -> Arrays:
        """Return what others differ in."""
        arrays: Arrays = {}
        for base, alike in zip(self._indices, self._told, strict=True):
            if alike:
                indices, at, values = zip(*alike, strict=True)
                ends = np.cumsum([len(own) for own in at])
                arrays[f"alike/{base}/{name}"] = np.column_stack((indices, ends))
                arrays[f"at/{base}/{name}"] = np.concatenate(at)
                arrays[f"set/{base}/{name}"] = np.concatenate(values)
        return arrays


class _AlikeArrays(_Alike[NDArray[Any]]):
    """Arrays, of which the nearest is looked for by a sample of the entries."""

    def __init__(self) -> None:
        super().__init__()
        self._wholes: list[NDArray[Any]] = []
        self._samples = _Rows()

    def _nearest(self, own: NDArray[Any]) -> int:
        return int(self._samples.differing(_sample(own)).argmin())

    def _differing(self, own: NDArray[Any], place: int) -> Entries:
        at, values = _entries(own, self._wholes[place])
        return at.astype(np.min_scalar_type(own.size)), values

    def _enter(self, own: NDArray[Any]) -> None:
        self._wholes.append(own)
        self._samples.append(_sample(own))


class _AlikeBlocks(_Alike[Blocks]):
    """Arrays in blocks, which are compared where their marks differ; what one that many share differs in, once."""

    def __init__(self) -> None:
        super().__init__()
        self._size = 0
        self._wholes: list[Blocks] = []
        self._marks = _Rows()
        self._samples = _Rows()
        self._entries: list[Entries] = []
        self._known: dict[tuple[int, int, int], int] = {}
        # Of the array that was last told from each whole one: marks, and which entries each block has, -1 for none.
        self._last: list[tuple[NDArray[np.uint64], NDArray[np.int32]]] = []

    def _nearest(self, own: Blocks) -> int:
        differing = self._marks.differing(own.marks)
        if differing.min() == len(own.blocks) and len(self._wholes) > 1:
            differing = self._samples.differing(_sample_of_blocks(own))
        return int(differing.argmin())

    def _differing(self, own: Blocks, place: int) -> Entries:
        before, which = self._last[place]
        marks, which = own.marks, which.copy()
        # Members come in the order of a front, where neighbours are often relatives.
        (changed,) = (marks != before).nonzero()
        which[changed] = self._which(own, place, changed)
        self._last[place] = marks, which
        parts = [self._entries[entries] for entries in which[which >= 0].tolist()]
        if not parts:
            return np.empty(0, np.min_scalar_type(self._size)), np.empty(0, own.dtype)
        at, values = zip(*parts, strict=True)
        return np.concatenate(at), np.concatenate(values)

    def _which(self, own: Blocks, place: int, blocks: NDArray[np.intp]) -> list[int]:
        """Return which entries some blocks have; those of blocks that were not met before are found at once."""
        whole, marks = self._wholes[place], own.marks
        keys = [(place, block, mark) for block, mark in zip(blocks.tolist(), marks[blocks].tolist(), strict=True)]
        new = [key for key in keys if key not in self._known and key[2] != whole.marks[key[1]]]
        self._known |= {key: len(self._entries) + i for i, key in enumerate(new)}
        self._entries += _entries_of_blocks(own, whole, [block for _, block, _ in new], self._size)
        return [self._known.get(key, -1) for key in keys]

    def _enter(self, own: Blocks) -> None:
        self._size = prod(own.shape)
        self._wholes.append(own)
        self._marks.append(own.marks)
        self._samples.append(_sample_of_blocks(own))
        self._last.append((own.marks, np.full(len(own.blocks), -1, np.int32)))


class _Rows:
    """Rows of numbers, by which the nearest one is found."""

    def __init__(self) -> None:
        self._rows: NDArray[Any] = np.empty((0, 0))

    def append(self, row: NDArray[Any]) -> None:
        """Take in a row, as long as those before."""
        self._rows = np.vstack((self._rows, row)) if len(self._rows) else row[None]

    def differing(self, row: NDArray[Any]) -> NDArray[np.intp]:
        """Return in how many numbers each row differs from this one."""
        found: NDArray[np.intp] = np.count_nonzero(self._rows != row, axis=1)
        return found


def _sample(array: NDArray[Any]) -> NDArray[Any]:
    flat = array.reshape(-1)
    return flat[:: max(1, flat.size // SAMPLE)]


def _sample_of_blocks(own: Blocks) -> NDArray[Any]:
    return np.array([block.reshape(-1)[0] for block in own.blocks])


def _entries_of_blocks(own: Blocks, whole: Blocks, blocks: Sequence[int], size: int) -> list[Entries]:
    """Return for each of these blocks, ascending, where arrays of so many entries differ, and what the first one has.

    All are compared at once: a checkpoint has thousands of them, a few of each member of the front.
    """
    if not blocks:
        return []
    at, values = _entries(*(np.concatenate([array.blocks[block] for block in blocks]) for array in (own, whole)))
    length = whole.blocks[0].size
    ends = np.searchsorted(at, length * np.arange(1, len(blocks))).tolist()
    places = (at + (length * (np.array(blocks) - np.arange(len(blocks))))[at // length]).astype(
        np.min_scalar_type(size)
    )
    return [(places[i:j], values[i:j]) for i, j in zip([0, *ends], [*ends, len(at)], strict=True)]


def _entries(own: NDArray[Any], whole: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Return the positions in which flattened arrays differ, and what is there in the first one."""
    own = own.reshape(-1)
    (at,) = (own != whole.reshape(-1)).nonzero()
    return at, own[at]
