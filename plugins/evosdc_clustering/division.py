"""Clusters of a file that is to be masked cluster by cluster: c-median clusters, of large files by a sample."""

import numpy as np

from evosdc.clustering.c_median import MOST_ROUNDS, SAMPLE, STARTS, Clustering, best_settled, clustering_of
from evosdc.clustering.geometry import geometry_of, records_of
from evosdc.table.table import Table

FEW_STARTS = 2
"""Starts of the clustering of a file that is clustered by a sample, where the user does not say how many."""

FEW_ROUNDS = 20
"""Rounds of a start on a sample; later ones move the total distance by less than a per cent."""


def clusters_to_mask(table: Table, clusters: int, rng: np.random.Generator, starts: int | None = None) -> Clustering:
    """Return clusters of a table's records in a time that is in proportion to them, but for the sorting of records.

    Of more than `SAMPLE` distinct records the representatives are found on a sample, in which records count as often as
    they occur; all others go to the nearest of them.

    Parameters
    ----------
    table : Table
        Of one record and one attribute at least.
    clusters : int
        How many; as many as there are distinct records where there are fewer of them.
    rng : numpy.random.Generator
    starts : int, optional
        `STARTS`, or `FEW_STARTS` on a sample.

    Returns
    -------
    Clustering
        It does not depend on the order of the records. Of a large file some clusters may be empty.
    """
    records, known = records_of(table), geometry_of(table)
    large = len(records.counts) > SAMPLE
    tried = starts or (FEW_STARTS if large else STARTS)
    rounds = FEW_ROUNDS if large else MOST_ROUNDS
    best = best_settled(records, known, min(clusters, len(records.counts)), rng, tried, rounds, settling=0)
    return clustering_of(table, records, known, best)
