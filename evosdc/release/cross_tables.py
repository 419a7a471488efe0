"""What became of the values of each masked attribute: records by original and published class."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from evosdc.release.classes import classed
from evosdc.table.table import Table


def cross_tables(original: Table, published: Table, protect: Sequence[str]) -> list[dict[str, Any]]:
    """Return, for each masked attribute, counts of records by original class (rows) and published class (columns).

    Parameters
    ----------
    original, published : Table
        The same records in the same order.
    protect : sequence of str

    Returns
    -------
    list of dict
        ``attribute scale original published counts kept same_labels``; ``kept`` is the share of records that
        are published with the very value that they had, in per cent.
    """
    listed = []
    for name in protect:
        classes = classed(original, published, name)
        listed.append(
            {
                "attribute": name,
                "scale": str(classes.attribute.scale),
                "original": list(classes.labels),
                "published": list(classes.published_labels),
                "counts": classes.joint.tolist(),
                "kept": _unchanged(original, published, name),
                "same_labels": classes.comparable,
            }
        )
    return listed


def _unchanged(original: Table, published: Table, name: str) -> float:
    before, after = original.schema[name], published.schema[name]
    first, second = original.column(name), published.column(name)
    if before.categorical and after.categorical and before.categories != after.categories:
        texts = [[*attribute.categories, ""] for attribute in (before, after)]
        same = [texts[0][a] == texts[1][b] for a, b in zip(first.tolist(), second.tolist(), strict=True)]
        return 100.0 * float(np.mean(same)) if same else 0.0
    if before.categorical != after.categorical:
        return 0.0
    equal = (first == second) | (np.isnan(first) & np.isnan(second) if not before.categorical else False)
    return 100.0 * float(np.mean(equal))
