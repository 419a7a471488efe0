"""The least suppression after which records are groups of k: bounds by column generation, the rest by integer program.

A choice whose reduced cost is more than what the best known solution costs above the bound is in no better solution.
What is left is small as a rule, and HiGHS proves the least of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, gcd, inf
from time import monotonic

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from evosdc_masking.suppression.choices import Choices, Weights
from evosdc_masking.suppression.column_generation import Group, relaxed
from evosdc_masking.suppression.keys import Counts
from evosdc_masking.suppression.pricing import TOLERANCE, within

MOST_LEFT = 400_000
"""Choices at most that are left to the integer program; of more it proves nothing in time."""

SHARES = 0.7, 0.5
"""Of the time: for the bound at most, and of what is left then for a first good solution."""

NEAR = 0.003
"""Share of the bound, and at least one value's cost, within which a first good solution is looked for."""


@dataclass(frozen=True, eq=False)
class Shared:
    """Records shared out among groups.

    Parameters
    ----------
    choices : Choices or None
        The choices that have members; None where no solution is better than the one begun with.
    members : ndarray of int64
        How many members each of them has.
    cost, bound : float
        What they cost, and at least what any solution costs; equal where the cost is proven the least.
    """

    choices: Choices | None
    members: Counts
    cost: float
    bound: float

    @property
    def proven(self) -> bool:
        """Whether no solution costs less."""
        return self.cost - self.bound <= TOLERANCE * max(1.0, self.cost)


def least_groups(
    choices: Choices, sizes: Counts, k: int, weights: Weights, begin: Sequence[Group], seconds: float
) -> Shared:
    """Return the cheapest sharing out of records among groups of k, or the best found in some seconds with a bound.

    Parameters
    ----------
    choices : Choices
        Those of every solution that may be the cheapest.
    sizes : ndarray of int64, shape (r,)
        Members of each distinct record.
    k : int
    weights : ndarray of float64, shape (V,)
        Costs of single values.
    begin : sequence of Group
        Any solution.
    seconds : float
    """
    until = monotonic() + seconds
    relaxation = relaxed(choices, sizes, k, begin, until - (1.0 - SHARES[0]) * seconds)
    step = _step(weights)
    best = Shared(None, np.zeros(0, dtype=np.int64), sum(group.cost for group in begin), 0.0)
    bound, first = relaxation.bound, True
    while bound < best.cost - step + TOLERANCE * max(1.0, best.cost) and monotonic() < until:
        better = best.cost - step - relaxation.bound
        slack = min(better, max(NEAR * relaxation.bound, float(weights.max()))) if first else better
        left = choices.where(within(choices, sizes, relaxation.prices, k, slack))
        if left.owner.size > MOST_LEFT:
            break
        found = solved_at_once(left, sizes, k, (until - monotonic()) * (1.0 if slack == better else SHARES[1]))
        if found.cost < best.cost - TOLERANCE:
            best = found
        if slack == better:
            # every solution cheaper by a step or more is among those left, and costs what is proven of these
            bound = max(bound, min(best.cost, found.bound))
            break
        first = False
    if step:
        bound = step * ceil(bound / step - TOLERANCE * max(1.0, best.cost))
    return Shared(best.choices, best.members, best.cost, min(bound, best.cost))


def _step(weights: Weights) -> float:
    """Return the least amount by which costs of solutions can differ; 0 where values cost no whole amounts."""
    whole = np.rint(weights)
    return float(gcd(*map(int, whole))) if np.array_equal(whole, weights) else 0.0


def solved_at_once(choices: Choices, sizes: Counts, k: int, seconds: float) -> Shared:
    """Return the cheapest sharing out among the groups of some choices; costs are infinite where none was found."""
    kinds, into = np.unique(choices.into, return_inverse=True)
    count, own, opened = choices.owner.size, np.arange(choices.owner.size), np.arange(kinds.size)
    total = count + kinds.size
    every = csr_array((np.ones(count), (choices.owner, own)), shape=(sizes.size, total))
    size = csr_array((np.ones(count), (into, own)), shape=(kinds.size, total))
    least = size - csr_array((np.full(kinds.size, float(k)), (opened, count + opened)), shape=size.shape)
    most = sizes[choices.owner].astype(np.float64)
    places = (np.tile(own, 2), np.concatenate((own, count + into)))
    link = csr_array((np.concatenate((np.ones(count), -most)), places), shape=(count, total))
    constraints = [
        LinearConstraint(every, sizes, sizes),
        LinearConstraint(least, 0.0, np.inf),
        LinearConstraint(link, -np.inf, 0.0),
    ]
    solved = milp(
        np.concatenate((choices.costs, np.zeros(kinds.size))),
        constraints=constraints,
        bounds=Bounds(0.0, np.concatenate((most, np.ones(kinds.size)))),
        integrality=np.ones(total),
        options={"time_limit": max(seconds, 1.0), "mip_rel_gap": 0.0},
    )
    # infeasible: nothing among these choices, so that all solutions are elsewhere
    bound = inf if solved.status == 2 else -inf if solved.mip_dual_bound is None else float(solved.mip_dual_bound)
    if solved.x is None:
        return Shared(None, np.zeros(0, dtype=np.int64), inf, bound)
    members = np.rint(solved.x[:count]).astype(np.int64)
    cost = float(choices.costs @ members)
    taken = members > 0
    return Shared(choices.where(taken), members[taken], cost, cost if solved.status == 0 else bound)
