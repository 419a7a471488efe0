"""The lattice of a file: all vectors of levels, and how a frequency set climbs in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from evosdc_lattice.ladder import Ladder
from evosdc_lattice.requirement import ClassRequirement
from evosdc_lattice.rollup import Counts, Keys, Sensitive, WordFields, hash_table, merged_classes, packed, rolled_up

Levels = NDArray[np.int16]  # a node: the level of each attribute, shape (V,)

_WORD = 64


@dataclass(frozen=True, eq=False)
class FrequencySet:
    """The classes of a node: packed keys, sizes, and records by sensitive value."""

    keys: Keys
    counts: Counts
    sensitive: Sensitive

    @property
    def bytes(self) -> int:
        """Memory that it takes."""
        return self.keys.nbytes + self.counts.nbytes + self.sensitive.nbytes


@dataclass(frozen=True, eq=False)
class LatticeSpace:
    """The lattice of a file."""

    ladders: tuple[Ladder, ...]  # one an attribute
    model: ClassRequirement
    limit: int  # records that may be suppressed
    sensitive: NDArray[np.int64]  # shape (n, S), S may be 0; by record the column of each sensitive attribute's value

    @property
    def n(self) -> int:
        """Number of records."""
        return len(self.ladders[0].base)

    @cached_property
    def top(self) -> Levels:
        """The highest node."""
        return locked(np.array([ladder.height for ladder in self.ladders], dtype=np.int16))

    @cached_property
    def bottom(self) -> Levels:
        """The lowest node."""
        return locked(np.zeros(len(self.ladders), dtype=np.int16))

    @cached_property
    def size(self) -> int:
        """Number of nodes."""
        return prod(ladder.height + 1 for ladder in self.ladders)

    @cached_property
    def strides(self) -> NDArray[np.int64]:
        """What a level of each attribute adds to a node's position in lexicographic order."""
        strides = np.ones(len(self.ladders), dtype=np.int64)
        strides[:-1] = np.cumprod((self.top[1:].astype(np.int64) + 1)[::-1])[::-1]
        return strides

    @property
    def monotone(self) -> bool:
        """Whether every node above a node within the limit is within it."""
        return self.model.absorbing or self.limit == 0

    @cached_property
    def fields(self) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint64], int]:
        """Word, shift and mask of each attribute's field in a key, and the number of words."""
        word, shift, mask, used, words = [], [], [], 0, 1
        for ladder in self.ladders:
            bits = max(1, (len(ladder.labels[0]) - 1).bit_length())
            if used + bits > _WORD:
                words, used = words + 1, 0
            word.append(words - 1)
            shift.append(used)
            mask.append((1 << bits) - 1)
            used += bits
        return np.array(word, np.int64), np.array(shift, np.uint64), np.array(mask, np.uint64), words

    @cached_property
    def ground(self) -> FrequencySet:
        """The distinct records with their counts: the one pass over the file."""
        word, shift, _, words = self.fields
        codes = np.stack([ladder.base for ladder in self.ladders], axis=1)
        keys = packed(codes, word, shift, words)
        order = np.lexsort(keys.T)
        changed = np.ones(self.n, dtype=bool)
        changed[1:] = (keys[order[1:]] != keys[order[:-1]]).any(axis=1)
        group = np.empty(self.n, dtype=np.int64)
        group[order] = np.cumsum(changed) - 1
        firsts = order[changed]
        columns = self.model.columns
        spread = np.zeros((len(firsts), columns[-1].end if columns else 0), dtype=np.int32)
        for position in range(self.sensitive.shape[1]):
            np.add.at(spread, (group, self.sensitive[:, position]), 1)
        counts = np.bincount(group, minlength=len(firsts)).astype(np.int32)
        return FrequencySet(np.ascontiguousarray(keys[firsts]), counts, spread)

    def lowest(self, j: int) -> int:
        """Return the lowest level of an attribute that sizes of classes allow with all others at their highest."""
        frequencies, k = self.ladders[j].frequencies, self.model.k
        within = (level for level, sizes in enumerate(frequencies) if int(sizes[sizes < k].sum()) <= self.limit)
        return next(within, len(frequencies) - 1)

    def climb(self, classes: FrequencySet, levels: Sequence[int], above: Sequence[int]) -> FrequencySet:
        """Return the frequency set of a node from that of a node below it."""
        word, shift, mask, words = self.fields
        moved = [j for j in range(len(self.ladders)) if levels[j] != above[j]]
        if not moved:
            return classes
        maps = [self._parents[j][levels[j], above[j]] for j in moved]
        parents = maps[0] if len(maps) == 1 else np.concatenate(maps)
        sizes = [len(x) for x in maps]
        at = np.array(moved)
        if words == 1 and classes.sensitive.shape[1] == 0:
            offset = np.zeros(len(self.ladders), dtype=np.int64)
            offset[at[1:]] = np.cumsum(sizes[:-1])
            m = len(classes.counts)
            merged, counts = np.empty(m, np.uint64), np.empty(m, np.int32)
            fields, keys = WordFields(shift, mask, offset, parents), np.ascontiguousarray(classes.keys[:, 0])
            found = merged_classes(keys, classes.counts, m, at, fields, merged, counts, hash_table(m))
            return FrequencySet(merged[:found, None].copy(), counts[:found].copy(), classes.sensitive[:found])
        offset = np.zeros(len(maps), dtype=np.int64)
        np.cumsum(sizes[:-1], out=offset[1:])
        return FrequencySet(
            *rolled_up(classes.keys, classes.counts, classes.sensitive, word[at], shift[at], mask[at], offset, parents)
        )

    @cached_property
    def _parents(self) -> tuple[dict[tuple[int, int], NDArray[np.uint64]], ...]:
        return tuple(
            {
                (low, high): ladder.parents(low, high).astype(np.uint64)
                for low in range(ladder.height + 1)
                for high in range(low + 1, ladder.height + 1)
            }
            for ladder in self.ladders
        )


def locked(levels: NDArray[np.int16]) -> Levels:
    """Return a vector of levels, read-only."""
    levels.flags.writeable = False
    return levels


def nodes_of(space: LatticeSpace, begin: int = 0, end: int | None = None) -> list[Levels]:
    """Return the nodes at positions `begin` to `end` - 1 in lexicographic order; by default all."""
    positions = np.arange(begin, space.size if end is None else end, dtype=np.int64)
    levels = positions[:, None] // space.strides % (space.top.astype(np.int64) + 1)
    return [locked(node.copy()) for node in levels.astype(np.int16)]
