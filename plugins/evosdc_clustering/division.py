"""Clusters of a file that is to be masked cluster by cluster: c-median clusters, of large files by a sample."""

import numpy as np

from evosdc.clustering.assignment import assign
from evosdc.clustering.c_median import Clustering, c_median
from evosdc.clustering.geometry import geometry_of, records_of
from evosdc.table.table import Table

SAMPLE = 20_000
"""Distinct records that representatives are found on, where there are more; all others go to the nearest of them."""

STARTS, FEW_STARTS = 10, 2
"""Starts of the clustering where the user does not say how many: of files without a sample, and of one."""

ROUNDS = 20
"""Rounds of a start on a sample; later ones move the total distance by less than a per cent."""


def clustered(table: Table, clusters: int, rng: np.random.Generator, starts: int | None = None) -> Clustering:
    """Return clusters of a table's records in a time that is in proportion to them, but for the sorting of records.

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
    records = records_of(table)
    m = len(records.counts)
    if m <= SAMPLE:
        return c_median(table, clusters, rng, starts or STARTS)
    rows = np.sort(rng.choice(m, size=SAMPLE, replace=False))
    sample = Table(table.schema, records.codes[rows], records.numbers[rows])
    found, known = c_median(sample, clusters, rng, starts or FEW_STARTS, ROUNDS).representatives, geometry_of(sample)
    assigned, far = np.full(m, -1, dtype=np.int64), np.zeros(m)
    assign(records.codes, records.numbers, found.codes, found.numbers, known, assigned, far)
    return Clustering(assigned[records.of], found, far[records.of] / known.unit)
