"""The least suppression of small files, by integer programming: the yardstick of the heuristics.

With wildcards, records r and s may count as alike (y_rs = 1) when on every attribute on which they differ one of them
is suppressed: ``y_rs <= x_ra + x_sa``; every record needs k - 1 others. With missing values as a category each distinct
record chooses, for each of its members, a set of attributes to suppress, and a resulting class is empty or holds k.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from evosdc.errors import EvaluationError, Fault, ParameterError
from evosdc_masking.distinct import distinct
from evosdc_masking.suppression.keys import Values

Weights = NDArray[np.float64]

MOST_RECORDS = {True: 16, False: 60}
"""By whether missing values are wildcards: the relaxation of that program says little, so proofs take long."""

MOST_CHOICES = 20_000
SECONDS = 300.0
"""Time after which the solver gives up."""


def require_small(values: Values, wildcard: bool) -> None:
    """Raise `ParameterError` when records, shape (n, V), are too many for the exact method."""
    n, width = values.shape
    limit = MOST_RECORDS[wildcard]
    if n > limit or n << min(width, 40) > MOST_CHOICES:
        given = f"exact, for {n} records and {width} attributes"
        wanted = f"at most {limit} records, and at most {MOST_CHOICES} choices of what to suppress"
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
    width = values.shape[1]
    records = distinct(values)
    sizes = np.diff(records.starts)
    choices: list[tuple[int, NDArray[np.bool_]]] = []
    classes: dict[bytes, int] = {}
    into = []
    for group, row in enumerate(records.first):
        for subset in range(1 << width):
            chosen = (subset >> np.arange(width) & 1).astype(np.bool_)
            if not (chosen & (values[row] < 0)).any():
                choices.append((group, chosen))
                published = _without(values[row], chosen)
                into.append(classes.setdefault(published.tobytes(), len(classes)))
    owner: NDArray[np.int64] = np.array([g for g, _ in choices], dtype=np.int64)
    own, leads = np.arange(owner.size), np.array(into)
    total = owner.size + len(classes)
    opened = owner.size + np.arange(len(classes))
    every = csr_array((np.ones(owner.size), (owner, own)), shape=(sizes.size, total))
    size = csr_array((np.ones(owner.size), (leads, own)), shape=(len(classes), total))
    least = size - csr_array((np.full(len(classes), float(k)), (np.arange(len(classes)), opened)), shape=size.shape)
    link = csr_array(
        (
            np.concatenate((np.ones(owner.size), -sizes[owner].astype(np.float64))),
            (np.tile(own, 2), np.concatenate((own, opened[leads]))),
        ),
        shape=(owner.size, total),
    )
    constraints = [LinearConstraint(every, sizes, sizes), LinearConstraint(least, 0.0, np.inf)]
    constraints.append(LinearConstraint(link, -np.inf, 0.0))
    costs = np.concatenate(([float(chosen @ weights) for _, chosen in choices], np.zeros(len(classes))))
    upper = np.concatenate((sizes[owner].astype(np.float64), np.ones(len(classes))))
    counts = np.rint(_solved(costs, constraints, upper)[: owner.size]).astype(np.int64)
    result = values.copy()
    taken = np.zeros(sizes.size, dtype=np.int64)
    for (g, chosen), count in zip(choices, counts, strict=True):
        rows = records.rows[records.starts[g] + taken[g] :][:count]
        result[np.ix_(rows, chosen)] = -1
        taken[g] += count
    return result


def _without(values: Values, chosen: NDArray[np.bool_]) -> Values:
    result: Values = np.where(chosen, np.int32(-1), values)
    return result


def _solved(costs: Weights, constraints: list[LinearConstraint], upper: Weights) -> Weights:
    options = {"time_limit": SECONDS, "mip_rel_gap": 0.0}
    solved = milp(
        costs, constraints=constraints, bounds=Bounds(0.0, upper), integrality=np.ones(costs.size), options=options
    )
    if solved.status != 0:
        raise EvaluationError(
            f"local-suppression: the least suppression was not found within {SECONDS:.0f} seconds; "
            "choose search = heuristic"
        )
    found: Weights = solved.x
    return found
