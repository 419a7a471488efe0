"""The block of a nominal attribute: all that counts is whether a record publishes its own category or another."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc_limit.attribute import Floats
from evosdc_limit.block import VIOLATION, Block
from evosdc_limit.draft import Draft, Outcome, Places
from evosdc_limit.objective import Objective

_SIZES, _CUTS = 3, 40


@dataclass(frozen=True, eq=False)
class _Cut:
    """A set of originals, by published category, and which of two bounds each published category has for it."""

    inside: NDArray[np.bool_]
    other: NDArray[np.bool_]


class NominalBlock(Block):
    """Variables ``u_b``, the share of records that publish their own category b, beside the masses.

    Which *other* originals stand behind b costs nothing. So it need only be possible to share them out. With u_b fixed,
    the distributions behind b are again a base polytope: j originals with b among them have at most
    ``min(u_b + F_b(j - 1), F_b(j))`` and without it ``min(F_b(j), F_b(j + 1) - u_b)``, where F_b is the capacity. Sums
    of base polytopes are one too: it is possible exactly where no set of originals is more frequent than the sum of
    these bounds. Of all sets of j originals the worst is found by sorting, and it is added to the program.
    """

    def __init__(self, objective: Objective, v: int) -> None:
        terms = objective.attributes[v]
        super().__init__(objective, v, min(_SIZES, len(terms.originals)))
        self._places = np.searchsorted(terms.published, terms.originals)
        self._cuts: list[_Cut] = []

    @property
    def mass_loss(self) -> float:
        """IL of a mass: all of it is false but for the records that `u_b` counts."""
        return self.objective.distance_cost

    def _join(self, draft: Draft, masses: Places) -> None:
        terms, below = self.terms, draft.below
        self._own = draft.variables(len(terms.originals), -self.objective.distance_cost)
        self._whole = draft.equal.rows(1.0)
        draft.equal.put(self._whole, masses, 1.0)
        self._owned = below.rows(terms.frequencies)
        below.put(self._owned, self._own, 1.0)
        single = below.rows(np.zeros(len(terms.published)))
        below.put(single[self._places], self._own, 1.0)
        below.put(single[self._b], masses, -1.0 / self._k)
        rows = []
        for cut in self._cuts:
            j = int(cut.inside.sum())
            row = below.rows(-float(terms.frequencies[cut.inside[self._places]].sum()))
            step = np.where(cut.inside, j - cut.other, j + cut.other)
            below.put(row, masses, -np.minimum(step[self._b] / self._k, 1.0))
            own = np.where(cut.inside, -1.0, 1.0) * cut.other
            below.put(row, self._own, own[self._places])
            rows.append(int(row[0]))
        self._rows = rows

    def alpha(self, outcome: Outcome) -> Floats:
        """Return the multipliers of the original frequencies, shape (A,)."""
        alpha: Floats = outcome.equal[self._whole] - outcome.below[self._owned]
        for row, cut in zip(self._rows, self._cuts, strict=True):
            alpha = alpha + outcome.below[row] * cut.inside[self._places]
        return alpha

    def cut(self, outcome: Outcome) -> int:
        """Add the sets, at most one of each size, that are more frequent than what can stand for them."""
        terms = self.terms
        own = np.zeros(len(terms.published))
        own[self._places] = outcome.variables[self._own]
        capacities = self.capacities(outcome)
        capacities = np.column_stack([capacities, capacities[:, -1]])
        found: list[tuple[float, _Cut]] = []
        for j in range(1, len(terms.originals)):
            with_own, without = own + capacities[:, j - 1], capacities[:, j + 1] - own
            inside, outside = np.minimum(with_own, capacities[:, j]), np.minimum(without, capacities[:, j])
            gain = (inside - outside - terms.shares)[self._places]
            chosen = np.argpartition(gain, j - 1)[:j]
            broken = -float(outside.sum() + gain[chosen].sum())
            if broken > VIOLATION:
                members = np.zeros(len(own), dtype=np.bool_)
                members[self._places[chosen]] = True
                found.append((broken, _Cut(members, np.where(members, with_own, without) < capacities[:, j])))
        found.sort(key=lambda pair: -pair[0])
        self._cuts.extend(cut for _, cut in found[:_CUTS])
        return len(found)

    def joint(self, outcome: Outcome) -> Floats:
        """Return shares of records by published and original category, shape (B, A).

        One way of sharing out: each published category takes of the originals with most left, as much of each as its
        capacity allows; what then is left goes where there is room.
        """
        terms = self.terms
        own = np.maximum(outcome.variables[self._own], 0.0)
        capacities = self.capacities(outcome)
        joint = np.zeros(terms.distances.shape)
        joint[self._places, np.arange(len(own))] = own
        room, left = np.maximum(capacities[:, -1] - joint.sum(axis=1), 0.0), np.maximum(terms.frequencies - own, 0.0)
        for limit in (capacities[:, 1], np.full(len(room), np.inf)):
            for b in np.argsort(-room, kind="stable"):
                order = np.argsort(-left * (terms.distances[b] > 0.0), kind="stable")
                most = np.minimum(left[order], limit[b]) * (terms.distances[b, order] > 0.0)
                taken = np.diff(np.minimum(np.cumsum(most), room[b]), prepend=0.0)
                joint[b, order] += taken
                left[order] -= taken
                room[b] -= taken.sum()
        joint[self._places, np.arange(len(own))] += left
        return joint
