"""A valid lower bound from any multipliers, so that no rounding of a solver and no early stop can raise it."""

from dataclasses import dataclass

import numpy as np

from evosdc_limit.attribute import Floats
from evosdc_limit.objective import Objective
from evosdc_limit.pricing import Prices, prices


@dataclass(frozen=True, eq=False)
class Multipliers:
    """Multipliers of the program's constraints, by attribute.

    Parameters
    ----------
    t : float
        Weight of IL; 1 - t is that of DR.
    alpha : tuple of ndarray of float64, shape (A,)
        Of the frequencies of original categories; any numbers.
    eta : tuple of ndarray of float64, shape (B,)
        Of the published shares.
    pull : ndarray of float64, shape (T, V)
        How much of each table's weight stands on the change of each of its attributes.
    """

    t: float
    alpha: tuple[Floats, ...]
    eta: tuple[Floats, ...]
    pull: Floats


def repaired(objective: Objective, found: Multipliers) -> Multipliers:
    """Return the nearest multipliers that are allowed, since a solver's are so up to rounding only.

    A table's change is at least that of any of its attributes, hence at least any average of them: the pulls of a
    table are not negative and have the table's weight as their sum. An attribute's change is
    ``max over y in [0, 1]^B of sum_b y_b (P_b - share_b)``, so that each eta lies between 0 and the attribute's pull.
    """
    t = min(max(found.t, 0.0), 1.0)
    pull = np.zeros((len(objective.tables), len(objective.attributes)))
    for row, table in enumerate(objective.tables):
        own = np.maximum(found.pull[row, list(table)], 0.0)
        whole = own.sum()
        own = own / whole if whole > 0.0 else np.full(len(table), 1.0 / len(table))
        pull[row, list(table)] = t * objective.table_cost * own
    greatest = pull.sum(axis=0)
    eta = tuple(np.clip(one, 0.0, most) for one, most in zip(found.eta, greatest, strict=True))
    return Multipliers(t, found.alpha, eta, pull)


def certified(objective: Objective, multipliers: Multipliers) -> tuple[float, tuple[Prices, ...]]:
    """Return a lower bound of ``t IL + (1 - t) DR`` over all masked files, and the prices that it rests on.

    With r the least reduced cost of an attribute's columns, the records of any file cost at least
    ``sum alpha_a frequency_a - sum eta_b share_b + r``: multiply each constraint, add, and use that the masses of the
    columns of an attribute have sum 1. This holds for any alpha and for all *allowed* eta, of which `repaired` makes
    sure. It is the Lagrangian bound of column generation: the program's value plus the negative reduced costs.
    """
    t = multipliers.t
    bound = (1.0 - t) * objective.constant
    found = []
    for v, terms in enumerate(objective.attributes):
        alpha, eta = multipliers.alpha[v], multipliers.eta[v]
        priced = prices(objective, v, t, alpha, eta)
        bound += float(alpha @ terms.frequencies - eta @ terms.shares + priced.reduced.min())
        found.append(priced)
    return bound, tuple(found)
