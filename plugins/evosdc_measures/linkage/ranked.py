"""Record linkage by an intruder who knows at about which place among the likeliest originals the right one stands."""

from threading import Lock
from typing import Any

import numpy as np
from pydantic import Field

from evosdc.model import Batched, Changes, FollowedInPlace, Incremental, Measure, Parameters
from evosdc.secret import Purpose, stream
from evosdc.table.equivalence import equivalence_classes
from evosdc.table.schema import Scale
from evosdc.table.table import Codes, Numbers, Rows, Table
from evosdc_measures.domains import require_aligned, small_counts
from evosdc_measures.linkage.category_members import members_of
from evosdc_measures.linkage.informed_originals import InformedOriginals
from evosdc_measures.linkage.number_intervals import FittedOnIntervals, by_classes
from evosdc_measures.linkage.ranked_following import followed_places, places_of_children
from evosdc_measures.linkage.ranked_neighbours import WORTH, Listed, nothing_listed
from evosdc_measures.linkage.ranked_places import PlacedFile, shares_of, started_places


class Near:
    """The originals that cost nearly as much as each record's own one, as far as they have been looked up.

    They change the time that children take, and no score. One thread at a time has them.
    """

    def __init__(self, listed: Listed | None = None) -> None:
        self.listed, self.in_use = listed, Lock()

    def handed_on(self) -> "Near":
        """Return them for a copy, which goes on from here: to copy them takes longer than many a round needs them."""
        if not self.in_use.acquire(blocking=False):
            return Near()
        listed, self.listed = self.listed, None
        self.in_use.release()
        return Near(listed)


State = tuple[Codes, PlacedFile, float, Near]
"""Codes of the masked table, at which places its records' own originals stand, score, who is near them."""


class RankedLinkage(Measure):
    """Expected share of records linked by one who knows about where among the likeliest the own one stands, times 100.

    Originals are ranked behind a masked record by their likelihood, as `informed-linkage` does. A search that lowers
    that share moves the right originals from the first place to the next ones, where whoever knows this finds them.
    This intruder draws an original from one block of places: 1, 2 to 3, 4 to 7, 8 to 15 or 16 to 31. An own original
    that is tied with t - 1 others has t places, each with probability 1/t. The risk is that of the block with the most
    matches, so it is at least `informed-linkage`, and all of it for the original. Range 0..100, smaller is better. No
    relabelling of published categories changes it.

    The transparency principle (Torra, 2017) applied to what a search does to a linkage; the blocks are a
    reconstruction. Of more than ``records`` records, so many are drawn by ``seed`` and placed among all originals.
    Numbers are taken by classes: ``bins`` of about equal frequency in the original. A missing value is a category of
    its own.
    """

    supports = frozenset(Scale)

    class Params(Parameters):
        """Classes of numbers, and the sample."""

        bins: int = Field(
            32, ge=2, description="Classes of about equal frequency that numbers, and dates of more days, are taken by."
        )
        records: int = Field(2000, ge=1, description="Masked records that are placed, at most.")
        seed: int = Field(1, ge=0, description="Of the sample.")

    params: Params

    def fit(self, original: Table) -> Incremental[Any]:
        """Build the tree of the originals, and draw the records.

        Raises
        ------
        ParameterError
            Too many categories.
        """
        self.require_support(original)
        n = len(original)
        asked: Rows = np.arange(n, dtype=np.intp)
        if n > self.params.records:
            drawn = stream(self.params.seed, Purpose.JUDGE).choice(n, self.params.records, replace=False)
            asked = np.sort(drawn).astype(np.intp)
        if by_classes(original.schema, self.params.bins):
            return FittedOnIntervals(original, self.params.bins, lambda classed: FittedRanked(classed, asked))
        return FittedRanked(original, asked)


