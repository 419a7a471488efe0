"""Kernels of clustering: who is nearest to whom, and what represents a cluster."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.clustering.geometry import Geometry, Integers
from evosdc.table.table import MISSING, Codes, Numbers

Weights = NDArray[np.int64] | NDArray[np.float64]
"""Counts of records, or sums of memberships."""

Order = NDArray[np.int32]
"""By numeric attribute the distinct records from the least number to the greatest, missing ones last, shape (Q, m)."""


@njit(cache=True)
def apart(
    codes: Codes, numbers: Numbers, row: int, centres: Codes, means: Numbers, centre: int, known: Geometry, limit: float
) -> float:
    """Return how far a record is from a representative; not less than `limit` where it is farther than that."""
    total = 0.0
    for v in range(codes.shape[1]):
        total += known.distances[known.offsets[v] + (codes[row, v] + 1) * known.widths[v] + centres[centre, v] + 1]
    for v in range(numbers.shape[1]):
        if total > limit:
            return total
        a, b = numbers[row, v], means[centre, v]
        if np.isnan(a) or np.isnan(b):
            if not known.wildcard and np.isnan(a) != np.isnan(b):
                total += known.unit
        else:
            total += abs(a - b) * known.factors[v]
    return total


@njit(cache=True)
def nearer(codes: Codes, numbers: Numbers, chosen: int, known: Geometry, nearest: Numbers) -> None:
    """Take a further record into account in the distances of all records to the nearest of those chosen."""
    for row in range(nearest.size):
        nearest[row] = min(nearest[row], apart(codes, numbers, row, codes, numbers, chosen, known, nearest[row]))


@njit(cache=True)
def assign(
    codes: Codes, numbers: Numbers, centres: Codes, means: Numbers, known: Geometry, assigned: Integers, far: Numbers
) -> bool:
    """Assign each record to the nearest representative, the first of several; return whether any changed."""
    changed = False
    for row in range(assigned.size):
        nearest, least = 0, apart(codes, numbers, row, centres, means, 0, known, np.inf)
        for centre in range(1, centres.shape[0]):
            distance = apart(codes, numbers, row, centres, means, centre, known, least)
            if distance < least:
                nearest, least = centre, distance
        changed |= assigned[row] != nearest
        assigned[row], far[row] = nearest, least
    return changed


@njit(cache=True)
def own_distances(
    codes: Codes, numbers: Numbers, centres: Codes, means: Numbers, known: Geometry, assigned: Integers, far: Numbers
) -> None:
    """Put in place how far each record is from the representative of its own cluster."""
    for row in range(assigned.size):
        far[row] = apart(codes, numbers, row, centres, means, assigned[row], known, np.inf)


@njit(cache=True)
def nearest_category(frequencies: Weights, cluster: int, width: int, offset: int, known: Geometry) -> int:
    """Return the category of least summed distance to records whose categories have these weights; in a tie the first.

    Weights stand by code plus one. Where no value is known it is a missing one.
    """
    best, least, present = MISSING, -1.0, False
    for digit in range(1, width + 1):
        code = digit - 1 if digit < width else MISSING
        if code == MISSING and known.wildcard:
            continue  # it would be at distance 0 from everything
        summed = 0.0
        for other in range(width):
            summed += frequencies[cluster, other] * known.distances[offset + other * width + code + 1]
        if least < 0.0 or summed < least:
            best, least = code, summed
        if digit < width and frequencies[cluster, digit] > 0:
            present = True
    return best if present else MISSING


@njit(cache=True)
def represent(codes: Codes, counts: Integers, assigned: Integers, known: Geometry, centres: Codes) -> None:
    """Put in place, by cluster and categorical attribute, the category of least summed distance to the records.

    The first of several: the lower median of an ordinal attribute, the mode of a nominal one. Clusters without records
    keep what they have.
    """
    clusters = centres.shape[0]
    for v in range(codes.shape[1]):
        width, offset = known.widths[v], known.offsets[v]
        frequencies = np.zeros((clusters, width), dtype=np.int64)
        for row in range(assigned.size):
            frequencies[assigned[row], codes[row, v] + 1] += counts[row]
        for cluster in range(clusters):
            if not frequencies[cluster].any():
                continue
            centres[cluster, v] = nearest_category(frequencies, cluster, width, offset, known)


@njit(cache=True)
def represent_numbers(
    numbers: Numbers, counts: Integers, assigned: Integers, order: Order, known: Geometry, means: Numbers
) -> None:
    """Put in place, by cluster and numeric attribute, the lower median of the numbers that are there.

    A missing number stands in where none is there, or where so many are missing that it is nearer to them all.
    """
    clusters = means.shape[0]
    for v in range(numbers.shape[1]):
        there = np.zeros(clusters, dtype=np.int64)
        missing = np.zeros(clusters, dtype=np.int64)
        for row in range(assigned.size):
            if np.isnan(numbers[row, v]):
                missing[assigned[row]] += counts[row]
            else:
                there[assigned[row]] += counts[row]
        passed = np.zeros(clusters, dtype=np.int64)
        for place in range(order.shape[1]):
            row = order[v, place]
            cluster = assigned[row]
            if np.isnan(numbers[row, v]) or 2 * passed[cluster] >= there[cluster]:
                continue
            passed[cluster] += counts[row]
            if 2 * passed[cluster] >= there[cluster]:
                means[cluster, v] = numbers[row, v]
        summed = missing * known.unit
        for row in range(assigned.size):
            if not np.isnan(numbers[row, v]):
                summed[assigned[row]] += counts[row] * abs(numbers[row, v] - means[assigned[row], v]) * known.factors[v]
        for cluster in range(clusters):
            nearer_to_missing = not known.wildcard and there[cluster] * known.unit < summed[cluster]
            if missing[cluster] > 0 and (there[cluster] == 0 or nearer_to_missing):
                means[cluster, v] = np.nan
