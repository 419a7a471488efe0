"""Clusters of a file that is to be masked cluster by cluster."""

from typing import Literal, NamedTuple

import numpy as np

from evosdc.clustering.c_median import MOST_ROUNDS, SAMPLE, STARTS, best_settled, clustering_of
from evosdc.clustering.geometry import Integers, Records, geometry_of, records_of
from evosdc.table.table import Numbers, Table
from evosdc_clustering.cuts import cut_apart

FEW_STARTS = 2
"""Starts of the clustering of a file that is clustered by a sample, where the user does not say how many."""

FEW_ROUNDS = 20
"""Rounds of a start on a sample; later ones move the total distance by less than a per cent."""

Way = Literal["c-median", "cuts"]


class Division(NamedTuple):
    """Clusters of a file's records.

    Parameters
    ----------
    labels : ndarray of int64, shape (n,)
        Cluster of each record, from 0.
    representatives : Table
        Medians and modes of each cluster.
    """

    labels: Integers
    representatives: Table


def clusters_to_mask(
    table: Table, clusters: int, rng: np.random.Generator, way: Way | None = None, starts: int | None = None
) -> Division:
    """Return clusters of a table's records in a time that is in proportion to them, but for the sorting of records.

    For c-median clusters of more than `SAMPLE` distinct records the representatives are found on a sample, in which
    records count as often as they occur; all others go to the nearest of them.

    Parameters
    ----------
    table : Table
        Of one record and one attribute at least.
    clusters : int
        How many; as many as there are distinct records where there are fewer of them.
    rng : numpy.random.Generator
    way : {"c-median", "cuts"}, optional
        `evosdc.clustering.c_median`, or `evosdc_clustering.cuts`, which are of numbers alone. By default the latter for
        numbers alone of which there are more than `SAMPLE` distinct records: microaggregation loses less at borders.
    starts : int, optional
        `STARTS`, or `FEW_STARTS` on a sample.

    Returns
    -------
    Division
        It does not depend on the order of the records. Of a large file some c-median clusters may be empty.
    """
    records, known = records_of(table), geometry_of(table)
    large = len(records.counts) > SAMPLE
    wanted = min(clusters, len(records.counts))
    chosen = way or ("cuts" if large and not table.schema.categorical else "c-median")
    if chosen == "cuts":
        labels = cut_apart(records, wanted)
        return Division(labels[records.of], _medians(table, records, labels, wanted))
    tried = starts or (FEW_STARTS if large else STARTS)
    rounds = FEW_ROUNDS if large else MOST_ROUNDS
    best = best_settled(records, known, wanted, rng, tried, rounds, settling=0)
    found = clustering_of(table, records, known, best)
    return Division(found.labels, found.representatives)


def _medians(table: Table, records: Records, labels: Integers, clusters: int) -> Table:
    """Return the lower medians of the numbers in each cluster, missing where none is known."""
    medians: Numbers = np.full((clusters, records.numbers.shape[1]), np.nan)
    for cluster in range(clusters):
        rows = np.flatnonzero(labels == cluster)
        for j, values in enumerate(np.repeat(records.numbers[rows], records.counts[rows], axis=0).T):
            known = values[~np.isnan(values)]
            if known.size:
                middle = (known.size - 1) // 2
                medians[cluster, j] = np.partition(known, middle)[middle]
    return Table(table.schema, np.empty((clusters, 0), dtype=np.int32), medians)
