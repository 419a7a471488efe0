"""Linkage to the nearest record: ties, credits, and the tracker of masked records that are looked up.

Records of one file, the queries, are each linked to the nearest record of the other, the searched file. Where t
searched records are nearest and the right one is among them, that counts 1/t.
"""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Changes, Fitted, Tracker
from evosdc.model.tracker import Rescoring
from evosdc.processors import LONG, in_parts
from evosdc.table.exact_values import shares_of, unit_of
from evosdc.table.table import Numbers, Rows, Table
from evosdc_measures.domains import Integers, require_same_shape, sums_of_parts

Placed = NDArray[Any]  # Records in the form in which they are compared, shape (m, V): codes, or coordinates
Links = tuple[Integers, Rows]
"""For each query the size of the tie that its own record is in, 0 where another is nearer; and a nearer one, or its
own one where none is known, shape (m,)."""
BLOCK = 1 << 22  # Greatest number of distances that are held at a time


class FittedNearest(Fitted):
    """Linkage to the nearest record, fitted on one original."""

    originals: Placed
    tree: Any = None
    squared = False  # whether distances are squares

    def __init__(self, original: Table, backward: bool, local: bool = True) -> None:
        self.original, self.backward, self.local = original, backward, local
        self.unit = unit_of(len(original))
        self.credits = shares_of(np.arange(len(original) + 1), self.unit)  # by the size of a tie

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
    def search(self, queries: Placed, own: Placed, tree: Any) -> Links:
        """Return how records are linked; the rows of nearer ones are -1 where none is known."""

    @abstractmethod
    def distances(self, queries: Placed, searched: Placed) -> NDArray[Any]:
        """Return distances of records, which lie along the last axis; other axes are broadcast."""

    def costs(self, masked: Table) -> Numbers:
        """Return the distances from all masked to all original records, shape (n, n)."""
        originals, records = self.pair(masked)
        distances = self.distances(records[:, None], originals[None]).astype(np.float64)
        return np.sqrt(distances) if self.squared else distances

    @abstractmethod
    def limits(self, queries: Placed, own: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return, by the distance to the own record, below which another one is nearer, and up to which it is tied."""

    def looking_order(self, queries: Placed, tree: Any) -> Rows:
        """Return in which order all records of a file are looked up: neighbours in a tree follow each other."""
        return np.arange(len(queries))

    def links(self, masked: Table) -> Links:
        """Return how all records are linked."""
        originals, published = self.pair(masked)
        queries, searched = (originals, published) if self.backward else (published, originals)
        return self.links_in(queries, searched, self.tree if self.tree is not None else self.tree_of(searched))

    def links_in(self, queries: Placed, searched: Placed, tree: Any) -> Links:
        """Return how all records of one file are linked to the other; those of a long one are looked up in threads."""
        order = self.looking_order(queries, tree)

        def search(rows: Rows) -> Links:
            return self.search(queries[rows], searched[rows], tree)

        found = in_parts(order, search) if len(order) >= LONG else [search(order)]
        ties, rivals = np.empty(len(order), dtype=np.int64), np.empty(len(order), dtype=np.intp)
        ties[order] = np.concatenate([part[0] for part in found])
        rivals[order] = np.concatenate([part[1] for part in found])
        return ties, np.where(rivals < 0, np.arange(len(order)), rivals)

    def links_by_comparison(self, queries: Placed, own: Placed, searched: Placed) -> Links:
        """Return how records are linked, as `search` does, by their distances to all of a file."""
        ties, rivals = np.empty(len(queries), dtype=np.int64), np.empty(len(queries), dtype=np.intp)
        step = max(BLOCK // len(searched), 1)
        for begin in range(0, len(queries), step):
            part = slice(begin, begin + step)
            distances = self.distances(queries[part, None], searched[None])
            nearer, most = self.limits(queries[part], self.distances(queries[part], own[part]))
            nearest = distances.argmin(axis=1)
            beaten = distances[np.arange(len(distances)), nearest] < nearer
            ties[part] = np.where(beaten, 0, (distances <= most[:, None]).sum(axis=1))
            rivals[part] = np.where(beaten, nearest, -1)
        return ties, rivals

    def shares(self, ties: Integers) -> Integers:
        """Return the credit of each record, in whole numbers of which `unit` is one record."""
        return self.credits.take(ties)

    def percent(self, credit: int | Integers) -> Any:
        """Return a sum of credits, or several, as scores, 0..100."""
        return np.minimum(100.0 * (credit / float(self.unit * len(self.original))), 100.0)

    def score(self, masked: Table) -> float:
        """Return the risk of a table, 0..100."""
        return float(self.percent(int(self.shares(self.links(masked)[0]).sum())))

    def track(self, masked: Table) -> Tracker:
        """Return a tracker of a table."""
        return MaskedLookedUp(self, masked) if self.local and not self.backward else NearestRescoring(self, masked)


class NearestRescoring(Rescoring):
    """The tracker where a change of a record may move all others: each table is linked from scratch."""

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
        """Update to a child; one search for each changed record."""
        fitted = self.fitted
        ties, _ = fitted.search(fitted.placed(change.after), fitted.originals[change.rows], fitted.tree)
        latest = fitted.shares(ties)
        self._credit += int((latest - self._shares[change.rows]).sum())
        self._shares[change.rows] = latest

    def tries(self, changes: Changes) -> Numbers:
        """Return the scores of children; one search for each changed record."""
        fitted = self.fitted
        ties, _ = fitted.search(fitted.placed(changes.after), fitted.originals[changes.rows], fitted.tree)
        steps = fitted.shares(ties) - self._shares[changes.rows]
        scores: Numbers = fitted.percent(self._credit + sums_of_parts(steps, changes.ends))
        return scores

    def contributions(self) -> Numbers:
        """Return each record's credit as a share of the score, shape (n,)."""
        contributions: Numbers = self.fitted.percent(self._shares)
        return contributions
