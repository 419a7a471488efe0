"""The part of the program that belongs to one attribute.

The program's variables are masses ``m_bk``: the share of the records that publish b and come, in equal parts, from a
set of k original categories. Which sets these are need not be said. Averages of uniform distributions on sets of size
k are all distributions without an entry above 1/k. They are the base polytope of the submodular function
``min(j / k, 1)`` of sets of j categories, and sums of base polytopes are the base polytope of the sum (Edmonds 1970).
So a distribution x of originals behind b is made of such sets exactly where any j categories have together at most
``sum_k m_bk min(j / k, 1)``, the *capacity* of b for j. One variable for a size stands for all sets.
"""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from evosdc_limit.attribute import Floats
from evosdc_limit.draft import Draft, Outcome, Places
from evosdc_limit.objective import Objective
from evosdc_limit.pricing import Prices

VIOLATION = 1e-9
"""A constraint that is broken by less holds."""


class Block(ABC):
    """The masses of one attribute, its published shares, and what a subclass adds to join them to the originals.

    Parameters
    ----------
    objective : Objective
    v : int
        Position of the attribute.
    sizes : int
        Sets of at most so many categories are there from the beginning.
    """

    def __init__(self, objective: Objective, v: int, sizes: int) -> None:
        self.objective = objective
        self.v = v
        self.terms = objective.attributes[v]
        originals, published = len(self.terms.originals), len(self.terms.published)
        self.sizes: NDArray[np.bool_] = np.zeros((published, originals + 1), dtype=np.bool_)
        """Which masses the program has, by published category and size."""
        self.sizes[:, 1 : sizes + 1] = True
        self.change = 0
        """Number of the variable of the attribute's change of frequencies."""

    def write(self, draft: Draft) -> None:
        """Write this part: masses, ``P_b - share_b <= excess_b``, ``sum of excess <= change``, and the subclass's."""
        objective, v = self.objective, self.v
        self._b, self._k = np.nonzero(self.sizes)
        losses, risks = objective.set_losses(v)[self._k - 1], objective.set_risks(v)[self._k - 1]
        self._masses = draft.variables(len(self._b), losses + self.mass_loss, risks)
        excess = draft.variables(len(self.terms.published))
        changes = draft.variables(1, objective.table_cost)
        self.change = int(changes[0])
        self._published = draft.below.rows(self.terms.shares)
        draft.below.put(self._published[self._b], self._masses, 1.0)
        draft.below.put(self._published, excess, -1.0)
        total = draft.below.rows(0.0)
        draft.below.put(total, excess, 1.0)
        draft.below.put(total, changes, -1.0)
        self._join(draft, self._masses)

    @property
    def mass_loss(self) -> float:
        """IL of a mass whatever its size."""
        return 0.0

    @abstractmethod
    def _join(self, draft: Draft, masses: Places) -> None:
        """Write what joins the masses to the frequencies of the originals."""

    @abstractmethod
    def alpha(self, outcome: Outcome) -> Floats:
        """Return the multipliers of the original frequencies, shape (A,)."""

    def eta(self, outcome: Outcome) -> Floats:
        """Return the multipliers of the published shares, shape (B,)."""
        found: Floats = outcome.below[self._published]
        return found

    @abstractmethod
    def cut(self, outcome: Outcome) -> int:
        """Add capacities that the optimum breaks to the program; return how many there were."""

    def extend(self, found: Prices, bound: float) -> int:
        """Add what the columns with a reduced cost below a bound need; return how much was new.

        A set may have at most one more than twice as many categories as any before it with the same b: while the
        multipliers are wild the best sets are far too large.
        """
        longest = np.arange(self.sizes.shape[1])
        greatest = (self.sizes * longest).max(axis=1)
        new = 0
        for b in np.flatnonzero(found.reduced < bound):
            k = int(min(found.sizes[b], 2 * greatest[b] + 1))
            new += not self.sizes[b, k]
            self.sizes[b, k] = True
            new += self._admit(int(b), found.order[b, :k])
        return new

    def _admit(self, b: int, members: NDArray[np.int64]) -> int:
        """Let originals stand behind a published category; return how many could not before."""
        return 0

    def capacities(self, outcome: Outcome) -> Floats:
        """Return what j categories can have together behind each published one, j = 0 .. A, shape (B, A + 1)."""
        masses = np.zeros(self.sizes.shape)
        masses[self._b, self._k] = outcome.variables[self._masses]
        number = np.arange(self.sizes.shape[1])
        capacities: Floats = masses @ np.minimum(number / np.maximum(number, 1)[:, None], 1.0)
        return capacities

    @abstractmethod
    def joint(self, outcome: Outcome) -> Floats:
        """Return shares of records by published and original category, shape (B, A), that the optimum stands for."""
