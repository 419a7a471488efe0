"""A masking method that clusters records and masks each cluster by itself.

Microaggregation loses where a border runs between neighbours, and takes the longer the larger the largest cluster. So
each cut gives both sides records in proportion to the clusters that are to be made of them. Its direction is that one,
of the principal components, the attributes and their sum, which leaves records nearest to neighbours on their own side.
The way is evosdc's own; cuts across principal components alone are principal direction divisive partitioning, Boley
(1998).
"""

from collections.abc import Callable, Sequence
from math import ceil
from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field
from scipy.spatial.distance import cdist

from evosdc.clustering.c_median import MOST_ROUNDS, SAMPLE, STARTS, best_settled, clustering_of
from evosdc.clustering.geometry import Integers, Records, geometry_of, nearer, records_of
from evosdc.errors import InputError
from evosdc.model import Design, Dividing, InnerParameters, Range, Tunable
from evosdc.model.dividing import innermost
from evosdc.model.scales import require_scales
from evosdc.table.schema import Scale
from evosdc.table.spread import spread_of
from evosdc.table.table import Numbers, Rows, Table

FEW_STARTS = 2  # starts of the clustering of a file that is clustered by a sample, where the user does not say how many
FEW_ROUNDS = 20  # rounds of a start on a sample; later ones move the total distance by less than a per cent

Way = Literal["c-median", "cuts"]


class Division(NamedTuple):
    """Clusters of a file's records."""

    labels: Integers  # shape (n,); cluster of each record, from 0
    representatives: Table  # medians and modes of each cluster


def clusters_to_mask(
    table: Table, clusters: int, rng: np.random.Generator, way: Way | None = None, starts: int | None = None
) -> Division:
    """Return clusters of a table's records in a time that is in proportion to them, but for the sorting of records."""
    # For c-median clusters of more than `SAMPLE` distinct records the representatives are found on a sample, in which
    # records count as often as they occur; all others go to the nearest of them.
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


# Distinct records that a direction is chosen by, where there are more: evenly many of their sorted order
CUT_SAMPLE = 500
NEIGHBOURS = 4  # nearest records whose distances count
LISTED = 24  # nearest records on both sides of a cut among which those are looked for first


def cut_apart(records: Records, clusters: int) -> Integers:
    """Return the cluster of each distinct record, shape (m,), from 0."""
    points = _standardised(records)
    labels = np.empty(len(points), dtype=np.int64)
    waiting: list[tuple[Rows, int, int]] = [(np.arange(len(points)), clusters, 0)]
    while waiting:
        rows, number, label = waiting.pop()
        if number == 1:
            labels[rows] = label
            continue
        few = number // 2
        ahead, behind = _cut(points[rows], records.counts[rows], few, number)
        waiting += [(rows[ahead], few, label), (rows[behind], number - few, label + few)]
    return labels


def _standardised(records: Records) -> Numbers:
    """Return the numbers in units of the standard deviations that they have among all records."""
    points = np.zeros_like(records.numbers)
    for j, values in enumerate(records.numbers.T):
        spread = spread_of(np.repeat(values, records.counts))
        if spread.farthest:
            centred = (values - np.nanmean(values)) / spread.farthest / spread.deviation
            points[:, j] = np.nan_to_num(centred, nan=0.0)
    return points


def _cut(points: Numbers, counts: Integers, few: int, number: int) -> tuple[Rows, Rows]:
    """Return the positions of the records of few clusters, and of all others of a number, ascending."""
    along = _direction(points, counts, few / number)
    order = np.lexsort([*points.T[::-1], np.einsum("ij,j->i", points, along)])
    ends = np.cumsum(counts[order])
    at = 1 + int(np.searchsorted(ends, ends[-1] * few / number))
    at = min(max(at, few), len(points) - (number - few))
    return np.sort(order[:at]), np.sort(order[at:])


def _direction(points: Numbers, counts: Integers, share: float) -> Numbers:
    """Return the unit vector across which a cut that leaves a share of the records behind it separates them least."""
    # Sums are numpy's own, which do not depend on how many threads there are.
    chosen = np.linspace(0, len(points) - 1, min(len(points), CUT_SAMPLE)).astype(np.intp)
    points, weights = points[chosen], counts[chosen] / counts[chosen].sum()
    centred = points - np.einsum("i,ij->j", weights, points)
    _, components = np.linalg.eigh(np.einsum("i,ij,ik->jk", weights, centred, centred))
    # Most variance first: it wins where several separate as little.
    width = points.shape[1]
    candidates = [*components.T[::-1], *np.eye(width), np.full(width, width**-0.5)]
    # Squared distances, and the nearest others of each record, among which those of its own side mostly are.
    apart = cdist(centred, centred, "sqeuclidean")
    np.fill_diagonal(apart, np.inf)
    listed = min(LISTED, len(apart) - 1)
    near = np.argpartition(apart, listed - 1, axis=1)[:, :listed]
    near = np.take_along_axis(near, np.argsort(np.take_along_axis(apart, near, axis=1), axis=1, kind="stable"), axis=1)
    return min(candidates, key=lambda along: _separated(centred, weights, apart, near, along, share))


