"""Steps of fuzzy clustering: degrees to which records belong to clusters, and what represents such clusters."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.clustering.assignment import Order, distances_to, nearest_categories
from evosdc.clustering.geometry import Geometry, Integers
from evosdc.table.table import Codes, Numbers

Memberships = NDArray[np.float64]
"""How far each record belongs to each cluster, shape (m, c); rows sum to 1."""


def belong(
    codes: Codes,
    numbers: Numbers,
    counts: Integers,
    centres: Codes,
    means: Numbers,
    known: Geometry,
    fuzziness: float,
    memberships: Memberships,
) -> float:
    """Put in place the memberships of least objective, and return it: the sum of ``u**fuzziness * d``.

    ``u`` goes by ``d ** (-1 / (fuzziness - 1))``; a record at no distance from some representatives belongs to these
    alone, in equal shares.
    """
    distances = np.ascontiguousarray(distances_to(codes, numbers, centres, means, known).T)
    return float(_belong(distances, counts, fuzziness, memberships))


@njit(cache=True)
def _belong(distances: Numbers, counts: Integers, fuzziness: float, memberships: Memberships) -> float:
    # Compiled, since numpy's powers differ in the last bit from one processor to another.
    rows, clusters = distances.shape
    power, total = 1.0 / (fuzziness - 1.0), 0.0
    for row in range(rows):
        least, summed = np.inf, 0.0
        for centre in range(clusters):
            least = min(least, distances[row, centre])
        for centre in range(clusters):
            # By ratios of at most 1, whose powers do not overflow.
            far = distances[row, centre]
            share = 1.0 if far <= least else (least / far) ** power
            memberships[row, centre] = share
            summed += share
        for centre in range(clusters):
            memberships[row, centre] /= summed
            total += counts[row] * memberships[row, centre] ** fuzziness * distances[row, centre]
    return total


def represent_degrees(codes: Codes, weights: Memberships, known: Geometry, centres: Codes) -> None:
    """Put in place, by cluster and categorical attribute, the category of least weighted distance to all records.

    Clusters to which nothing belongs keep what they have.
    """
    for v, (offset, width) in enumerate(zip(known.offsets.tolist(), known.widths.tolist(), strict=True)):
        matrix = known.distances[offset : offset + width * width].reshape(width, width)
        frequencies = np.array([np.bincount(codes[:, v] + 1, column, width) for column in weights.T])
        some = frequencies.sum(axis=1) > 0.0
        centres[some, v] = nearest_categories(frequencies[some], matrix, known)


def represent_number_degrees(
    numbers: Numbers, weights: Memberships, order: Order, known: Geometry, means: Numbers
) -> None:
    """Put in place, by cluster and numeric attribute, the lower weighted median of the numbers that are there.

    A missing number stands in as in `evosdc.clustering.assignment.represent_numbers`.
    """
    for v in range(numbers.shape[1]):
        column = numbers[:, v]
        present = ~np.isnan(column)
        there, missing = _summed(weights[present]), _summed(weights[~present])
        ascending = order[v, : int(present.sum())]
        if ascending.size:
            passed = 2.0 * weights[ascending].cumsum(axis=0) >= there
            reached = passed.any(axis=0) & (there > 0.0)
            means[reached, v] = column[ascending[passed.argmax(axis=0)[reached]]]
        if known.wildcard:
            means[(missing > 0.0) & (there == 0.0), v] = np.nan
            continue
        far = np.abs(column[present, None] - means[:, v]) * known.factors[v]
        summed = _summed(np.vstack((missing * known.unit, weights[present] * far)))
        means[(missing > 0.0) & (there * known.unit < summed), v] = np.nan


def _summed(rows: Memberships) -> Numbers:
    """Return the sums by cluster, added record by record."""
    summed: Numbers = np.vstack((np.zeros(rows.shape[1]), rows)).cumsum(axis=0)[-1]
    return summed
