"""The least suppression, by integer programming: the yardstick of the heuristics.

With wildcards, records r and s may count as alike (y_rs = 1) when on every attribute on which they differ one of them
is suppressed: ``y_rs <= x_ra + x_sa``; every record needs k - 1 others. That program is for few records. Where a record
counts in one group only, records are shared out among groups of k (`groups`): with missing values as a category a group
publishes the same, else it agrees in all values that its members still have.
"""

import warnings

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from evosdc.errors import EvaluationError, Fault, ParameterError
from evosdc_masking.distinct import distinct
from evosdc_masking.suppression.choices import Choices, Weights, centre_choices, centres, class_choices
from evosdc_masking.suppression.class_repair import suppressed_for_classes
from evosdc_masking.suppression.column_generation import Group
from evosdc_masking.suppression.groups import least_groups
from evosdc_masking.suppression.keys import Values

MOST_RECORDS = 16
"""With wildcards: the relaxation of that program says little, so proofs take long."""

MOST_CHOICES = 2_000_000
"""Distinct records times sets of attributes, with missing values as a category."""

MOST_CENTRES = 10_000_000
"""Distinct records times combinations of values, of groups that agree in what they still have."""

SECONDS = 300.0
"""Time after which the solver gives up."""


def require_small(values: Values, wildcard: bool, own_groups: bool) -> None:
    """Raise `ParameterError` when records, shape (n, V), are too many for the exact method."""
    n, width = values.shape
    where, advice = "method local-suppression: search", "Choose search = heuristic for larger files."
    if wildcard and not own_groups:
        if n > MOST_RECORDS:
            given = f"exact, for {n} records and {width} attributes"
            wanted = (
                f"at most {MOST_RECORDS} records where a record with missing values counts for any number of others"
            )
            raise ParameterError(Fault(where, given, wanted, f"{advice} With own_groups = true it takes thousands."))
        return
    rows = values[distinct(values).first]
    given = f"exact, for {len(rows)} distinct records and {width} attributes"
    if wildcard and len(rows) * centres(rows) > MOST_CENTRES:
        wanted = f"at most {MOST_CENTRES:,} pairs of a distinct record and a combination of values"
        raise ParameterError(
            Fault(where, f"{given} with {centres(rows):,} combinations", wanted, "Recode them before.")
        )
    if not wildcard and len(rows) << min(width, 40) > MOST_CHOICES:
        wanted = f"at most {MOST_CHOICES:,} sets of values to suppress, 2 to the number of attributes for each record"
        raise ParameterError(Fault(where, given, wanted, advice))


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
    sizes = np.diff(records.starts)
    return _shared_out(values, class_choices(values[records.first], sizes, k, weights), k, weights)


def least_for_own_groups(values: Values, k: int, weights: Weights) -> Values:
    """Return the cheapest suppression after which records are groups of k that agree in all values that they have."""
    return _shared_out(values, centre_choices(values[distinct(values).first], weights), k, weights)


def _shared_out(values: Values, choices: Choices, k: int, weights: Weights) -> Values:
    """Return values without those that the cheapest groups lose; warns where the least is not proven."""
    records = distinct(values)
    sizes = np.diff(records.starts)
    heuristic = suppressed_for_classes(values, k, weights)
    found = least_groups(choices, sizes, k, weights, _groups(values, heuristic, weights), SECONDS)
    if not found.proven:
        gap = 100.0 * (found.cost - found.bound) / found.cost
        told = (
            f"local-suppression: within {SECONDS:.0f} seconds the suppression was not proven to be the least: it costs "
            f"{found.cost:.6g}, any costs {found.bound:.6g} or more, a gap of {gap:.2g} %"
        )
        warnings.warn(told, stacklevel=2)
    if found.choices is None:
        return heuristic
    result, taken = values.copy(), np.zeros(sizes.size, dtype=np.int64)
    lost = (found.choices.suppressed[:, np.newaxis] >> np.arange(values.shape[1]) & 1).astype(np.bool_)
    for g, count, attributes in zip(found.choices.owner, found.members, lost, strict=True):
        rows = records.rows[records.starts[g] + taken[g] :][:count]
        result[np.ix_(rows, attributes)] = -1
        taken[g] += count
    return result


def _groups(values: Values, published: Values, weights: Weights) -> list[Group]:
    """Return the groups of records that are published alike, by distinct records."""
    records, alike = distinct(values), distinct(published)
    of = np.empty(len(values), dtype=np.int64)
    of[records.rows] = np.repeat(np.arange(records.first.size), np.diff(records.starts))
    groups = []
    for rows in np.split(alike.rows, alike.starts[1:-1]):
        own, members = np.unique(of[rows], return_counts=True)
        lost = (published[rows] < 0) & (values[rows] >= 0)
        groups.append(Group(own, members, float((lost @ weights).sum())))
    return groups


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
