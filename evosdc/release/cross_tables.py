"""What became of the values of each masked attribute: records by original and published class."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from evosdc.release.classes import classed
from evosdc.table.table import Numbers, Table


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
        are published with the very value that they had, in per cent. Numbers have ``reliability``, too.
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
        if not classes.attribute.categorical and not published.schema[name].categorical:
            before, after = (np.asarray(table.column(name), dtype=np.float64) for table in (original, published))
            listed[-1]["reliability"] = _reliability(before, after)
    return listed


def _reliability(before: Numbers, after: Numbers) -> float:
    """Return the squared correlation of original and published numbers; 0 where one of them does not vary."""
    known = ~(np.isnan(before) | np.isnan(after))
    first, second = before[known], after[known]
    if len(first) < 2 or first.std() == 0.0 or second.std() == 0.0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1] ** 2)


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
