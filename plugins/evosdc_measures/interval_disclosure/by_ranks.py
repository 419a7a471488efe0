"""Interval disclosure of files with numbers, by ranks and cell by cell: a change costs what it changes."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Batched, Changes
from evosdc.table.schema import Schema
from evosdc.table.table import Numbers, Rows, Table
from evosdc_measures.changed_columns import columns_that_differ
from evosdc_measures.domains import Integers
from evosdc_measures.interval_disclosure.grown_children import FAR, MANY, MOST_CHANGES, grown_of_children
from evosdc_measures.interval_disclosure.moved_ranks import (
    INSIDE,
    Moves,
    copied,
    follow_moves,
    hits_now,
    no_moves,
    ranked_again,
    room_of,
)
from evosdc_measures.interval_disclosure.ranked_column import (
    RankedColumn,
    distances_of,
    hits_by_distance,
    inside_of_records,
    near_limits,
    radius_of,
)
from evosdc_measures.interval_disclosure.value_growth import NOT_SUMMED, ValueGrowth, growth_by_value
from evosdc_measures.linkage.numeric_dbrl import require_same_shape

WORTH_SUMS = 12
"""Children from which on what one value does to a column is summed for all of them."""


class Followed(NamedTuple):
    """A column that was ranked, and what has moved in it since."""

    column: RankedColumn
    moves: Moves

    @property
    def inside(self) -> int:
        """Sum of the hits."""
        return int(self.moves.whole[INSIDE])


class State(NamedTuple):
    """How the original values lie around the masked ones.

    Parameters
    ----------
    numbers : ndarray of float64, shape (n, Q)
        Of the masked table.
    categories : object
        State of the measure of the categorical attributes, None where there are none.
    columns : list of Followed
        By numeric attribute. Each may be ranked anew where it stands, which alters no figure.
    inside : int
        Sum of the hits of these.
    """

    numbers: Numbers
    categories: Any
    columns: list[Followed]
    inside: int


class Categories(NamedTuple):
    """The categorical attributes of a mixed file, and the measure that counts their hits.

    Parameters
    ----------
    schema : Schema
        Of these attributes alone.
    fitted : FittedIntervalDisclosure
        As `evosdc_measures.interval_disclosure.interval` has it.
    """

    schema: Schema
    fitted: Any

    def of(self, masked: Table) -> Table:
        """Return the categorical attributes of a table."""
        return Table(self.schema, masked.codes, np.empty((len(masked), 0)))


class FittedByRanks(Batched[State]):
    """`IntervalDisclosure` of one original with numbers.

    Parameters
    ----------
    original : Table
    enough : ndarray of int64, shape (102,)
        See `evosdc_measures.interval_disclosure.rank_intervals.wide_enough`.
    categories : Categories, optional
    """

    def __init__(self, original: Table, enough: Integers, categories: Categories | None) -> None:
        self._original = original
        # Copies: what can be written to is another type, for which kernels would be compiled again.
        self._columns = [np.array(column) for column in original.numbers.T]
        self._orders = [np.argsort(column) for column in self._columns]
        self._latest: list[Rows | None] = [None] * len(self._columns)
        self._by_distance = hits_by_distance(enough, len(original))
        self._radius = radius_of(len(original))
        self._categories = categories
        self._most = len(original) * len(original.schema) * int(enough[0])

    def start(self, masked: Table) -> State:
        """Return the state of a table; O(n log n) for each attribute."""
        require_same_shape(self._original, masked)
        known = None if self._categories is None else self._categories.fitted.start(self._categories.of(masked))
        columns = [
            self._begun(v, column, np.argsort(column)) for v, column in enumerate(map(np.array, masked.numbers.T))
        ]
        return State(masked.numbers, known, columns, sum(followed.inside for followed in columns))

    def _begun(self, v: int, masked: Numbers, order: Rows) -> Followed:
        """Return what a state holds of one numeric attribute that was sorted."""
        return self._ranked(v, masked, *distances_of(self._columns[v], masked, self._orders[v], order))

    def _ranked(self, v: int, masked: Numbers, ordered: Numbers, apart: NDArray[np.int32]) -> Followed:
        original, n = self._columns[v], len(masked)
        place = np.empty(n, dtype=np.int32)
        known, taken, near, inside = near_limits(
            original, masked, apart, self._orders[v], self._by_distance, self._radius, place
        )
        order = np.argsort(taken).astype(np.int32)
        column = RankedColumn(original, masked, ordered, apart, place, known, taken, taken[order], order)
        return Followed(column, no_moves(near, inside, room_of(self._radius)))

    def update(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change, and leave the old one as it is."""
        return self._after(state, masked, rows, True)

    def follow(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change; the old one is altered."""
        return self._after(state, masked, rows, False)

    def _after(self, state: State, masked: Table, rows: Rows, kept: bool) -> State:
        known, columns, inside = state.categories, list(state.columns), state.inside
        if self._categories is not None:
            fitted = self._categories.fitted
            advance = fitted.update if kept else fitted.follow
            known = advance(known, self._categories.of(masked), rows)
        for v in columns_that_differ(state.numbers, masked.numbers, rows):
            inside -= columns[v].inside
            columns[v] = self._followed(v, columns[v], state.numbers, masked.numbers, rows, kept)
            inside += columns[v].inside
        return State(masked.numbers, known, columns, inside)

    def _followed(
        self, v: int, followed: Followed, before: Numbers, after: Numbers, rows: Rows, kept: bool
    ) -> Followed:
        if len(rows) > MOST_CHANGES and int((before[rows, v] != after[rows, v]).sum()) > MOST_CHANGES:
            masked = after[:, v].copy()
            return self._begun(v, masked, self._order_of_relative(v, masked))
        column, moves = followed
        if kept:
            moves = copied(moves)
        return self._advanced(v, column, moves, before[rows], after[rows], rows)

    def _advanced(
        self, v: int, column: RankedColumn, moves: Moves, before: Numbers, after: Numbers, rows: Rows
    ) -> Followed:
        """Return one column after a change of some records, which alters the moves."""
        done = follow_moves(column, moves, before, after, rows, 0, v, self._radius, self._by_distance)
        while done < len(rows):
            column, moves = self._ranked(v, *ranked_again(column, moves))
            done = follow_moves(column, moves, before, after, rows, done, v, self._radius, self._by_distance)
        return Followed(column, moves)

    @property
    def together(self) -> bool:
        """Whether the categorical attributes are counted, too."""
        return self._categories is None or bool(self._categories.fitted.together)

    def values(self, state: State, changes: Changes) -> Numbers:
        """Return the risks of several children."""
        inside = np.full(len(changes.ends), state.inside, dtype=np.int64)
        before, after = changes.before.numbers, changes.after.numbers
        for v in columns_that_differ(before, after, np.arange(len(before))):
            grown = self._grown(v, state.columns[v], changes)
            least = grown.min(initial=0)
            if least == FAR:
                # Once for all children, and for those of the child that comes next.
                state.columns[v] = self._ranked(v, *ranked_again(*state.columns[v]))
                grown = self._grown(v, state.columns[v], changes)
            if least <= MANY:
                for child in np.flatnonzero(grown == MANY):
                    grown[child] = self._inside_anew(v, state, changes, int(child)) - state.columns[v].inside
            inside += grown
        if self._categories is not None:
            part = changes._replace(
                before=self._categories.of(changes.before), after=self._categories.of(changes.after)
            )
            inside += self._categories.fitted.inside_of_children(state.categories, part)
        risks: Numbers = 100.0 * inside / self._most
        return risks

    def _grown(self, v: int, followed: Followed, changes: Changes) -> Integers:
        """Return by how much the hits of one column grow in each child, as `grown_of_children`."""
        column, moves = followed
        growth = NOT_SUMMED
        if len(changes.ends) >= WORTH_SUMS:
            growth = ValueGrowth(*growth_by_value(column, moves.apart, self._by_distance))
        before, after, rows = changes.before.numbers, changes.after.numbers, changes.rows
        return grown_of_children(
            column, moves, growth, before, after, rows, changes.ends, v, self._radius, self._by_distance
        )

    def _inside_anew(self, v: int, state: State, changes: Changes, child: int) -> int:
        """Return the sum of the hits of one column in a child, by sorting it."""
        own = slice(int(changes.ends[child - 1]) if child else 0, int(changes.ends[child]))
        masked = np.array(state.numbers[:, v])
        masked[changes.rows[own]] = changes.after.numbers[own, v]
        order = self._order_of_relative(v, masked)
        _, apart = distances_of(self._columns[v], masked, self._orders[v], order)
        return int(inside_of_records(self._columns[v], masked, apart, self._by_distance))

    def _order_of_relative(self, v: int, masked: Numbers) -> Rows:
        """Return the records in the order of a column, of a file that differs in some records from the latest one.

        To sort what is nearly in order takes a quarter of the time. Which of equal values comes first is of no account.
        """
        latest = self._latest[v]
        order: Rows = np.argsort(masked) if latest is None else latest[np.argsort(masked[latest], kind="stable")]
        self._latest[v] = order
        return order

    def burdens(self, masked: Table) -> Numbers:
        """Return each record's hits as a share of the score, shape (n,); as `start`."""
        return self.burdens_of_state(self.start(masked))

    def burdens_of_state(self, state: State) -> Numbers:
        """Return the burdens of the table that a state stands for; O(n Q)."""
        hits = np.zeros(len(state.numbers), dtype=np.int64)
        for followed in state.columns:
            hits_now(*followed, self._by_distance, hits)
        if self._categories is not None:
            hits += self._categories.fitted.hits_of_state(state.categories)
        burdens: Numbers = hits.astype(np.float64) * (100.0 / self._most)
        return burdens

    def value(self, state: State) -> float:
        """Return the risk, 0..100."""
        inside = state.inside
        if self._categories is not None:
            inside += self._categories.fitted.inside(state.categories)
        return 100.0 * inside / self._most
