"""Clusters that are too small for what is to be done with them, merged with their neighbours."""

from collections.abc import Callable, Sequence

import numpy as np

from evosdc.clustering.assignment import nearer
from evosdc.clustering.geometry import geometry_of
from evosdc.table.table import Numbers, Rows, Table
from evosdc_clustering.division import Division


def merged(table: Table, found: Division, fits: Callable[[Rows], bool]) -> Sequence[Rows]:
    """Return the records of clusters, those that do not fit merged with others until all fit, or one is left.

    The smallest cluster that does not fit, the first of several, joins the one whose representative is nearest to its
    own; the latter keeps its representative. A reconstruction: the thesis has no word of small clusters.

    Parameters
    ----------
    table : Table
        Shape (n, V), n >= 1.
    found : Division
        Of the table.
    fits : callable
        Says of the positions of some records whether they can be a part.

    Returns
    -------
    sequence of ndarray of intp
        The positions of each part's records in ascending order; the parts in the order of their clusters.
    """
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
