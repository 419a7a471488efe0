"""A linear program written piece by piece and solved by HiGHS."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evosdc.errors import EvaluationError
from evosdc_limit.attribute import Floats

if TYPE_CHECKING:
    from scipy import sparse

Places = NDArray[np.intp]

_TOLERANCE = 1e-9

_MANY = 3000
"""Rows from which on interior points are faster than the simplex method."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """An optimum.

    Parameters
    ----------
    value : float
        Of the objective.
    t : float
        Weight of IL in it.
    variables : ndarray of float64
    equal, below : ndarray of float64
        Multipliers of the equations, and of the inequalities, which are not negative: how much the value falls when a
        right side grows by one.
    il, dr : float
        Constant included.
    """

    value: float
    t: float
    variables: Floats
    equal: Floats
    below: Floats
    il: float
    dr: float


@dataclass
class System:
    """Rows of one kind, by entries."""

    right: list[Floats] = field(default_factory=list)
    number: int = 0
    entries: list[tuple[Places, Places, Floats]] = field(default_factory=list)

    def rows(self, right: ArrayLike) -> Places:
        """Add rows with these right sides and return their numbers."""
        values = np.atleast_1d(np.asarray(right, dtype=np.float64))
        self.right.append(values)
        self.number += len(values)
        return np.arange(self.number - len(values), self.number)

    def put(self, rows: ArrayLike, variables: ArrayLike, values: ArrayLike) -> None:
        """Enter coefficients; arguments are broadcast, and entries at one place add up."""
        row, variable, value = np.broadcast_arrays(rows, variables, np.asarray(values, dtype=np.float64))
        self.entries.append((row.ravel(), variable.ravel(), value.ravel()))

    def matrix(self, variables: int) -> sparse.csc_matrix:
        """Return the coefficients, shape (number of rows, variables)."""
        from scipy import sparse  # late: it takes a while, and most measures have no limit

        parts = [np.concatenate(part) for part in zip(*self.entries, strict=True)]
        return sparse.csc_matrix((parts[2], (parts[0], parts[1])), (self.number, variables))


@dataclass
class Draft:
    """A program in variables from 0 up with two linear costs, IL and DR."""

    equal: System = field(default_factory=System)
    below: System = field(default_factory=System)
    costs: list[tuple[Floats, Floats]] = field(default_factory=list)
    number: int = 0

    def variables(self, count: int, il: ArrayLike = 0.0, dr: ArrayLike = 0.0) -> Places:
        """Add variables with these costs and return their numbers."""
        self.costs.append((np.broadcast_to(il, count).astype(float), np.broadcast_to(dr, count).astype(float)))
        self.number += count
        return np.arange(self.number - count, self.number)

    def solved(self, t: float | None, constant: float) -> Outcome:
        """Minimise ``t IL + (1 - t) DR``, or max(IL, DR) where t is None; DR has a constant. Ends the draft.

        The weight that belongs to the least maximum is the multiplier of the row ``IL <= z``.

        Raises
        ------
        EvaluationError
            The solver gave up.
        """
        il, dr = (np.concatenate(part) for part in zip(*self.costs, strict=True))
        if t is None:
            greatest = self.variables(1)
            for cost, right in ((il, 0.0), (dr, -constant)):
                row = self.below.rows(right)
                used = np.flatnonzero(cost)
                self.below.put(row, used, cost[used])
                self.below.put(row, greatest, -1.0)
            il, dr = np.append(il, 0.0), np.append(dr, 0.0)
            objective = np.zeros(self.number)
            objective[greatest] = 1.0
        else:
            objective = t * il + (1.0 - t) * dr
        from scipy.optimize import linprog  # late: it takes a while, and most measures have no limit

        found = linprog(
            objective,
            self.below.matrix(self.number),
            np.concatenate(self.below.right),
            self.equal.matrix(self.number),
            np.concatenate(self.equal.right),
            method="highs-ipm" if self.below.number > _MANY else "highs-ds",
            options={"primal_feasibility_tolerance": _TOLERANCE, "dual_feasibility_tolerance": _TOLERANCE},
        )
        if found.x is None:
            raise EvaluationError(f"the linear program of the limit was not solved: {found.message}")
        below = -found.ineqlin.marginals
        loss, risk = float(il @ found.x), float(dr @ found.x) + constant
        if t is None:
            weight = below[-2] + below[-1]
            t = float(below[-2] / weight) if weight > 0.0 else 0.5
            return Outcome(float(found.fun), t, found.x, found.eqlin.marginals, below, loss, risk)
        return Outcome(float(found.fun) + (1.0 - t) * constant, t, found.x, found.eqlin.marginals, below, loss, risk)
