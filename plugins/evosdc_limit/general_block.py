"""The block of an attribute with any distances: how much of each original stands behind each published category."""

import numpy as np
from numpy.typing import NDArray

from evosdc_limit.attribute import Floats
from evosdc_limit.block import VIOLATION, Block
from evosdc_limit.draft import Draft, Outcome, Places
from evosdc_limit.objective import Objective

_NEAR, _COMMON, _WIDE = 5, 3, 32
"""How many near and how many common originals may stand behind each published category from the beginning.

Of a domain with many categories the best sets are larger: one more is near for each `_WIDE` of them.
"""


class GeneralBlock(Block):
    """Variables ``x_ba``, the share of records with original a and published b, for the pairs that were admitted.

    ``sum_b x_ba`` is a's frequency, ``sum_a x_ba`` the masses of b, and ``x_ba <= sum_k m_bk / k``. The capacities of
    two and more originals are added where an optimum breaks them.
    """

    def __init__(self, objective: Objective, v: int) -> None:
        terms = objective.attributes[v]
        number = _NEAR + len(terms.originals) // _WIDE
        super().__init__(objective, v, min(number, len(terms.originals)))
        near = np.argsort(terms.distances, axis=1, kind="stable")[:, :number]
        common = np.argsort(-terms.frequencies, kind="stable")[:_COMMON]
        self.pairs: NDArray[np.bool_] = np.zeros(terms.distances.shape, dtype=np.bool_)
        self.pairs[np.arange(len(near))[:, None], near] = True
        self.pairs[:, common] = True
        self.pairs[np.searchsorted(terms.published, terms.originals), np.arange(len(terms.originals))] = True
        self._cuts: dict[tuple[int, bytes], NDArray[np.intp]] = {}

    def _join(self, draft: Draft, masses: Places) -> None:
        terms = self.terms
        b, a = np.nonzero(self.pairs)
        x = draft.variables(len(b), self.objective.distance_cost * terms.distances[b, a])
        self._originals = draft.equal.rows(terms.frequencies)
        draft.equal.put(self._originals[a], x, 1.0)
        whole = draft.equal.rows(np.zeros(len(terms.published)))
        draft.equal.put(whole[b], x, 1.0)
        draft.equal.put(whole[self._b], masses, -1.0)
        single = draft.below.rows(np.zeros(len(b)))
        draft.below.put(single, x, 1.0)
        ends = np.searchsorted(b, np.arange(len(terms.published) + 1))
        counts = np.diff(ends)[self._b]  # pairs stand side by side for each b; every mass of b is in all their rows
        offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        rows = single[np.repeat(ends[self._b], counts) + offsets]
        draft.below.put(rows, np.repeat(masses, counts), np.repeat(-1.0 / self._k, counts))
        number = np.full(self.pairs.shape, -1)
        number[b, a] = x
        for (published, _), members in self._cuts.items():
            row, own = draft.below.rows(0.0), self._b == published
            draft.below.put(row, number[published, members], 1.0)
            draft.below.put(row, masses[own], -np.minimum(len(members) / self._k[own], 1.0))
        self._x, self._where = x, (b, a)

    def alpha(self, outcome: Outcome) -> Floats:
        """Return the multipliers of the original frequencies, shape (A,)."""
        found: Floats = outcome.equal[self._originals]
        return found

    def cut(self, outcome: Outcome) -> int:
        """Add the capacity that is broken most for each published category; those with most mass are looked at."""
        joint = self.joint(outcome)
        order = np.argsort(-joint, axis=1, kind="stable")
        broken = np.cumsum(np.take_along_axis(joint, order, axis=1), axis=1) - self.capacities(outcome)[:, 1:]
        worst = broken.argmax(axis=1)
        new = 0
        for b in np.flatnonzero(broken.max(axis=1) > VIOLATION):
            members = np.sort(order[b, : worst[b] + 1])
            members = members[self.pairs[b, members]]
            key = (int(b), members.tobytes())
            new += key not in self._cuts
            self._cuts[key] = members
        return new

    def _admit(self, b: int, members: NDArray[np.int64]) -> int:
        new = int((~self.pairs[b, members]).sum())
        self.pairs[b, members] = True
        return new

    def joint(self, outcome: Outcome) -> Floats:
        """Return shares of records by published and original category, shape (B, A)."""
        joint = np.zeros(self.pairs.shape)
        joint[self._where] = np.maximum(outcome.variables[self._x], 0.0)
        return joint
