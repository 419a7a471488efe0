"""Values that are published as they were: by each attribute's exact value alone, how many people are found."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.table.distinct_values import placed_values
from evosdc.table.published_decimals import at_decimals
from evosdc.table.schema import Role
from evosdc.table.table import Codes, Numbers, Rows, Table

Integers = NDArray[np.int64]


class Columns(NamedTuple):
    """The attributes of one matrix of the original, the codes' or the numbers'.

    Parameters
    ----------
    values : ndarray, shape (n, C)
        All columns.
    judged : ndarray of int64, shape (V,)
        Those that are looked at.
    groups : ndarray of int32, shape (V, n)
        By judged attribute, which group each original value belongs to; values that are equally frequent have one.
    firsts : ndarray of int64, shape (V + 1,)
        Where the groups of each judged attribute begin among all.
    frequencies : ndarray of int64
        By group, how often each of its values occurs in the original.
    """

    values: Codes | Numbers
    judged: Integers
    groups: NDArray[np.int32]
    firsts: Integers
    frequencies: Integers


class Kept(NamedTuple):
    """Which values of one matrix are as they were.

    Parameters
    ----------
    values : ndarray, shape (n, C)
        Of the masked table.
    counts : ndarray of int64
        Kept values by group.
    found : ndarray of float64, shape (V,)
        By judged attribute, how many people are expected to be found.
    """

    values: Codes | Numbers
    counts: Integers
    found: Numbers


State = tuple[Kept, Kept]
"""Of codes and of numbers."""


class ExactValues:
    """Who is found by the exact value of one attribute alone, for each attribute of an original.

    Of t people with the published value one is taken, so that a right one among them is found with a chance of 1 / t.
    A missing category is a value like others; a missing number is none. A change is followed at a cost of O(1) for a
    changed cell, with the same result to the last bit: what is kept is counted by how frequent the value is in the
    original, and fractions are summed in one order. Numbers are compared at the decimals of the schema, which are those
    that are published: whoever knows more of them rounds what he knows.

    Parameters
    ----------
    original : Table
    names : sequence of str
        The attributes to look at.
    """

    def __init__(self, original: Table, names: Sequence[str]) -> None:
        schema = original.schema
        judged = [[v for v, a in enumerate(of) if a.name in names] for of in (schema.categorical, schema.numeric)]
        self.names = tuple(
            of[v].name for of, places in zip((schema.categorical, schema.numeric), judged, strict=True) for v in places
        )
        numbers = at_decimals(original.numbers, schema.numeric)
        # Nobody publishes more decimals than the schema says; where the original has no more, none need be cut.
        self._cut = numbers is not original.numbers
        self._numeric = schema.numeric
        self._sides = (_columns(original.codes, judged[0]), _columns(numbers, judged[1]))
        self._rows = np.arange(len(original), dtype=np.intp)

    def start(self, masked: Table) -> State:
        """Return the state of a table; O(n V).

        Raises
        ------
        ValueError
            It has other records or attributes than the original: a mistake of the caller.
        """
        codes, numbers = self._sides
        if masked.codes.shape != codes.values.shape or masked.numbers.shape != numbers.values.shape:
            raise ValueError("the masked table has other records or attributes than the original")
        return self._started(codes, masked.codes), self._started(numbers, self._at_decimals(masked.numbers))

    def copied(self, state: State) -> State:
        """Return a copy of a state; the values are shared."""
        codes, numbers = (Kept(kept.values, kept.counts.copy(), kept.found.copy()) for kept in state)
        return codes, numbers

    def follow(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change in `rows`, the old one is altered; O(1) for a changed cell."""
        codes, numbers = self._sides
        values: Numbers = masked.numbers
        if self._cut:
            values = np.array(state[1].values, dtype=np.float64)
            values[rows] = self._at_decimals(masked.numbers[rows])
        return _followed(codes, state[0], masked.codes, rows), _followed(numbers, state[1], values, rows)

    def percents(self, state: State) -> Numbers:
        """Return, in the order of `names`, the per cent of the people who are found, shape (V,), each 0..100."""
        found: Numbers = np.concatenate((state[0].found, state[1].found))
        return 100.0 * found / max(len(self._rows), 1)

    def greatest(self, state: State) -> float:
        """Return the per cent of the people who are found by the attribute that finds most; 0 without attributes."""
        found = max((*state[0].found.tolist(), *state[1].found.tolist()), default=0.0)
        return 100.0 * found / max(len(self._rows), 1)

    def greatest_of_children(self, state: State, rows: Rows, ends: Integers, before: Table, after: Table) -> Numbers:
        """Return what `greatest` would be for several tables that differ in few records, shape (k,).

        Parameters
        ----------
        state : tuple
            Left as it is in the end.
        rows : ndarray of intp, shape (r,)
            Changed records, table by table.
        ends : ndarray of int64, shape (k,)
            Where those of each table end.
        before, after : Table
            These records in the state's own table and in the others, r records each.
        """
        from evosdc.table.kept_values import found_of_children  # numba is loaded with it

        codes, numbers = self._sides
        greatest = np.zeros(len(ends))
        for columns, kept, was, now in (
            (codes, state[0], before.codes, after.codes),
            (numbers, state[1], self._at_decimals(before.numbers), self._at_decimals(after.numbers)),
        ):
            if len(columns.judged):
                found = found_of_children(*columns, was, now, rows, ends, kept.counts, kept.found)
                np.maximum(greatest, found, out=greatest)
        return 100.0 * greatest / max(len(self._rows), 1)

    def chances(self, state: State, name: str) -> Numbers:
        """Return for each record the chance to be found by the exact value of an attribute, shape (n,), 0..1."""
        place = self.names.index(name)
        side = 0 if place < len(self._sides[0].judged) else 1
        place -= side * len(self._sides[0].judged)
        columns, kept = self._sides[side], state[side]
        v = columns.judged[place]
        frequencies = columns.frequencies[columns.groups[place]]
        return np.where(kept.values[:, v] == columns.values[:, v], 1.0 / frequencies, 0.0)

    def _at_decimals(self, numbers: Numbers) -> Numbers:
        return at_decimals(numbers, self._numeric) if self._cut else numbers

    def _started(self, columns: Columns, masked: Codes | Numbers) -> Kept:
        from evosdc.table.kept_values import follow_kept  # numba is loaded with it

        counts, found = np.zeros(len(columns.frequencies), np.int64), np.zeros(len(columns.judged))
        if len(columns.judged):
            follow_kept(*columns, masked, masked, self._rows, True, counts, found)
        return Kept(masked, counts, found)


