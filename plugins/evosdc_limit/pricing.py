"""The best columns for given multipliers, found exactly among all 2^A sets without listing them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from evosdc_limit.attribute import Floats, Integers
from evosdc_limit.objective import Objective


@dataclass(frozen=True, eq=False)
class Prices:
    """The least reduced cost of each published category of one attribute, and the set that has it.

    Parameters
    ----------
    reduced : ndarray of float64, shape (B,)
    sizes : ndarray of int64, shape (B,)
    order : ndarray of int64, shape (B, A)
        Original categories in the order in which sets take them: the best set is the first ``sizes[b]``.
    """

    reduced: Floats
    sizes: Integers
    order: Integers

    def below(self, bound: float) -> Iterator[tuple[int, Integers]]:
        """Yield the columns whose reduced cost is less than a bound."""
        for b in np.flatnonzero(self.reduced < bound):
            yield int(b), self.order[b, : self.sizes[b]]


def prices(objective: Objective, v: int, t: float, alpha: Floats, eta: Floats) -> Prices:
    """Price all columns of an attribute; O(B A log A).

    The reduced cost of the set S published as b is ``t IL(S, b) + (1 - t) DR(S) - mean of alpha over S + eta_b``. Of
    all sets of one size only the mean of ``t c1 d(a, b) - alpha_a`` over S differs, so that the best set of size k has
    the k least of these; the best of all is found among A sizes.

    Parameters
    ----------
    objective : Objective
    v : int
        Position of the attribute.
    t : float
        Weight of IL, in [0, 1]; that of DR is 1 - t.
    alpha : ndarray of float64, shape (A,)
        Multipliers of the frequencies of original categories.
    eta : ndarray of float64, shape (B,)
        Multipliers of the published shares, from 0 up.
    """
    terms = objective.attributes[v]
    single = t * objective.distance_cost * terms.distances - alpha
    order = np.argsort(single, axis=1, kind="stable")
    means = np.cumsum(np.take_along_axis(single, order, axis=1), axis=1) / np.arange(1, len(alpha) + 1)
    reduced = means + (t * objective.set_losses(v) + (1.0 - t) * objective.set_risks(v)) + eta[:, None]
    best = reduced.argmin(axis=1)
    return Prices(reduced[np.arange(len(best)), best], best + 1, order)
