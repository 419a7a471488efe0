"""Clusters of at least r records whose greatest radius is at most twice the least possible (Aggarwal et al. 2006).

For a diameter d: the first record that no centre reaches becomes a centre, until all records are within d of one; a
flow decides whether every centre can be given r records within d, each to one centre only. If d is twice the least
possible radius or more, it can: centres lie in different clusters of the best clustering, and each has its own cluster
within reach. So the search by halves ends with a d that is possible, not above twice the least radius, though what is
possible need not be monotone below.

Equal records share a point, with as much capacity as there are of them. Distances are taken row by row whenever they
are needed and never kept: memory grows with the records and with the pairs of centres and points within reach. How
well the records spread over centres beyond the r of the flow is left open by the source; here each goes to the nearest
centre, the first in a tie.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import maximum_flow

from evosdc.errors import Fault, ParameterError
from evosdc.model import Design
from evosdc.table.schema import MissingRule
from evosdc.table.table import Numbers, Table
from evosdc_masking.anonymity.publication import ClusterPublishing
from evosdc_masking.averages import ClassNumbers, ClassParameters
from evosdc_masking.point_search import distances_in
from evosdc_masking.space import Space, space_of

Integers = NDArray[np.int64]

# Pairs of centres and points within reach of each other beyond which a flow would take gigabytes of memory.
MOST_PAIRS = 2**24


@dataclass(frozen=True)
class Gathering:
    """A clustering."""

    classes: Integers  # shape (n,); number of each record's cluster
    centres: Integers  # shape (m,); position of the record at the centre of each cluster
    # No record is farther from its centre; at most twice the least possible greatest radius. In units of the space
    reach: float


@dataclass(frozen=True)
class Attempt:
    """Whether clusters within a diameter are possible; `above` and `below` are the nearest distances that matter."""

    # For every diameter from `below` up to `above`, without it, the outcome is the same.

    centres: Integers
    flow: csr_array | None
    below: float
    above: float


def gathered(space: Space, r: int) -> Gathering:
    """Return a clustering with at least r records in each cluster."""
    starts, rows = space.points.starts, space.points.members
    counts = space.points.counts
    low = necessary_diameter(space, r)
    best = _attempt(space, counts, r, low)
    if best.flow is None:
        low, high = best.above, np.inf
        best = _attempt(space, counts, r, high)
        high = best.below
        while low < high:
            middle = low + (high - low) / 2
            attempt = _attempt(space, counts, r, middle if middle < high else low)
            if attempt.flow is None:
                low = attempt.above
            else:
                best, high = attempt, attempt.below
    assert best.flow is not None, "one cluster of all records is always possible"
    nearest = _nearest_centres(space, best.centres)
    given = best.flow.tocoo()
    classes = np.empty(rows.size, dtype=np.int64)
    classes[rows] = np.repeat(nearest, counts)
    heads = starts[:-1].copy()
    for centre, point, amount in zip(given.row.tolist(), given.col.tolist(), given.data.tolist(), strict=True):
        classes[rows[heads[point] : heads[point] + amount]] = centre
        heads[point] += amount
    return Gathering(classes, rows[starts[best.centres]], best.below)


def necessary_diameter(space: Space, r: int) -> float:
    """Return the least distance within which every record has r records, itself among them; n >= r."""
    counts, distances = space.points.counts, distances_in(space)
    single, greatest = int(counts.max()) == 1, -1.0
    for point in np.flatnonzero(counts < r).tolist():
        away = distances(point)
        near = away <= greatest
        # Most points have as many within the greatest distance so far, which is quickly checked.
        if (np.count_nonzero(near) if single else counts[near].sum()) < r:
            order = np.argsort(away)
            greatest = float(away[order[np.searchsorted(np.cumsum(counts[order]), r)]])
    return max(greatest, 0.0)


def centres_of(
    space: Space, diameter: float, most: int, most_pairs: int
) -> tuple[Integers, Integers, Integers, float, float]:
    """Choose centres, in the order of the points, until every point is within a diameter of one."""
    # most, most_pairs: the search is given up at more centres, or more pairs, than these.
    # Returns centres: Points; begins, reached: ``reached[begins[i]:begins[i + 1]]`` are the points within the diameter
    # of centre i; below, above: Greatest distance from a centre within the diameter, and least one beyond it.
    distances = distances_in(space)
    unmarked = np.ones(len(space.points), dtype=np.bool_)
    centres, begins, reached = list[int](), [0], [np.empty(0, dtype=np.int64)]
    below, above, point = 0.0, np.inf, 0
    while len(centres) <= most and begins[-1] <= most_pairs and unmarked[point]:
        away = distances(point)
        within = away <= diameter
        near = np.flatnonzero(within)
        below = max(below, float(away[near].max()))
        above = min(above, float(away[~within].min(initial=np.inf)))
        unmarked[near] = False
        centres.append(point)
        reached.append(near)
        begins.append(begins[-1] + near.size)
        point += int(unmarked[point:].argmax())
    return np.array(centres), np.array(begins), np.concatenate(reached), below, above


def _nearest_centres(space: Space, centres: Integers) -> Integers:
    """Return the number of the centre nearest to each point, the first in a tie, shape (m,)."""
    distances = distances_in(space)
    nearest = np.zeros(len(space.points), dtype=np.int64)
    least = np.full(nearest.size, np.inf)
    for number, centre in enumerate(centres.tolist()):
        away = distances(centre)
        nearest[away < least] = number
        np.minimum(least, away, out=least)
    return nearest


def _attempt(space: Space, counts: Integers, r: int, diameter: float) -> Attempt:
    """Choose centres for a diameter and try to give each of them r records."""
    limit = int(counts.sum()) // r
    found, begins, reached, below, above = centres_of(space, diameter, limit, MOST_PAIRS)
    if reached.size > MOST_PAIRS:
        given = f"{counts.size} different records, more than {MOST_PAIRS} pairs of them within reach"
        wanted = "a file whose clusters can be found in memory"
        advice = "Mask by strata (--by), fewer records, or choose mdav or k-member, which need less memory."
        raise ParameterError(Fault("method r-gather: data", given, wanted, advice))
    flow = _flow(begins, reached, counts, r) if found.size <= limit else None
    return Attempt(found, flow, below, above)


def _flow(begins: Integers, reached: Integers, counts: Integers, r: int) -> csr_array | None:
    """Return how many records of each point each centre gets, shape (m, points), or None where r are not to be had."""
    # begins (m + 1,): ``reached[begins[i]:begins[i + 1]]`` are the points within reach of centre i.
    m, size = begins.size - 1, counts.size
    source, sink = m + size, m + size + 1
    centre = np.repeat(np.arange(m), np.diff(begins))
    tails = np.concatenate((np.full(m, source), centre, m + np.arange(size)))
    ends = np.concatenate((np.arange(m), m + reached, np.full(size, sink)))
    capacity = np.concatenate((np.full(m, r), np.minimum(counts[reached], r), counts))
    shape = (sink + 1, sink + 1)
    # Positions of 32 bits: older versions of scipy find no flow with others.
    places = tails.astype(np.int32), ends.astype(np.int32)
    network = csr_array(coo_array((capacity, places), shape=shape), dtype=np.int32)
    result = maximum_flow(network, source, sink)
    if result.flow_value < r * m:
        return None
    taken = csr_array(result.flow)[:m, m : m + size]
    return csr_array(taken)


class RGather(ClusterPublishing):
    """Find clusters of at least k records (r in the source) of small radius; publish one record for each.

    The greatest distance of a record from the centre of its cluster is at most twice the least that any clustering
    has. The distance is that of `evosdc_masking.space` for clustering, a metric; a missing value is always a category
    of its own while clusters are formed, since the bound needs a metric.

    The published file is k-anonymous on the masked attributes. Nothing is random.

    Source: Aggarwal et al. (2006), see `evosdc_masking.anonymity.r_gather`. There the centres are published
    (`output` centre); averages (`output` point) are evosdc's choice.
    """

    class Params(ClassParameters):
        """Least size of the clusters, and what they publish."""

        output: Literal["point", "centre", "interval"] = Field(
            "point",
            description="point: the average; centre: the record at the centre; interval: labels such as [17, 25], "
            "common ancestors, or sets.",
        )

    name = "r-gather"
    params: Params

    @classmethod
    def designs(cls, table: Table) -> Sequence[Design]:
        """Return averages and centres, each with k from 2 to a quarter of the file."""
        own = super().designs(table)
        return [Design({"output": output}, design.free) for design in own for output in ("point", "centre")]

    def published(self, table: Table, weights: Numbers | None, rng: np.random.Generator) -> Table:
        """Return the table in which the records of a cluster are the same."""
        if self.params.output != "centre":
            return super().published(table, weights, rng)
        gathering = self._gathering(table)
        return table.take(gathering.centres[gathering.classes].astype(np.intp))

    def classes(self, table: Table, rng: np.random.Generator) -> ClassNumbers:
        """Return the number of each record's cluster, shape (n,), from 0."""
        return self._gathering(table).classes

    def _gathering(self, table: Table) -> Gathering:
        judged = replace(table, schema=replace(table.schema, na=MissingRule.CATEGORY))
        return gathered(space_of(judged, clustering=True, spreads=self.spreads), self.params.k)
