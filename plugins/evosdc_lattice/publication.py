"""From a node to the published table, and to the sizes of its classes."""

from dataclasses import replace
from typing import Any

import numpy as np

from evosdc.table.hierarchy import ROOT
from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import MISSING, Codes, Rows, Table
from evosdc_lattice.ladder import Ladder
from evosdc_lattice.rollup import packed
from evosdc_lattice.space import FrequencySet, LatticeSpace, Levels


def failing_rows(space: LatticeSpace, levels: Levels, classes: FrequencySet) -> Rows:
    """Return the positions of the records in classes that fail the privacy model."""
    failing = space.model.failing(classes.counts, classes.sensitive)
    if not failing.any():
        return np.empty(0, dtype=np.intp)
    word, shift, _, words = space.fields
    codes = np.stack(
        [ladder.codes[level][ladder.base] for ladder, level in zip(space.ladders, levels.tolist(), strict=True)], axis=1
    )
    keys = packed(codes, word, shift, words)
    view = np.dtype((np.void, keys.dtype.itemsize * words))
    of_records = np.ascontiguousarray(keys).view(view).reshape(-1)
    unsafe = np.ascontiguousarray(classes.keys[failing]).view(view).reshape(-1)
    return np.flatnonzero(np.isin(of_records, unsafe))


def published(space: LatticeSpace, levels: Levels, original: Table, suppressed: Rows) -> Table:
    """Return the table of a node: new labels follow the original's categories, numbers become nominal labels.

    An attribute at level 0 without suppressed records stays as it is.
    """
    attributes: list[Attribute] = []
    codes: list[Codes] = []
    numbers = []
    for ladder, level in zip(space.ladders, levels.tolist(), strict=True):
        name = ladder.attribute.name
        if level == 0 and not len(suppressed):
            attribute = original.schema[name]
            attributes.append(attribute)
            if attribute.categorical:
                codes.append(np.asarray(original.column(name), dtype=np.int32))
            else:
                numbers.append(original.column(name))
            continue
        attribute, column = _generalised(ladder, level, original.schema[name], suppressed)
        attributes.append(attribute)
        codes.append(column)
    n = len(original)
    return Table(
        replace(original.schema, attributes=tuple(attributes)),
        np.stack(codes, axis=1) if codes else np.empty((n, 0), dtype=np.int32),
        np.stack(numbers, axis=1) if numbers else np.empty((n, 0)),
    )


def _generalised(ladder: Ladder, level: int, original: Attribute, suppressed: Rows) -> tuple[Attribute, Codes]:
    known = dict.fromkeys(original.categories)
    labels = [label for label in ladder.labels[level] if label is not None]
    root = ladder.labels[-1][0] or ROOT
    known.update(dict.fromkeys([*labels, *([root] if len(suppressed) else [])]))
    categories = tuple(known)
    code = {label: position for position, label in enumerate(categories)}
    by_node = np.array([MISSING if x is None else code[x] for x in ladder.labels[level]], dtype=np.int32)
    column = by_node[ladder.codes[level]][ladder.base]
    if len(suppressed):
        column[suppressed] = code[root]
    scale = original.scale if original.categorical else Scale.NOMINAL
    hierarchy = ladder.attribute.hierarchy
    return replace(original, scale=scale, categories=categories, decimals=0, hierarchy=hierarchy), column


def class_sizes(space: LatticeSpace, classes: FrequencySet) -> dict[str, Any]:
    """Return how many published classes there are, the least and the greatest size, and a histogram.

    Sizes are grouped by doubling bounds, so that the histogram stays short for any file.
    """
    kept = classes.counts[~space.model.failing(classes.counts, classes.sensitive)]
    if not len(kept):
        return {"count": 0, "least": 0, "greatest": 0, "mean": 0.0, "histogram": {}}
    bound, histogram = space.model.k, {}
    while bound <= int(kept.max()):
        inside = int(((kept >= bound) & (kept < 2 * bound)).sum())
        if inside:
            histogram[f"{bound}-{2 * bound - 1}" if bound > 1 else "1"] = inside
        bound *= 2
    return {
        "count": len(kept),
        "least": int(kept.min()),
        "greatest": int(kept.max()),
        "mean": float(kept.mean()),
        "histogram": histogram,
    }
