"""c-median clustering of categorical records (thesis, section 5.2; Torra, 2004, about k-modes): a reconstruction.

Each cluster has a representative: by attribute the category of least summed distance to its records, the first where
several tie. It is the lower median of an ordinal attribute and the mode of a nominal one. Records are assigned to the
nearest representative and representatives are found anew until nothing changes; neither step increases the total
distance. The work is done on distinct records in sorted order, so that the order of records is of no account.
"""

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import kernel
from evosdc.table.distance import common_scale
from evosdc.table.schema import MissingRule
from evosdc.table.table import MISSING, Codes, Table
from evosdc_measures.domains import Integers, domains_of

MOST_ROUNDS = 100
"""Rounds of assignment after which a start ends, settled or not."""


def c_median(table: Table, clusters: int, rng: np.random.Generator, starts: int = 10) -> NDArray[np.int64]:
    """Return the cluster of each record by its categorical attributes, shape (n,).

    Parameters
    ----------
    table : Table
        Categorical attributes, of which there is one at least, are looked at; distances are those of
        `evosdc.table.distance`, summed over attributes.
    clusters : int
        How many; as many as there are distinct records where there are fewer of them.
    rng : numpy.random.Generator
        For the first representatives, drawn as k-means++ draws them with probabilities by distance.
    starts : int
        Of which the one of least total distance counts, the first of several.
    """
    records, of_record, counts = np.unique(table.codes, axis=0, return_inverse=True, return_counts=True)
    matrices, _ = common_scale(table.schema)
    domains = domains_of(table.schema)
    flat = domains.flattened(matrices)
    layout = (domains.widths, domains.offsets, flat, table.schema.na is MissingRule.WILDCARD)
    wanted = min(clusters, len(records))
    best: tuple[int, NDArray[np.int64]] | None = None
    for _ in range(starts):
        first = _first(records, counts, wanted, *layout[:3], rng)
        total, assigned = _settled(records, counts, first, *layout, MOST_ROUNDS)
        if best is None or total < best[0]:
            best = int(total), assigned
    assert best is not None
    labels: NDArray[np.int64] = best[1][of_record.reshape(-1)]
    return labels


def _first(
    records: Codes,
    counts: Integers,
    clusters: int,
    widths: Integers,
    offsets: Integers,
    distances: Integers,
    rng: np.random.Generator,
) -> Codes:
    """Return the first representatives: distinct records, each next one likelier the farther from those at hand."""
    weights = counts.astype(np.float64)
    chosen = [int(rng.choice(len(records), p=weights / weights.sum()))]
    nearest = np.full(len(records), np.iinfo(np.int64).max)
    while len(chosen) < clusters:
        _nearer(records, chosen[-1], widths, offsets, distances, nearest)
        weights = (counts * nearest).astype(np.float64)
        weights[chosen] = 0.0
        if weights.sum() <= 0.0:
            # Under wildcards distinct records may be at distance 0 from each other.
            weights[:] = counts
            weights[chosen] = 0.0
        chosen.append(int(rng.choice(len(records), p=weights / weights.sum())))
    return np.ascontiguousarray(records[chosen])


@kernel
def _nearer(
    records: Codes, chosen: int, widths: Integers, offsets: Integers, distances: Integers, nearest: Integers
) -> None:
    for row in range(records.shape[0]):
        nearest[row] = min(nearest[row], _apart(records[row], records[chosen], widths, offsets, distances))


@kernel
def _apart(x: Codes, y: Codes, widths: Integers, offsets: Integers, distances: Integers) -> int:
    total = 0
    for v in range(x.size):
        total += distances[offsets[v] + (x[v] + 1) * widths[v] + y[v] + 1]
    return total


@kernel
def _settled(
    records: Codes,
    counts: Integers,
    first: Codes,
    widths: Integers,
    offsets: Integers,
    distances: Integers,
    wildcards: bool,
    rounds: int,
) -> tuple[int, Integers]:
    """Return the total distance and the cluster of each distinct record."""
    clusters = first.shape[0]
    representatives = first.copy()
    assigned = np.full(records.shape[0], -1, dtype=np.int64)
    far = np.zeros(records.shape[0], dtype=np.int64)
    total = 0
    for _ in range(rounds):
        changed = False
        total = 0
        for row in range(records.shape[0]):
            nearest, least = 0, _apart(records[row], representatives[0], widths, offsets, distances)
            for cluster in range(1, clusters):
                apart = _apart(records[row], representatives[cluster], widths, offsets, distances)
                if apart < least:
                    nearest, least = cluster, apart
            changed |= assigned[row] != nearest
            assigned[row], far[row] = nearest, least
            total += counts[row] * least
        if not changed:
            break
        for cluster in range(clusters):
            if not (assigned == cluster).any():
                farthest = np.argmax(far)
                for v in range(records.shape[1]):
                    representatives[cluster, v] = records[farthest, v]
                far[farthest] = 0
            else:
                _represent(records, counts, assigned, cluster, widths, offsets, distances, wildcards, representatives)
    return total, assigned


@kernel
def _represent(
    records: Codes,
    counts: Integers,
    assigned: Integers,
    cluster: int,
    widths: Integers,
    offsets: Integers,
    distances: Integers,
    wildcards: bool,
    representatives: Codes,
) -> None:
    """Put in place, attribute by attribute, the category of least summed distance to a cluster's records."""
    for v in range(records.shape[1]):
        frequencies = np.zeros(widths[v], dtype=np.int64)
        for row in range(records.shape[0]):
            if assigned[row] == cluster:
                frequencies[records[row, v] + 1] += counts[row]
        best, least = MISSING, -1
        for digit in range(1, widths[v] + 1):
            code = digit - 1 if digit < widths[v] else MISSING
            if code == MISSING and wildcards:
                # It would be at distance 0 from everything.
                continue
            summed = 0
            for other in range(widths[v]):
                summed += frequencies[other] * distances[offsets[v] + other * widths[v] + code + 1]
            if least < 0 or summed < least:
                best, least = code, summed
        representatives[cluster, v] = best if frequencies[1:].sum() > 0 else MISSING
