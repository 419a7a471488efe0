"""A lower bound of what groups of k records cost, by column generation with HiGHS.

Dantzig and Wolfe (1960): a linear program shares the records out among the groups found so far; its prices of records
say which further groups would pay. The best group of a kind is found by looking at each record once, since it costs
what its members cost together. At any prices, those of the records and all that groups cost less than them are a lower
bound (Lagrange). Prices start within narrow limits, which are widened while they bind (boxstep; Marsten, Hogan and
Blankenship 1975).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csc_array, hstack

from evosdc_masking.suppression.choices import Choices, Weights
from evosdc_masking.suppression.keys import Counts
from evosdc_masking.suppression.pricing import TOLERANCE, floors, priced

CLOSE = 1e-4
"""Share of the program's value by which the bound may stay below it: the last rounds take long and tell little."""

AT_ONCE = 500
"""Groups at most that a round adds."""

WIDER = 3.0
"""Factor by which the limits of prices are widened."""


@dataclass(frozen=True)
class Group:
    """Members of distinct records that are a group, and what they cost."""

    records: Counts
    members: Counts
    cost: float


@dataclass(frozen=True)
class Relaxation:
    """A lower bound of the cost of all groups, and prices of records, shape (r,), that prove it."""

    bound: float
    prices: Weights


def relaxed(choices: Choices, sizes: Counts, k: int, begin: Sequence[Group], until: float) -> Relaxation:
    """Return the bound of the best prices, or of the best that were found until the clock says `until`.

    Parameters
    ----------
    choices : Choices
    sizes : ndarray of int64, shape (r,)
        Members of each distinct record.
    k : int
    begin : sequence of Group
        Any solution.
    until : float
        Of `time.monotonic`.
    """
    groups, limit = list(begin), float(choices.costs.max(initial=1.0))
    best = Relaxation(0.0, np.zeros(sizes.size))
    while True:
        costs, columns = np.array([group.cost for group in groups]), _columns(groups, sizes.size)
        every = np.full(2 * sizes.size, limit)
        unit = csc_array(np.identity(sizes.size))
        solved = linprog(
            np.concatenate((costs, every)), A_eq=hstack((columns, unit, -unit)), b_eq=sizes.astype(np.float64)
        )
        if solved.status != 0:
            return best
        exact = solved.eqlin.marginals
        for prices in ((best.prices + exact) / 2.0, exact):
            bound, found = _judged(choices, sizes, k, prices, exact)
            best = max(best, Relaxation(bound, prices), key=lambda relaxation: relaxation.bound)
            if found:
                break
        if monotonic() > until:
            return best
        if not found or solved.fun - best.bound < CLOSE * max(1.0, abs(solved.fun)):
            if solved.x[costs.size :].max() <= TOLERANCE:
                return best
            limit *= WIDER
        groups += found


def _judged(choices: Choices, sizes: Counts, k: int, prices: Weights, exact: Weights) -> tuple[float, list[Group]]:
    """Return the bound of some prices, and groups that are the best ones there and pay at the prices of the program."""
    low = floors(choices, sizes, prices)
    kinds = np.flatnonzero(low < -TOLERANCE)
    best = priced(choices, sizes, prices, k, kinds)
    # what is not looked at more closely counts with its floor: many small amounts are one that matters
    bound = float(prices @ sizes + np.minimum(best.costs, 0.0).sum() + low.sum() - low[kinds].sum())
    if not kinds.size:
        return bound, []
    own = choices.costs[best.order]
    gains = np.add.reduceat(best.members * (own - exact[choices.owner[best.order]]), best.starts)
    ends = np.append(best.starts[1:], best.order.size)
    groups = []
    for place in np.argsort(gains, kind="stable")[:AT_ONCE]:
        if gains[place] >= -TOLERANCE:
            break
        span = slice(best.starts[place], ends[place])
        taken = best.members[span] > 0
        members, at = best.members[span][taken], best.order[span][taken]
        groups.append(Group(choices.owner[at], members, float(choices.costs[at] @ members)))
    return bound, groups


def _columns(groups: Sequence[Group], records: int) -> csc_array:
    rows = np.concatenate([group.records for group in groups])
    members = np.concatenate([group.members for group in groups]).astype(np.float64)
    ends = np.concatenate(([0], np.cumsum([group.records.size for group in groups])))
    return csc_array((members, rows, ends), shape=(records, len(groups)))
