"""How often each category occurs in the original and in the protected file: ``frequencies.json``."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.table.table import Table

MANY_CATEGORIES, RARE = 60, 3


def frequencies(original: Table, masked: Table) -> dict[str, Any]:
    """Return, by categorical attribute, how often each category occurs before and after: counts, no records.

    A rare category of an attribute with many is nearly a record: with more than 60 categories all that occur fewer than
    3 times both before and after are counted together, as the last entry.
    """
    document = {}
    for attribute in original.schema.categorical:
        after = masked.schema[attribute.name]  # by name: numbers that were generalised have become categories, too
        labels = after.categories if len(after.categories) > len(attribute.categories) else attribute.categories
        columns = [np.asarray(table.column(attribute.name), dtype=np.int64) for table in (original, masked)]
        counts = [np.bincount(column + 1, minlength=len(labels) + 1) for column in columns]
        present = np.stack([count[1:] for count in counts])
        names = list(labels)
        rare: NDArray[np.bool_] = np.all(present < RARE, axis=0)
        if len(labels) > MANY_CATEGORIES and rare.sum() > 1:
            names = [name for name, few in zip(labels, rare, strict=True) if not few]
            names.append(f"{int(rare.sum())} rare categories")
            present = np.column_stack([present[:, ~rare], present[:, rare].sum(axis=1)])
        document[attribute.name] = {
            "scale": str(attribute.scale),
            "categories": names,
            "before": present[0].tolist(),
            "after": present[1].tolist(),
            "missing_before": int(counts[0][0]),
            "missing_after": int(counts[1][0]),
        }
    return document