class FittedRanked(InformedOriginals, FollowedInPlace[State], Batched[State]):
    """`RankedLinkage` of one original.

    Parameters
    ----------
    original : Table
    asked : ndarray of intp, shape (m,)
        Records that are placed, ascending.
    """

    def __init__(self, original: Table, asked: Rows) -> None:
        super().__init__(original, {}, "ranked-linkage")
        self._asked = asked
        self._twins = np.full(len(asked), -1, dtype=np.int32)
        kin = equivalence_classes(self._originals.model.own[asked]).of
        order = np.argsort(kin, kind="stable")
        alike = np.diff(kin[order]) == 0
        self._twins[order[1:][alike]] = order[:-1][alike]
        model, frequencies = self._originals.model, self._frequencies
        alone = model._replace(own=np.ascontiguousarray(model.own[asked]))
        frequencies = frequencies._replace(multiples=frequencies.multiples[asked])
        tree = self._originals.tree
        members = members_of(model.own, tree, model.strides)
        self._arrays = (asked, self._twins, model.own, *alone, *tree, *frequencies, *members)

    def start(self, masked: Table) -> State:
        """Return the state of a table; one search for each record asked."""
        require_aligned(self._original, masked)
        codes, model = self._narrowed(masked.codes)
        cells, m = int(model.offsets[-1]), len(self._asked)
        placed = PlacedFile(
            np.zeros(cells, dtype=np.int32),
            np.zeros(cells, dtype=np.int64),
            np.zeros(m, dtype=np.int32),
            np.ones(m, dtype=np.int32),
            np.zeros(m, dtype=np.int64),
        )
        originals = self._originals._replace(model=model)
        matched = started_places(codes, self._asked, self._twins, originals, self._frequencies, placed)
        if not self._follows:
            placed = placed._replace(counts=placed.counts[:0], costs=placed.costs[:0])
        return masked.codes, placed, self._risk(matched), Near()

    def copied(self, state: State) -> State:
        """Return a copy of a state, which takes along who is near; the codes are shared."""
        codes, placed, risk, near = state
        return codes, PlacedFile._make(array.copy() for array in placed), risk, near.handed_on()

    def follow(self, state: State, masked: Table, rows: Rows) -> State:
        """Return the state after a change: only records that publish what a changed cell published may move."""
        if not self._follows:
            return self.start(masked)
        codes, placed, _, near = state
        listed = near.listed or nothing_listed(len(self._asked), False)
        matched = followed_places(codes, masked.codes, rows, *self._arrays, *placed, *listed)
        return masked.codes, placed, self._risk(matched), near

    @property
    def together(self) -> bool:
        """Whether states hold the places; where there are too many categories, each file is placed anew."""
        return self._follows

    @property
    def beside(self) -> bool:
        """True: places are looked for in one kernel."""
        return True

    @property
    def divisible(self) -> bool:
        """True: children have copies of the places."""
        return True

    def values(self, state: State, changes: Changes) -> Numbers:
        """Return the risks of several children."""
        return self.values_by_place(state, changes)[0]

    def values_by_place(self, state: State, changes: Changes) -> tuple[Numbers, Numbers]:
        """Return the risks of several children, and the shares of records asked that match at the first place, 0..100.

        Parameters
        ----------
        state : tuple
            Of the parent.
        changes : Changes
            Of k children.
        """
        codes, placed, _, near = state
        n, m, before, after = len(self._original), len(self._asked), changes.before.codes, changes.after.codes
        alone = near.in_use.acquire(blocking=False)
        try:
            listed = near.listed if alone else None
            if listed is None:
                listed = nothing_listed(m, len(changes.ends) >= WORTH)
                if alone and len(listed.known) > 0:
                    near.listed = listed
            given = (before, after, changes.rows, changes.ends, small_counts(n + 1, n), *self._arrays, *placed, *listed)
            shares = np.minimum(100.0 * places_of_children(codes, *given) / m, 100.0)
        finally:
            if alone:
                near.in_use.release()
        return shares[:, 0], shares[:, 1]

    def burdens(self, masked: Table) -> Numbers:
        """Return each record's expected match as a share of the score, shape (n,); 0 for records not asked."""
        return self.burdens_of_state(self.start(masked))

    def burdens_of_state(self, state: State) -> Numbers:
        """Return each record's expected match as a share of the score, shape (n,); 0 for records not asked."""
        codes, placed = state[:2]
        burdens = np.zeros(len(codes))
        burdens[self._asked] = 100.0 * shares_of(placed.likelier, placed.tied) / len(self._asked)
        return burdens

    def places_all(self, original: Table) -> bool:
        """Whether the states hold the place of each record of this original."""
        return len(self._asked) == len(original) and np.array_equal(self._original.codes, original.codes)

    def value(self, state: State) -> float:
        """Return the risk, 0..100."""
        return state[2]

    def _risk(self, matched: float) -> float:
        return min(100.0 * matched / len(self._asked), 100.0)
