"""Attributes crossed into one: the combinations of categories that records have, and which of them each record has.

A block is one attribute or several that are treated as one. The states of a single attribute are its categories; a
missing value is none of them. Those of crossed attributes are the combinations that occur, in order, where a missing
value is written as such: then each set of attributes without a value is a domain of its own, see `Block.domains`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc.table.schema import Attribute
from evosdc.table.table import MISSING, Codes, Numbers, Table

Combinations = NDArray[np.int32]
Positions = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Block:
    """One attribute, or several crossed into one, of a table.

    Parameters
    ----------
    attributes : tuple of Attribute
    states : ndarray of int32, shape (m, w)
        Codes of each state, one for each attribute.
    record : ndarray of int32, shape (n,)
        State of each record; ``MISSING`` where it has none.
    """

    attributes: tuple[Attribute, ...]
    states: Combinations
    record: Codes

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the attributes."""
        return tuple(attribute.name for attribute in self.attributes)

    def counts(self, weights: Numbers | None = None) -> NDArray[np.int64] | Numbers:
        """Return how many records each state has, or the sum of their weights, shape (m,)."""
        present = self.record >= 0
        kept = None if weights is None else weights[present]
        counts = np.bincount(self.record[present], weights=kept, minlength=len(self.states))
        return counts if weights is not None else counts.astype(np.int64)

    def domains(self) -> list[Positions]:
        """Return the positions of the states that lack values of the same attributes, domain by domain."""
        if len(self.attributes) == 1 or len(self.states) == 0:
            return [np.arange(len(self.states))]
        pattern = (self.states == MISSING) @ (1 << np.arange(len(self.attributes), dtype=np.int64))
        return [np.flatnonzero(pattern == value) for value in np.unique(pattern)]

    def labels(self) -> tuple[tuple[str | None, ...], ...]:
        """Return each state's categories, None for a missing value."""
        return tuple(
            tuple(None if code < 0 else a.categories[code] for a, code in zip(self.attributes, state, strict=True))
            for state in self.states.tolist()
        )

    def codes(self, record: Codes, unchanged: Codes) -> Codes:
        """Return the attributes' codes for states by record, shape (n, w); `unchanged` where a record has none."""
        result: Codes = unchanged.copy()
        known = record >= 0
        result[known] = self.states[record[known]]
        return result


def block_of(table: Table, names: Sequence[str], further: Iterable[Sequence[int]] = ()) -> Block:
    """Return the block of some categorical attributes.

    Parameters
    ----------
    names : sequence of str
    further : iterable of sequence of int
        Combinations that belong to it besides those that occur, as codes; for crossed attributes only.
    """
    attributes = tuple(table.schema[name] for name in names)
    columns: Codes = np.stack([np.asarray(table.column(name), dtype=np.int32) for name in names], axis=1)
    if len(attributes) == 1:
        states = np.arange(len(attributes[0].categories), dtype=np.int32)[:, None]
        return Block(attributes, states, np.ascontiguousarray(columns[:, 0]))
    extra = np.array(list(further), dtype=np.int32).reshape(-1, len(attributes))
    together = np.concatenate((columns, extra))
    group = np.zeros(len(together), dtype=np.int64)
    for j, attribute in enumerate(attributes):
        keys = group * (len(attribute.categories) + 1) + together[:, j] + 1
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    if not len(together):
        return Block(attributes, together, np.empty(0, dtype=np.int32))
    return Block(attributes, together[first], group[: len(table)].astype(np.int32))


def crossed_blocks(names: Sequence[str], crossed: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """Return the names block by block, in the order of `names`; those that nothing crosses are blocks by themselves."""
    home = {name: tuple(block) for block in crossed for name in block}
    return list(dict.fromkeys(home.get(name, (name,)) for name in names))