def known_of(table: Table, protect: Sequence[str]) -> tuple[str, ...]:
    """Return what an intruder is taken to know of the masked attributes: all but sensitive ones, where there are."""
    return tuple(n for n in protect if table.schema[n].role is not Role.SENSITIVE) or tuple(protect)


def _columns(values: Codes | Numbers, judged: Sequence[int]) -> Columns:
    """Return the layout of a matrix of the original."""
    groups = np.empty((len(judged), len(values)), np.int32)
    frequencies, firsts = [np.empty(0, np.int64)], [0]
    for place, v in enumerate(judged):
        _, flat, counts = placed_values(values[:, v])
        different, group = np.unique(counts, return_inverse=True)
        groups[place] = firsts[-1] + group[flat]
        frequencies.append(different.astype(np.int64))
        firsts.append(firsts[-1] + len(different))
    return Columns(values, np.array(judged, np.int64), groups, np.array(firsts, np.int64), np.concatenate(frequencies))


def _followed(columns: Columns, state: Kept, masked: Codes | Numbers, rows: Rows) -> Kept:
    if not len(columns.judged):
        return state
    from evosdc.table.kept_values import follow_kept  # numba is loaded with it

    follow_kept(*columns, state.values, masked, rows, False, state.counts, state.found)
    return Kept(masked, state.counts, state.found)