def _separated(points: Numbers, weights: Numbers, apart: Numbers, near: Rows, along: Numbers, share: float) -> float:
    """Return how far records are from their nearest neighbours on their own side of a cut: the mean square."""
    order = np.argsort(np.einsum("ij,j->i", points, along), kind="stable")
    at = int(np.argmin(np.abs(np.cumsum(weights[order]) - share))) + 1
    at = min(max(at, 1), len(order) - 1)
    behind = np.zeros(len(order), dtype=bool)
    behind[order[:at]] = True
    nearest = np.where(behind, min(NEIGHBOURS, at - 1), min(NEIGHBOURS, len(order) - at - 1))
    own = behind[near] == behind[:, None]
    among = own & (np.cumsum(own, axis=1) <= nearest[:, None])
    total = np.where(among, np.take_along_axis(apart, near, axis=1), 0.0).sum(axis=1)
    for row in np.flatnonzero(among.sum(axis=1) < nearest):  # too few of its side are listed
        total[row] = np.partition(apart[row, behind == behind[row]], nearest[row] - 1)[: nearest[row]].sum()
    return float(weights @ (total / np.maximum(nearest, 1)))


def merged(table: Table, found: Division, fits: Callable[[Rows], bool]) -> Sequence[Rows]:
    """Return the records of clusters, those that do not fit merged with others until all fit, or one is left."""
    # The smallest cluster that does not fit, the first of several, joins the one whose representative is nearest to its
    # own; the latter keeps its representative. A reconstruction: the thesis has no word of small clusters.
    order = np.argsort(found.labels, kind="stable")
    sizes = np.bincount(found.labels, minlength=len(found.representatives))
    ends = np.cumsum(sizes)
    parts = {c: order[end - size : end] for c, (end, size) in enumerate(zip(ends, sizes, strict=True)) if size}
    waiting = {cluster for cluster, rows in parts.items() if not fits(rows)}
    known = geometry_of(table)
    while waiting and len(parts) > 1:
        cluster = min(waiting, key=lambda c: (parts[c].size, c))
        rows = parts.pop(cluster)
        waiting.remove(cluster)
        away: Numbers = np.full(len(found.representatives), np.inf)
        nearer(found.representatives.codes, found.representatives.numbers, cluster, known, away)
        host = min(parts, key=lambda c: (away[c], c))
        parts[host] = np.sort(np.concatenate([parts[host], rows]))
        if fits(parts[host]):
            waiting.discard(host)
        else:
            waiting.add(host)
    return [parts[cluster] for cluster in sorted(parts)]


# Default number of clusters: the least, and records per cluster. Fewer clusters would take long,
# and with more of them microaggregation loses more at their borders.
FEWEST, RECORDS = 2, 25_000

# Clusters that tuning tries at most, and records of a cluster at most, since it tries many files
MOST_TUNED, LARGEST_TUNED = 64, 50_000


class Clustered(Dividing, Tunable):
    """Cluster the records; have another method mask each cluster by itself."""

    # A method whose time grows with the square of the records takes a fraction of it. The clusters are c-median
    # clusters on the masked attributes, of large files by a sample; large files of numbers alone are cut apart. Methods
    # that compare records measure differences of numbers by the spreads of the whole file. A cluster that the inner
    # method refuses, or that has too few records, is merged with the one whose representative is nearest before
    # anything is masked: what the inner method promises of classes of records holds in each cluster and in the whole
    # file. Source: thesis, chapter 5 (PSD 2012). Merging, the sample, and the cuts are reconstructions.

    class Params(InnerParameters):
        """How many clusters, of what size, and what masks them."""

        c: int | None = Field(
            None,
            ge=1,
            description="number of clusters; as many as there are distinct records at most; default: one for "
            f"{RECORDS} records, at least {FEWEST}",
        )
        least: int | None = Field(
            None,
            ge=1,
            description="least number of records of a cluster, smaller ones are merged before anything is masked; "
            "default: what the inner method requires, at least 2",
        )
        clustering: Way | None = Field(
            None,
            description="c-median, or cuts: numbers cut apart where few neighbours are separated, in clusters of "
            f"nearly equal size; default: c-median, and cuts of numbers alone with more than {SAMPLE} distinct records",
        )
        starts: int | None = Field(
            None,
            ge=1,
            description=f"starts of c-median, the best of which counts; default: {STARTS}, and {FEW_STARTS} of files "
            f"with more than {SAMPLE} distinct records, which are clustered by a sample",
        )

    name = "clustered"
    promise = 12
    params: Params

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return microaggregation within clusters, with free numbers of clusters and sizes of classes."""
        n = len(table)
        least = max(2, ceil(n / LARGEST_TUNED))
        if n < 8 * least:
            return []
        most = min(n // 8, max(MOST_TUNED, 4 * least))
        free = (Range("c", least, most, "log", whole=True), Range("inner.k", 2, n // 8, "log", whole=True))
        return [Design({"inner": {"method": "mdav"}}, free)]

    def clusters(self, n: int) -> int:
        """Return how many clusters n records get, before any are merged."""
        return max(FEWEST, ceil(n / RECORDS)) if self.params.c is None else self.params.c

    def require_fit(self, table: Table) -> None:
        """Raise `ParameterError` where the inner method does not fit, or where categories are to be cut apart."""
        if self.params.clustering == "cuts":
            who = f"method {self.name}: clustering: cuts"
            require_scales({Scale.NUMERIC}, table, who, "Choose c-median.")
        super().require_fit(table)

    def divided(self, table: Table, rng: np.random.Generator) -> Sequence[Rows]:
        """Return the positions of the records of each cluster."""
        found = clusters_to_mask(table, self.clusters(len(table)), rng, self.params.clustering, self.params.starts)
        return merged(table, found, lambda rows: self._fits(table, rows))

    def _fits(self, table: Table, rows: Rows) -> bool:
        """Whether some records can be masked by themselves."""
        if len(rows) < self._least():
            return False
        try:
            self.inner.require_fit(table.take(rows))
        except InputError:
            return False
        return True

    def _least(self) -> int:
        if self.params.least is not None:
            return self.params.least
        k = getattr(innermost(self).params, "k", None)
        return max(2, k) if isinstance(k, int) else 2
