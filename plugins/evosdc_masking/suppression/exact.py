"""The least suppression of small files, by integer programming: the yardstick of the heuristics.

With wildcards, records r and s may count as alike (y_rs = 1) when on every attribute on which they differ one of them
is suppressed: ``y_rs <= x_ra + x_sa``; every record needs k - 1 others. With missing values as a category each distinct
record chooses, for each of its members, a set of attributes to suppress, and a resulting class is empty or holds k;
only classes are offered that a least suppression can need.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from evosdc.errors import EvaluationError, Fault, ParameterError
from evosdc.table.equivalence import ordered_classes
from evosdc_masking.distinct import distinct
from evosdc_masking.suppression.keys import Values

Weights = NDArray[np.float64]

MOST_RECORDS = 16
"""With wildcards: the relaxation of that program says little, so proofs take long."""

MOST_CHOICES = 100_000
"""Distinct records times sets of attributes, with missing values as a category."""

SECONDS = 300.0
"""Time after which the solver gives up."""


def require_small(values: Values, wildcard: bool) -> None:
    """Raise `ParameterError` when records, shape (n, V), are too many for the exact method."""
    width = values.shape[1]
    n = len(values) if wildcard else len(distinct(values).first)
    if n > MOST_RECORDS if wildcard else n << min(width, 40) > MOST_CHOICES:
        given = f"exact, for {n} {'' if wildcard else 'distinct '}records and {width} attributes"
        wanted = (
            f"at most {MOST_RECORDS} records where missing values are wildcards"
            if wildcard
            else f"at most {MOST_CHOICES:,} sets of values to suppress, 2 to the number of attributes for each record"
        )
        raise ParameterError(
            Fault("method local-suppression: search", given, wanted, "Choose search = heuristic for larger files.")
        )


def least_for_wildcards(values: Values, k: int, weights: Weights) -> Values:
    """Return the cheapest suppression after which every record is compatible with k; shapes as the heuristic's."""
    n, width = values.shape
    present = values >= 0
    first, second = np.triu_indices(n, 1)
    pairs = first.size
    differs = (values[first] != values[second]) & present[first] & present[second]
    which, attribute = np.nonzero(differs)
    limits = np.arange(which.size)
    # y - x_first - x_second <= 0
    rows = np.tile(limits, 3)
    columns = np.concatenate((n * width + which, first[which] * width + attribute, second[which] * width + attribute))
    signs = np.repeat((1.0, -1.0, -1.0), which.size)
    total = n * width + pairs
    alike = csr_array((signs, (rows, columns)), shape=(which.size, total))
    both = np.concatenate((first, second))
    enough = csr_array((np.ones(2 * pairs), (both, n * width + np.tile(np.arange(pairs), 2))), shape=(n, total))
    constraints = [LinearConstraint(enough, k - 1, np.inf)]
    if which.size:
        constraints.append(LinearConstraint(alike, -np.inf, 0.0))
    upper = np.concatenate((present.ravel().astype(np.float64), np.ones(pairs)))
    solution = _solved(np.concatenate((np.tile(weights, n), np.zeros(pairs))), constraints, upper)
    return _without(values, solution[: n * width].reshape(n, width) > 0.5)


def least_for_classes(values: Values, k: int, weights: Weights) -> Values:
    """Return the cheapest suppression after which every record equals k records; shapes as the heuristic's."""
    records = distinct(values)
    sizes, rows = np.diff(records.starts), values[records.first]
    choices = _choices(rows, sizes, k)
    owner, into = choices.owner, choices.into
    own, count, classes = np.arange(owner.size), owner.size, int(into.max()) + 1
    total = count + classes
    every = csr_array((np.ones(count), (owner, own)), shape=(sizes.size, total))
    size = csr_array((np.ones(count), (into, own)), shape=(classes, total))
    opened = np.arange(classes)
    least = size - csr_array((np.full(classes, float(k)), (opened, count + opened)), shape=size.shape)
    signs = np.concatenate((np.ones(count), -sizes[owner].astype(np.float64)))
    link = csr_array((signs, (np.tile(own, 2), np.concatenate((own, count + into)))), shape=(count, total))
    constraints = [LinearConstraint(every, sizes, sizes), LinearConstraint(least, 0.0, np.inf)]
    constraints.append(LinearConstraint(link, -np.inf, 0.0))
    upper = np.concatenate((sizes[owner].astype(np.float64), np.ones(classes)))
    costs = np.concatenate((choices.suppressed @ weights, np.zeros(classes)))
    counts = np.rint(_solved(costs, constraints, upper)[:count]).astype(np.int64)
    result = values.copy()
    taken = np.zeros(sizes.size, dtype=np.int64)
    for choice in np.flatnonzero(counts):
        g = owner[choice]
        found = records.rows[records.starts[g] + taken[g] :][: counts[choice]]
        result[np.ix_(found, choices.suppressed[choice])] = -1
        taken[g] += counts[choice]
    return result


class _Choices(NamedTuple):
    """What may be suppressed of members of each distinct record: the record, the class they come to, and what."""

    owner: NDArray[np.int64]
    into: NDArray[np.int64]
    suppressed: NDArray[np.bool_]


def _choices(rows: Values, sizes: NDArray[np.int64], k: int) -> _Choices:
    """Return the choices that a least suppression can need.

    A class is needed where k records can be of it, and where no value is suppressed that all have who can be of it: the
    same records are a cheaper class with that value.
    """
    width = rows.shape[1]
    subsets = (np.arange(1 << width)[:, np.newaxis] >> np.arange(width) & 1).astype(np.bool_)
    owner, which = np.nonzero(~((rows < 0) @ subsets.T))
    published = _without(rows[owner], subsets[which])
    alike = ordered_classes(published)
    classes, into = published[alike.first], alike.of
    order = np.argsort(into, kind="stable")
    starts = np.searchsorted(into[order], np.arange(len(classes)))
    needed = np.add.reduceat(sizes[owner[order]], starts) >= k
    members = rows[owner[order]]
    agreed = np.minimum.reduceat(members, starts)
    needed &= ~((agreed >= 0) & (agreed == np.maximum.reduceat(members, starts)) & (classes < 0)).any(axis=1)
    chosen = needed[into]
    return _Choices(owner[chosen], (np.cumsum(needed) - 1)[into[chosen]], subsets[which[chosen]])


def _without(values: Values, chosen: NDArray[np.bool_]) -> Values:
    result: Values = np.where(chosen, np.int32(-1), values)
    return result


def _solved(costs: Weights, constraints: list[LinearConstraint], upper: Weights) -> Weights:
    options = {"time_limit": SECONDS, "mip_rel_gap": 0.0}
    solved = milp(
        costs, constraints=constraints, bounds=Bounds(0.0, upper), integrality=np.ones(costs.size), options=options
    )
    if solved.status != 0:
        bound = "" if solved.mip_dual_bound is None else f"; it costs {solved.mip_dual_bound:.6g} or more"
        raise EvaluationError(
            f"local-suppression: the least suppression was not found within {SECONDS:.0f} seconds{bound}; "
            "choose search = heuristic"
        )
    found: Weights = solved.x
    return found
