"""c-median clustering of records (thesis, section 5.2; Torra, 2004, about k-modes): a reconstruction.

Each cluster has a representative: by attribute the category or number of least summed distance to its records, the
first where several tie. It is the lower median of an ordinal or numeric attribute and the mode of a nominal one.
Records are assigned to the nearest representative and representatives are recomputed until nothing changes; neither
step increases the total distance. The work is done on distinct records in sorted order, so that the order of records is
of no account.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evosdc.clustering.geometry import (
    Geometry,
    Integers,
    Order,
    Records,
    assign,
    distances_to,
    geometry_of,
    nearer,
    records_of,
    represent,
    represent_numbers,
)
from evosdc.table.table import Codes, Numbers, Table

STARTS = 10  # random starts, of which the best counts
MOST_ROUNDS = 100  # rounds of assignment after which a start ends, settled or not

# Distinct records that starts are tried on, where there are more; all records settle around the best of them.
SAMPLE = 20_000


@dataclass(frozen=True, eq=False)
class Clustering:
    """Clusters of a file's records."""

    labels: Integers  # cluster of each record, from 0
    # One record for each cluster, in the attributes of the file: medians and modes, not necessarily a real record.
    representatives: Table
    distances: Numbers  # of each record to its representative; an attribute that differs as much as it can counts 1
    # The sum of all distances after each round of assignment; none is greater than the one before, unless missing
    # values are wildcards.
    totals: tuple[float, ...] = ()

    @property
    def sizes(self) -> Integers:
        """Records of each cluster."""
        sizes: Integers = np.bincount(self.labels, minlength=len(self.representatives))
        return sizes

    @property
    def total(self) -> float:
        """The sum of all distances, which the clustering makes small."""
        return float(self.distances.sum())


def c_median(
    table: Table,  # of any scales; one record and one attribute at least
    clusters: int,  # how many, 1 at least; as many as there are distinct records where there are fewer of them
    rng: np.random.Generator,
    starts: int = STARTS,  # of which the one of least total distance counts, the first of several
    rounds: int = MOST_ROUNDS,  # after which a start ends, settled or not
    known: Geometry | None = None,
    begin: Table | None = None,
) -> Clustering:
    """Return clusters of a file's records by all of its attributes."""
    records, known = records_of(table), known or geometry_of(table)
    if begin is None:
        best = best_settled(records, known, clusters, rng, starts, rounds)
    else:
        best = settled(records, known, begin.codes, begin.numbers, rounds)
    return clustering_of(table, records, known, best)


class Settled(NamedTuple):
    """Where a start has ended: clusters and distances of the distinct records, and the representatives."""

    totals: tuple[float, ...]
    assigned: Integers
    far: Numbers
    centres: Codes
    means: Numbers

    @property
    def total(self) -> float:
        """The sum of all distances in the end."""
        return self.totals[-1]


def clustering_of(table: Table, records: Records, known: Geometry, best: Settled) -> Clustering:
    """Return the clusters of a table from those of its distinct records."""
    representatives = Table(table.schema, best.centres, best.means)
    totals = tuple(total / known.unit for total in best.totals)
    return Clustering(best.assigned[records.of], representatives, best.far[records.of] / known.unit, totals)


def best_settled(
    records: Records,
    known: Geometry,
    clusters: int,
    rng: np.random.Generator,
    starts: int = STARTS,
    rounds: int = MOST_ROUNDS,
    settling: int = MOST_ROUNDS,
) -> Settled:
    """Return where the best of several starts ends, on distinct records; otherwise as `c_median`."""
    # Where starts are tried on a sample, all records then settle around the best of them for `settling`
    # rounds. With 0 they only go to the nearest representatives, and clusters may be empty.
    wanted = min(clusters, len(records.counts))
    few = _sample(records, rng)
    best: Settled | None = None
    for _ in range(starts):
        chosen = _first(few, known, wanted, rng)
        found = settled(few, known, few.codes[chosen], few.numbers[chosen], rounds)
        if best is None or found.total < best.total:
            best = found
    assert best is not None, "there is one start at least"
    if few is not records:
        best = settled(records, known, best.centres, best.means, settling)
    return best


def _sample(records: Records, rng: np.random.Generator) -> Records:
    """Return the records that starts are tried on: all, or of many as many as `SAMPLE`."""
    if len(records.counts) <= SAMPLE:
        return records
    rows = np.sort(rng.choice(len(records.counts), size=SAMPLE, replace=False))
    return Records(records.codes[rows], records.numbers[rows], records.counts[rows], rows)


def _first(records: Records, known: Geometry, clusters: int, rng: np.random.Generator) -> list[int]:
    """Return the first representatives: distinct records, each next one likelier the farther from those at hand."""
    weights = records.counts.astype(np.float64)
    chosen = [int(rng.choice(len(weights), p=weights / weights.sum()))]
    nearest = np.full(len(weights), np.inf)
    while len(chosen) < clusters:
        nearer(records.codes, records.numbers, chosen[-1], known, nearest)
        weights = records.counts * nearest
        weights[chosen] = 0.0
        if weights.sum() <= 0.0:
            # Under wildcards distinct records may be at distance 0 from each other.
            weights = records.counts.astype(np.float64)
            weights[chosen] = 0.0
        chosen.append(int(rng.choice(len(weights), p=weights / weights.sum())))
    return chosen


def settled(records: Records, known: Geometry, centres: Codes, means: Numbers, rounds: int) -> Settled:
    """Return where a start from some representatives ends; these are left as they are."""
    codes, numbers, counts = records.codes, records.numbers, records.counts
    centres, means = centres.copy(), means.copy()
    order: Order = np.argsort(numbers.T, axis=1, kind="stable").astype(np.int32)
    assigned, far = np.full(len(counts), -1, dtype=np.int64), np.zeros(len(counts))
    totals: list[float] = []
    for _ in range(rounds):
        changed = assign(codes, numbers, centres, means, known, assigned, far)
        totals.append(float((counts * far).sum()))
        if not changed:
            break
        represent(codes, counts, assigned, known, centres)
        represent_numbers(numbers, counts, assigned, order, known, means)
        empty = np.flatnonzero(np.bincount(assigned, minlength=len(centres)) == 0)
        if empty.size:
            # Distances to the representatives just found: by older ones the farthest may have its own by now.
            own = distances_to(codes, numbers, centres, means, known)[assigned, np.arange(len(counts))]
            farthest = np.argsort(-own, kind="stable")[: empty.size]
            centres[empty], means[empty] = codes[farthest], numbers[farthest]
    else:
        assign(codes, numbers, centres, means, known, assigned, far)
        totals.append(float((counts * far).sum()))
    return Settled(tuple(totals), assigned, far, centres, means)
