"""Clusters of a file's records, their best number, and their description."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from evosdc.clustering.c_median import Settled, best_settled
from evosdc.clustering.fuzzy import MOST_FUZZY, FuzzyClustering, fuzzy_c_median
from evosdc.clustering.geometry import Integers, geometry_of, records_of
from evosdc.clustering.partitions import Stability
from evosdc.errors import Fault, FaultCollector, ParameterError
from evosdc.secret import Purpose, Seed, draw_seed, public, stream
from evosdc.table.numerals import numeral
from evosdc.table.table import MISSING, Numbers, Table, faults_of_missing


@dataclass(frozen=True)
class Elbow:
    """Within-distances by number of clusters."""

    clusters: tuple[int, ...]  # 1, 2, and so on; not beyond the number of distinct records
    # Mean distance of a record to the nearest representative, of the best clustering with at most this many clusters.
    # It never rises. An attribute that differs as much as it can counts 1.
    distances: tuple[float, ...]

    @classmethod
    def of(cls, distances: Sequence[float]) -> "Elbow":
        """Return the curve of clusterings that were found with 1, 2, ... clusters."""
        least = np.minimum.accumulate(np.asarray(distances, dtype=np.float64))
        return cls(tuple(range(1, len(distances) + 1)), tuple(least.tolist()))

    @property
    def shares(self) -> tuple[float, ...]:
        """The distances as shares of that with one cluster; all 1 where records do not differ."""
        return tuple(d / self.distances[0] if self.distances[0] > 0.0 else 1.0 for d in self.distances)

    @property
    def suggested(self) -> int | None:
        """The number of clusters at the knee of the curve; None where it has none."""
        return knee(self.clusters, self.distances)


def knee(clusters: Sequence[int], distances: Sequence[float]) -> int | None:
    """Return where a falling curve is farthest below the chord between its ends, the first of several."""
    # Both axes are taken from 0 to 1, so that their units are of no account; the end of the curve is, since the chord
    # ends there (after the knee of Satopaa, Albrecht, Irwin and Raghavan, 2011). None where fewer than three points are
    # there, where the curve does not fall, or where no point lies below the chord.
    x, y = np.asarray(clusters, dtype=np.float64), np.asarray(distances, dtype=np.float64)
    if x.size < 3 or y[0] <= y[-1]:
        return None
    below = 1.0 - (x - x[0]) / (x[-1] - x[0]) - (y - y[-1]) / (y[0] - y[-1])
    # A straight line lies on its chord up to rounding.
    return int(clusters[int(np.argmax(below))]) if below.max() > 1e-9 else None


UP_TO = 12  # clusters up to which within-distances are computed
MOST_UP_TO = 100  # the most of these: a clustering is made for each number
SEEDS = 5  # seeds whose clusterings are compared


@dataclass(frozen=True, eq=False)
class Clusters:
    """A file's records in clusters, from the largest cluster to the smallest."""

    labels: Integers  # cluster of each record, from 0
    representatives: Table  # one record for each cluster: medians and modes, not necessarily a real record
    distances: Numbers  # of each record to its representative; an attribute that differs as much as it can counts 1
    medoids: Integers  # position of the record nearest to each representative, the first of several
    asked: int  # requested number of clusters
    starts: int
    seed: Seed
    elbow: Elbow | None = None
    stability: Stability | None = None
    fuzziness: float | None = None
    # Its clusters have the same numbers, as it starts from these representatives.
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
        """Warnings for readers of the clusters."""
        found, sentences = len(self.representatives), []
        if found < self.asked:
            there = "is 1" if found == 1 else f"are {found}"
            sentences.append(f"{self.asked} clusters were requested; there {there}, as no more records differ.")
        reached = self.elbow.distances[:found] if self.elbow is not None else ()
        if len(reached) == found and reached[-1] < self.distance - 1e-9:
            sentences.append("Fewer clusters were found that are nearer to the records: more starts would help.")
        if self.fuzzy is not None:
            distinct = len(records_of(self.fuzzy.representatives).counts)
            if distinct < found:
                sentences.append(
                    f"Of {found} fuzzy clusters {found - distinct} have the representative of another one: take a "
                    "smaller fuzziness, or fewer clusters."
                )
        return tuple(sentences)


def clusters_of(
    table: Table,
    clusters: int,  # how many; as many as there are distinct records where there are fewer of them
    *,
    up_to: int = UP_TO,  # clusters up to which within-distances are computed, `MOST_UP_TO` at most; 1: they are not
    fuzziness: float | None = None,  # the exponent m of a fuzzy clustering besides, above 1
    starts: int = 10,  # random starts, of which the best counts
    seed: Seed,  # of the starts. A number of clusters has the same clustering under all other options.
    seeds: int = SEEDS,
    progress: Callable[[int, int], Any] = lambda done, total: None,
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
        progress(done, total)
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
    progress(total, total)
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


FEWEST = 3  # fewest records of a cluster for its representative to be reported: that of fewer may be one of them


def texts_of(table: Table) -> list[dict[str, str]]:
    """Return the values of each record as texts by attribute; empty for a missing one."""
    columns: dict[str, list[str]] = {}
    for attribute in table.schema.attributes:
        column = table.column(attribute.name).tolist()
        if attribute.categorical:
            columns[attribute.name] = ["" if code == MISSING else attribute.categories[code] for code in column]
        else:
            columns[attribute.name] = ["" if np.isnan(v) else numeral(v, attribute.decimals) for v in column]
    return [{name: column[row] for name, column in columns.items()} for row in range(len(table))]


def account_of(found: Clusters) -> dict[str, Any]:
    """Return the report of clusters; representatives of fewer than `FEWEST` records are left out (None)."""
    schema, sizes = found.representatives.schema, found.sizes.tolist()
    rows = zip(sizes, found.within.tolist(), found.medoids.tolist(), texts_of(found.representatives), strict=True)
    clusters = [
        {
            "cluster": cluster,
            "records": size,
            "share": size / len(found.labels),
            "distance": distance,
            "medoid": medoid,
            "representative": values if size >= FEWEST else None,
        }
        for cluster, (size, distance, medoid, values) in enumerate(rows)
    ]
    elbow, stability, fuzzy = found.elbow, found.stability, found.fuzzy
    points = () if elbow is None else zip(elbow.clusters, elbow.distances, elbow.shares, strict=True)
    curve = [{"clusters": c, "distance": distance, "share": share} for c, distance, share in points]
    return {
        "records": len(found.labels),
        "attributes": list(schema.names),
        "missing_rule": str(schema.na),
        "asked": found.asked,
        "distance": found.distance,
        "clusters": clusters,
        "elbow": None if elbow is None else {"curve": curve, "suggested": elbow.suggested},
        "stability": None
        if stability is None
        else {
            "seeds": [public(seed) for seed in stability.seeds],
            "losses": dict(stability.losses),
            "greatest": dict(stability.greatest),
        },
        "fuzzy": None
        if fuzzy is None
        else {
            "fuzziness": found.fuzziness,
            "partition_coefficient": fuzzy.partition_coefficient,
            "objective": fuzzy.objectives[-1],
            "rounds": len(fuzzy.objectives),
            "memberships": fuzzy.memberships.sum(axis=0).tolist(),
        },
        "starts": found.starts,
        "seed": public(found.seed),
        "warnings": list(found.warnings),
    }
