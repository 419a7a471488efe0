"""Cluster analysis of a file: its clusters, how many it seems to have, and how far that hangs on chance."""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from evosdc.clustering.c_median import Settled, best_settled
from evosdc.clustering.elbow import Elbow
from evosdc.clustering.fuzzy import MOST_FUZZY, FuzzyClustering, fuzzy_c_median
from evosdc.clustering.geometry import Integers, geometry_of, records_of
from evosdc.clustering.stability import Stability
from evosdc.errors import Fault, FaultCollector, ParameterError
from evosdc.secret import Purpose, Seed, draw_seed, stream
from evosdc.table.missing_values import faults_of_missing
from evosdc.table.table import Numbers, Table

UP_TO = 12  # clusters up to which within-distances are computed
MOST_UP_TO = 100  # the most of these: a clustering is made for each number
SEEDS = 5  # seeds whose clusterings are compared


@dataclass(frozen=True, eq=False)
class Clusters:
    """A file's records in clusters, from the largest cluster to the smallest."""

    labels: Integers  # cluster of each record, from 0
    representatives: Table  # one record for each cluster: medians and modes, which need be nobody's
    distances: Numbers  # of each record to its representative; an attribute that differs as much as it can counts 1
    medoids: Integers  # position of the record nearest to each representative, the first of several
    asked: int  # number of clusters that was asked for
    starts: int
    seed: Seed
    elbow: Elbow | None = None
    stability: Stability | None = None
    fuzziness: float | None = None
    # Its clusters are numbered as those here, from whose representatives it begins.
    fuzzy: FuzzyClustering | None = None

    @property
    def sizes(self) -> Integers:
        """Records of each cluster."""
        sizes: Integers = np.bincount(self.labels, minlength=len(self.representatives))
        return sizes

    @property
    def distance(self) -> float:
        """Mean distance of a record to its representative."""
        return float(self.distances.mean())

    @property
    def within(self) -> Numbers:
        """Mean distance of the records of each cluster to its representative."""
        return np.bincount(self.labels, self.distances, len(self.representatives)) / self.sizes

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader of the clusters has to know."""
        found, told = len(self.representatives), []
        if found < self.asked:
            there = "is 1" if found == 1 else f"are {found}"
            told.append(f"{self.asked} clusters were asked for; there {there}, since no more records are apart.")
        reached = self.elbow.distances[:found] if self.elbow is not None else ()
        if len(reached) == found and reached[-1] < self.distance - 1e-9:
            told.append("Fewer clusters were found that are nearer to the records: more starts would help.")
        if self.fuzzy is not None:
            distinct = len(records_of(self.fuzzy.representatives).counts)
            if distinct < found:
                told.append(
                    f"Of {found} fuzzy clusters {found - distinct} have the representative of another one: take a "
                    "smaller fuzziness, or fewer clusters."
                )
        return tuple(told)


def clusters_of(
    table: Table,
    clusters: int,  # how many; as many as there are distinct records where there are fewer of them
    *,
    up_to: int = UP_TO,  # clusters up to which within-distances are computed, `MOST_UP_TO` at most; 1: they are not
    fuzziness: float | None = None,  # the exponent m of a fuzzy clustering besides, above 1
    starts: int = 10,  # random starts, of which the best counts
    seed: Seed,  # of the starts. The same number of clusters has the same clustering, whatever else is asked.
    seeds: int = SEEDS,
    told: Callable[[int, int], Any] = lambda done, total: None,
) -> Clusters:
    """Return clusters of a file's records by all of its attributes."""
    _check(table, {"c": clusters, "up_to": up_to, "starts": starts, "seeds": seeds}, fuzziness)
    records, known = records_of(table), geometry_of(table)
    wanted = min(clusters, len(records.counts))
    most = min(up_to, len(records.counts))
    others = [c for c in range(1, most + 1) if c != wanted] if most > 1 else []
    total, done = len(others) + seeds, 0

    def settled(number: int, own_seed: Seed) -> Settled:
        nonlocal done
        told(done, total)
        done += 1
        return best_settled(records, known, number, stream(own_seed, Purpose.EVALUATE), starts)

    best = settled(wanted, seed)
    within = {wanted: best.total / known.unit / len(table)}
    within |= {c: settled(c, seed).total / known.unit / len(table) for c in others}
    elbow = Elbow.of([within[c] for c in range(1, most + 1)]) if others else None
    drawn = [seed + draw if isinstance(seed, int) else draw_seed(seed, draw) for draw in range(seeds)]
    alike = [best.assigned, *(settled(wanted, other).assigned for other in drawn[1:])]
    stability = None
    if seeds > 1:
        stability = Stability.of(drawn, [assigned[records.of] for assigned in alike])
    order = np.argsort(-np.bincount(best.assigned, records.counts, len(best.centres)), kind="stable")
    order = order[np.isin(order, best.assigned)]  # wildcards may leave a cluster without records
    place = np.empty(len(best.centres), dtype=np.int64)
    place[order] = np.arange(len(order))
    labels, distances = place[best.assigned][records.of], (best.far / known.unit)[records.of]
    representatives = Table(table.schema, best.centres[order], best.means[order])
    nearest = np.lexsort((distances, labels))
    medoids = nearest[np.searchsorted(labels[nearest], np.arange(len(order)))]
    fuzzy = None if fuzziness is None else fuzzy_c_median(table, representatives, fuzziness)
    told(total, total)
    return Clusters(
        labels, representatives, distances, medoids, clusters, starts, seed, elbow, stability, fuzziness, fuzzy
    )


def _check(table: Table, numbers: dict[str, object], fuzziness: object) -> None:
    collect = FaultCollector()
    if not len(table) or not len(table.schema):
        given = f"{len(table)} records of {len(table.schema)} attributes"
        collect.faults.append(Fault("cluster", given, "one record and one attribute at least"))
    collect.faults += faults_of_missing(table, table.schema.names)
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
            collect.faults.append(Fault(f"cluster: {name}", repr(value), "a whole number, 1 at least"))
    if isinstance(numbers["up_to"], int) and numbers["up_to"] > MOST_UP_TO:
        advice = "A clustering is made for each number."
        collect.faults.append(Fault("cluster: up_to", str(numbers["up_to"]), f"{MOST_UP_TO} at most", advice))
    if fuzziness is not None and not (isinstance(fuzziness, Real) and 1.0 < float(fuzziness) <= MOST_FUZZY):
        advice = "Clusters without degrees need none."
        wanted = f"a number above 1, at most {MOST_FUZZY:g}"
        collect.faults.append(Fault("cluster: fuzzy", repr(fuzziness), wanted, advice))
    if collect.faults:
        raise ParameterError(collect.faults)
