"""What is told of a file's clusters: figures as JSON has them, and representatives as texts."""

from typing import Any

import numpy as np

from evosdc.clustering.clusters import Clusters
from evosdc.secret import public
from evosdc.table.numerals import numeral
from evosdc.table.table import MISSING, Table

FEWEST = 3  # records of a cluster from which its representative is told: that of fewer may be one of them


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
    """Return what is told of clusters; representatives of fewer than `FEWEST` records are left out (None)."""
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
    return {
        "records": len(found.labels),
        "attributes": list(schema.names),
        "missing_rule": str(schema.na),
        "asked": found.asked,
        "distance": found.distance,
        "clusters": clusters,
        "elbow": _elbow(found),
        "stability": _stability(found),
        "fuzzy": _fuzzy(found),
        "starts": found.starts,
        "seed": public(found.seed),
        "warnings": list(found.warnings),
    }


def _elbow(found: Clusters) -> dict[str, Any] | None:
    elbow = found.elbow
    if elbow is None:
        return None
    rows = zip(elbow.clusters, elbow.distances, elbow.shares, strict=True)
    curve = [{"clusters": c, "distance": distance, "share": share} for c, distance, share in rows]
    return {"curve": curve, "suggested": elbow.suggested}


def _stability(found: Clusters) -> dict[str, Any] | None:
    told = found.stability
    if told is None:
        return None
    return {
        "seeds": [public(seed) for seed in told.seeds],
        "losses": dict(told.losses),
        "greatest": dict(told.greatest),
    }


def _fuzzy(found: Clusters) -> dict[str, Any] | None:
    fuzzy = found.fuzzy
    if fuzzy is None:
        return None
    return {
        "fuzziness": found.fuzziness,
        "partition_coefficient": fuzzy.partition_coefficient,
        "objective": fuzzy.objectives[-1],
        "rounds": len(fuzzy.objectives),
        "memberships": fuzzy.memberships.sum(axis=0).tolist(),
    }
