"""Kernels of fuzzy clustering: degrees to which records belong to clusters, and what represents such clusters."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.clustering.assignment import Order, apart, nearest_category
from evosdc.clustering.geometry import Geometry, Integers
from evosdc.table.table import Codes, Numbers

Memberships = NDArray[np.float64]
"""How far each record belongs to each cluster, shape (m, c); rows sum to 1."""


@njit(cache=True)
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
    clusters, power, total = centres.shape[0], 1.0 / (fuzziness - 1.0), 0.0
    distances = np.empty(clusters)
    for row in range(counts.size):
        for centre in range(clusters):
            distances[centre] = apart(codes, numbers, row, centres, means, centre, known, np.inf)
        least, summed = distances.min(), 0.0
        for centre in range(clusters):
            # By ratios of at most 1, whose powers do not overflow.
            share = 1.0 if distances[centre] <= least else (least / distances[centre]) ** power
            memberships[row, centre] = share
            summed += share
        for centre in range(clusters):
            memberships[row, centre] /= summed
            total += counts[row] * memberships[row, centre] ** fuzziness * distances[centre]
    return total


@njit(cache=True)
def represent_degrees(codes: Codes, weights: Memberships, known: Geometry, centres: Codes) -> None:
    """Put in place, by cluster and categorical attribute, the category of least weighted distance to all records.

    Clusters to which nothing belongs keep what they have.
    """
    clusters = centres.shape[0]
    for v in range(codes.shape[1]):
        width, offset = known.widths[v], known.offsets[v]
        frequencies = np.zeros((clusters, width))
        for row in range(weights.shape[0]):
            for cluster in range(clusters):
                frequencies[cluster, codes[row, v] + 1] += weights[row, cluster]
        for cluster in range(clusters):
            if frequencies[cluster].sum() > 0.0:
                centres[cluster, v] = nearest_category(frequencies, cluster, width, offset, known)


@njit(cache=True)
def represent_number_degrees(
    numbers: Numbers, weights: Memberships, order: Order, known: Geometry, means: Numbers
) -> None:
    """Put in place, by cluster and numeric attribute, the lower weighted median of the numbers that are there.

    A missing number stands in as in `evosdc.clustering.assignment.represent_numbers`.
    """
    clusters = means.shape[0]
    for v in range(numbers.shape[1]):
        there, missing, passed = np.zeros(clusters), np.zeros(clusters), np.zeros(clusters)
        for row in range(weights.shape[0]):
            absent = np.isnan(numbers[row, v])
            for cluster in range(clusters):
                if absent:
                    missing[cluster] += weights[row, cluster]
                else:
                    there[cluster] += weights[row, cluster]
        for place in range(order.shape[1]):
            row = order[v, place]
            if np.isnan(numbers[row, v]):
                break  # the missing ones come last
            for cluster in range(clusters):
                if 2.0 * passed[cluster] >= there[cluster]:
                    continue
                passed[cluster] += weights[row, cluster]
                if 2.0 * passed[cluster] >= there[cluster]:
                    means[cluster, v] = numbers[row, v]
        if known.wildcard:
            for cluster in range(clusters):
                if missing[cluster] > 0.0 and there[cluster] == 0.0:
                    means[cluster, v] = np.nan
            continue
        summed = missing * known.unit
        for row in range(weights.shape[0]):
            if not np.isnan(numbers[row, v]):
                for cluster in range(clusters):
                    far = abs(numbers[row, v] - means[cluster, v]) * known.factors[v]
                    summed[cluster] += weights[row, cluster] * far
        for cluster in range(clusters):
            if missing[cluster] > 0.0 and there[cluster] * known.unit < summed[cluster]:
                means[cluster, v] = np.nan
