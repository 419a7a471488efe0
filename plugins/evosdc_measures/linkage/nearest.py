"""Linkage to the nearest record: ties, credits, and trackers for both directions.

Records of one file, the asked ones, are each linked to the nearest record of the other, the searched file. Where t
searched records are nearest and the right one is among them, that counts 1/t.
"""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Changes, Fitted, Tracker
from evosdc.model.tracker import Rescoring
from evosdc.processors import LONG, in_parts
from evosdc.table.table import Numbers, Rows, Table
from evosdc.table.whole_shares import shares_of, sums_of_parts, unit_of
from evosdc_measures.domains import Integers, require_same_shape

Placed = NDArray[Any]  # Records in the form in which they are compared, shape (m, V): codes, or coordinates
Links = tuple[Integers, Rows]
"""For each asked record the size of the tie that its own one is in, 0 where another is nearer; and a nearer one, or its
own one where none is known, shape (m,)."""

FEW = 32  # Records up to which comparing with all is faster than building a search tree
BLOCK = 1 << 22  # Greatest number of distances that are held at a time


class FittedNearest(Fitted):
    """Linkage to the nearest record, fitted on one original."""

    originals: Placed
    tree: Any = None

    def __init__(self, original: Table, backward: bool, local: bool = True) -> None:
        self.original, self.backward, self.local = original, backward, local
        self.unit = unit_of(len(original))
        self._shares = shares_of(np.arange(len(original) + 1), self.unit)

    @abstractmethod
    def placed(self, table: Table) -> Placed:
        """Return records in the form in which they are compared."""

    def pair(self, masked: Table) -> tuple[Placed, Placed]:
        """Return the records of the original and of a masked table, which is refused if it does not fit."""
        require_same_shape(self.original, masked)
        return self.originals, self.placed(masked)

    @abstractmethod
    def tree_of(self, searched: Placed) -> Any:
        """Return what a file is searched by."""

    @abstractmethod
    def search(self, asked: Placed, own: Placed, tree: Any) -> Links:
        """Return how records are linked; the rows of nearer ones are -1 where none is known."""

    @abstractmethod
    def distances(self, asked: Placed, searched: Placed) -> NDArray[Any]:
        """Return distances of records, which lie along the last axis; other axes are broadcast."""

    @abstractmethod
    def limits(self, asked: Placed, own: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return, by the distance to the own record, below which another one is nearer, and up to which it is tied."""

    def looking_order(self, asked: Placed, tree: Any) -> Rows:
        """Return in which order all records of a file are looked up: neighbours in a tree follow each other."""
        return np.arange(len(asked))

    def links(self, masked: Table) -> Links:
        """Return how all records are linked."""
        originals, published = self.pair(masked)
        asked, searched = (originals, published) if self.backward else (published, originals)
        return self.links_in(asked, searched, self.tree if self.tree is not None else self.tree_of(searched))

    def links_in(self, asked: Placed, searched: Placed, tree: Any) -> Links:
        """Return how all records of one file are linked to the other; those of a long one are looked up in threads."""
        order = self.looking_order(asked, tree)

        def search(rows: Rows) -> Links:
            return self.search(asked[rows], searched[rows], tree)

        found = in_parts(order, search) if len(order) >= LONG else [search(order)]
        ties, rivals = np.empty(len(order), dtype=np.int64), np.empty(len(order), dtype=np.intp)
        ties[order] = np.concatenate([part[0] for part in found])
        rivals[order] = np.concatenate([part[1] for part in found])
        return ties, np.where(rivals < 0, np.arange(len(order)), rivals)

    def links_by_comparison(self, asked: Placed, own: Placed, searched: Placed) -> Links:
        """Return how records are linked, as `search` does, by their distances to all of a file."""
        ties, rivals = np.empty(len(asked), dtype=np.int64), np.empty(len(asked), dtype=np.intp)
        step = max(BLOCK // len(searched), 1)
        for begin in range(0, len(asked), step):
            part = slice(begin, begin + step)
            distances = self.distances(asked[part, None], searched[None])
            nearer, most = self.limits(asked[part], self.distances(asked[part], own[part]))
            nearest = distances.argmin(axis=1)
            beaten = distances[np.arange(len(distances)), nearest] < nearer
            ties[part] = np.where(beaten, 0, (distances <= most[:, None]).sum(axis=1))
            rivals[part] = np.where(beaten, nearest, -1)
        return ties, rivals

    def shares(self, ties: Integers) -> Integers:
        """Return the credit of each record, in whole numbers of which `unit` is one record."""
        return self._shares.take(ties)

    def percent(self, credit: int | Integers) -> Any:
        """Return a sum of credits, or several, as scores, 0..100."""
        return np.minimum(100.0 * (credit / float(self.unit * len(self.original))), 100.0)

    def score(self, masked: Table) -> float:
        """Return the risk of a table, 0..100."""
        return float(self.percent(int(self.shares(self.links(masked)[0]).sum())))

    def track(self, masked: Table) -> Tracker:
        """Return a tracker of a table."""
        if not self.local:
            return NearestRescoring(self, masked)
        return OriginalsLookedUp(self, masked) if self.backward else MaskedLookedUp(self, masked)


class NearestRescoring(Rescoring):
    """The tracker where a change of any record moves all: each table is linked from scratch."""

    fitted: FittedNearest

    def contributions(self) -> Numbers:
        """Return each record's credit as a share of the score, shape (n,)."""
        contributions: Numbers = self.fitted.percent(self.fitted.shares(self.fitted.links(self.masked)[0]))
        return contributions


class MaskedLookedUp(Tracker):
    """The tracker for masked records that are looked up in the original: a change moves the changed records alone."""

    def __init__(self, fitted: FittedNearest, masked: Table) -> None:
        self.fitted = fitted
        self._shares = fitted.shares(fitted.links(masked)[0])
        self._credit = int(self._shares.sum())

    @property
    def score(self) -> float:
        """The score of the table."""
        return float(self.fitted.percent(self._credit))

    def take(self, change: Changes) -> None:
        """Go on to a child; one search for each changed record."""
        latest = self._latest(change)
        self._credit += int((latest - self._shares[change.rows]).sum())
        self._shares[change.rows] = latest

    def tries(self, changes: Changes) -> Numbers:
        """Return the scores of children; one search for each changed record."""
        steps = self._latest(changes) - self._shares[changes.rows]
        scores: Numbers = self.fitted.percent(self._credit + sums_of_parts(steps, changes.ends))
        return scores

    def contributions(self) -> Numbers:
        """Return each record's credit as a share of the score, shape (n,)."""
        contributions: Numbers = self.fitted.percent(self._shares)
        return contributions

    def _latest(self, changes: Changes) -> Integers:
        fitted = self.fitted
        ties, _ = fitted.search(fitted.placed(changes.after), fitted.originals[changes.rows], fitted.tree)
        return fitted.shares(ties)


class OriginalsLookedUp(Tracker):
    """The tracker for originals that are looked up in the masked file, in which records change."""

    # An original that has a nearer record than its own one stays so until one of these two changes. Others are looked
    # up again where a changed record was or becomes as near as their own one.

    def __init__(self, fitted: FittedNearest, masked: Table) -> None:
        self.fitted = fitted
        self._published = fitted.pair(masked)[1].copy()
        self._every = np.arange(len(self._published))
        self._ties, self._rivals = self._links_of(self._every)
        self._most = self._farthest_ties(self._every)
        self._credit = int(fitted.shares(self._ties).sum())

    @property
    def score(self) -> float:
        """The score of the table."""
        return float(self.fitted.percent(self._credit))

    def take(self, change: Changes) -> None:
        """Go on to a child."""
        rows, ties, rivals = self._publish(change.rows, self.fitted.placed(change.after))
        self._credit += self._gain(rows, ties)
        self._ties[rows], self._rivals[rows] = ties, rivals
        self._most[rows] = self._farthest_ties(rows)

    def tries(self, changes: Changes) -> Numbers:
        """Return the scores of children: what each changes is published and taken back."""
        credits, begin = np.empty(len(changes.ends), dtype=np.int64), 0
        after = self.fitted.placed(changes.after)
        for child, end in enumerate(changes.ends.tolist()):
            changed = changes.rows[begin:end]
            before = self._published[changed]
            rows, ties, _ = self._publish(changed, after[begin:end])
            credits[child] = self._credit + self._gain(rows, ties)
            self._take_back(changed, before)
            begin = end
        scores: Numbers = self.fitted.percent(credits)
        return scores

    def contributions(self) -> Numbers:
        """Return each original's credit as a share of the score, shape (n,)."""
        contributions: Numbers = self.fitted.percent(self.fitted.shares(self._ties))
        return contributions

    def _gain(self, rows: Rows, ties: Integers) -> int:
        return int((self.fitted.shares(ties) - self.fitted.shares(self._ties[rows])).sum())

    def _publish(self, changed: Rows, after: Placed) -> tuple[Rows, Integers, Rows]:
        """Change published records, and return the originals that are looked up again, and how they are linked."""
        before = self._published[changed]
        self._published[changed] = after
        self._renew(before, after)
        rows = self._every
        if len(changed) <= FEW:
            rows = np.flatnonzero(self._stale(changed, before, after))
        return rows, *self._links_of(rows)

    def _renew(self, before: Placed, after: Placed) -> None:
        """Bring up to date what else depends on published records, of which some have just changed."""

    def _take_back(self, changed: Rows, before: Placed) -> None:
        """Undo a change of published records."""
        self._published[changed] = before

    def _stale(self, changed: Rows, before: Placed, after: Placed) -> NDArray[np.bool_]:
        """Return which originals are to be looked up again, shape (n,)."""
        touched = np.zeros(len(self._every), dtype=np.bool_)
        touched[changed] = True
        stale: NDArray[np.bool_] = touched | touched[self._rivals]
        linked = np.flatnonzero((self._ties > 0) & ~stale)
        asked, most = self.fitted.originals[linked, None], self._most[linked, None]
        near = [(self.fitted.distances(asked, records[None]) <= most).any(axis=1) for records in (before, after)]
        stale[linked] = near[0] | near[1]
        return stale

    def _links_of(self, rows: Rows) -> Links:
        """Return how some originals are linked."""
        fitted, asked, own = self.fitted, self.fitted.originals[rows], self._published[rows]
        if len(rows) <= FEW:
            ties, rivals = fitted.links_by_comparison(asked, own, self._published)
        else:
            tree = fitted.tree_of(self._published)
            if len(rows) == len(self._every):
                return fitted.links_in(asked, own, tree)
            ties, rivals = fitted.search(asked, own, tree)
        return ties, np.where(rivals < 0, rows, rivals)

    def _farthest_ties(self, rows: Rows) -> NDArray[Any]:
        """Return up to which distance other records are tied with the own one of some originals."""
        asked = self.fitted.originals[rows]
        return self.fitted.limits(asked, self.fitted.distances(asked, self._published[rows]))[1]
