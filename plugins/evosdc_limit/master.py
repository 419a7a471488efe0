"""The restricted program: the linear program over the columns known so far, solved by HiGHS."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from evosdc.errors import EvaluationError
from evosdc_limit.attribute import Floats
from evosdc_limit.certificate import Multipliers
from evosdc_limit.columns import Columns
from evosdc_limit.objective import Objective

_TOLERANCE = 1e-10


@dataclass(frozen=True, eq=False)
class Solution:
    """An optimum of the restricted program.

    Parameters
    ----------
    value : float
        Of ``t IL + (1 - t) DR``, or of max(IL, DR).
    masses : tuple of ndarray of float64
        Of the columns, by attribute; the sum over an attribute is 1.
    il, dr : float
    multipliers : Multipliers
        As the solver found them.
    """

    value: float
    masses: tuple[Floats, ...]
    il: float
    dr: float
    multipliers: Multipliers


def solved(objective: Objective, pools: tuple[Columns, ...], t: float | None) -> Solution:
    """Solve the restricted program.

    Variables, all from 0 up: the masses of the columns; the excess ``e_b >= P_b - share_b`` of each published
    category; the change ``T_v >= sum_b e_b`` of each attribute; the change ``u_F >= T_v`` of each table F of several
    attributes; and z, where max(IL, DR) is minimised.

    Parameters
    ----------
    objective : Objective
    pools : tuple of Columns
        One for each attribute.
    t : float, optional
        Weight of IL; None for the least max(IL, DR), whose weight is a multiplier itself.

    Raises
    ------
    EvaluationError
        The solver gave up.
    """
    attributes, joined = objective.attributes, [table for table in objective.tables if len(table) > 1]
    masses = np.cumsum([0] + [len(pool) for pool in pools])
    excess = masses[-1] + np.cumsum([0] + [len(a.published) for a in attributes])
    changes = excess[-1] + np.arange(len(attributes))
    tables = excess[-1] + len(attributes) + np.arange(len(joined))
    number = int(excess[-1]) + len(attributes) + len(joined) + (t is None)

    il, dr = np.zeros(number), np.zeros(number)
    il[: masses[-1]] = np.concatenate([pool.losses for pool in pools])
    dr[: masses[-1]] = np.concatenate([pool.risks for pool in pools])
    if len(objective.tables) > 0:
        il[changes] = objective.table_cost
        il[tables] = objective.table_cost

    equal = sparse.block_diag([_marginals(pool) for pool in pools], format="csc")
    equal.resize(equal.shape[0], number)
    published = [sparse.csc_matrix((np.ones(len(p)), (p.published, np.arange(len(p)))), (len(a.published), len(p)))
                 for p, a in zip(pools, attributes, strict=True)]
    shares = sparse.hstack([sparse.block_diag(published), -sparse.eye(excess[-1] - masses[-1])])
    shares.resize(shares.shape[0], number)
    sums = sparse.lil_matrix((len(attributes), number))
    for v in range(len(attributes)):
        sums[v, excess[v] : excess[v + 1]] = 1.0
        sums[v, changes[v]] = -1.0
    bounds = sparse.lil_matrix((sum(map(len, joined)), number))
    for row, (column, v) in enumerate((c, v) for c, table in zip(tables, joined, strict=True) for v in table):
        bounds[row, changes[v]] = 1.0
        bounds[row, column] = -1.0
    rows = [shares, sums, bounds]
    right = [np.concatenate([a.shares for a in attributes]), np.zeros(sums.shape[0] + bounds.shape[0])]
    cost = np.zeros(number)
    if t is None:
        cost[-1] = il[-1] = dr[-1] = -1.0
        rows.append(sparse.csr_matrix(np.vstack([il, dr])))
        right.append(np.array([0.0, -objective.constant]))
        il[-1] = dr[-1] = 0.0
        cost[-1] = 1.0
    else:
        cost = t * il + (1.0 - t) * dr
    found = linprog(
        cost,
        sparse.vstack(rows, format="csc"),
        np.concatenate(right),
        equal,
        np.concatenate([a.frequencies for a in attributes]),
        method="highs",
        options={"primal_feasibility_tolerance": _TOLERANCE, "dual_feasibility_tolerance": _TOLERANCE},
    )
    if found.x is None or found.ineqlin.marginals is None:
        raise EvaluationError(f"the linear program of the limit was not solved: {found.message}")
    x, slopes = found.x, -found.ineqlin.marginals
    if t is None:
        weight = slopes[-2] + slopes[-1]
        t = float(slopes[-2] / weight) if weight > 0.0 else 0.5
    pull = np.zeros((len(objective.tables), len(attributes)))
    position = shares.shape[0] + sums.shape[0]
    for row, table in enumerate(objective.tables):
        if len(table) > 1:
            pull[row, list(table)] = slopes[position : position + len(table)]
            position += len(table)
    ends = np.cumsum([len(a.originals) for a in attributes])[:-1]
    multipliers = Multipliers(
        t,
        tuple(np.split(found.eqlin.marginals, ends)),
        tuple(np.split(slopes[: shares.shape[0]], np.cumsum([len(a.published) for a in attributes])[:-1])),
        pull,
    )
    own = tuple(np.split(x[: masses[-1]], masses[1:-1]))
    return Solution(float(found.fun), own, float(il @ x), float(dr @ x) + objective.constant, multipliers)


def _marginals(pool: Columns) -> sparse.csc_matrix:
    """Return how much of each original category a column holds, shape (A, number of columns)."""
    owners = pool.owners
    shape = (len(pool.objective.attributes[pool.attribute].originals), len(pool))
    return sparse.csc_matrix((1.0 / pool.sizes[owners], (pool.members, owners)), shape)
