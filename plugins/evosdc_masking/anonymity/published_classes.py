"""The classes of a masked file in the form in which r-clustering publishes them (Aggarwal et al. 2006).

A row for each class of records that publish the same: these values, the number of records, the set of their sensitive
values with counts, the radius (the greatest distance of an original record from the published one), and the mean
distance. Where labels are published that no original record can have, as intervals are, distances are those from the
average of the class. The distance is the sum over attributes that `evosdc_masking.space` has for clustering.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd

from evosdc.errors import Fault, ParameterError
from evosdc.table.distance import category_distance
from evosdc.table.equivalence import equivalence_classes, key_codes
from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import Numbers, Table
from evosdc_masking.averages import aggregated


def published_classes(original: Table, masked: Table, names: Sequence[str], sensitive: Sequence[str]) -> pd.DataFrame:
    """Return a row for each class of equal published records, the first class of the file first.

    Parameters
    ----------
    original, masked
        Both files, each record in the same row of both.
    names
        Attributes whose published values make the classes.
    sensitive
        Attributes whose published values are listed for each class.
    """
    if both := sorted(set(names) & set(sensitive)):
        advice = "Name attributes that make the classes by --protect, and others by --sensitive."
        raise ParameterError(Fault("classes", f"{', '.join(both)} in both", "different attributes", advice))
    before, after = original.select(names), masked.select(names)
    classes = equivalence_classes(key_codes(after, names))
    centres = after if _comparable(before, after) else aggregated(before, classes.of, None)
    distances = np.sum([_distances(before, centres, attribute) for attribute in before.schema.attributes], axis=0)
    columns: dict[str, Sequence[object]] = {
        attribute.name: [_text(attribute, after.column(attribute.name)[row]) for row in classes.first.tolist()]
        for attribute in after.schema.attributes
    }
    columns["records"] = classes.counts.tolist()
    ends = classes.starts[1:-1]
    for attribute in masked.select(sensitive).schema.attributes:
        values = np.array([_text(attribute, value) for value in masked.column(attribute.name)], dtype=object)
        columns[attribute.name] = [_counted(part.tolist()) for part in np.split(values[classes.members], ends)]
    parts = np.split(distances[classes.members], ends)
    columns["radius"] = [round(float(part.max()), 6) for part in parts]
    columns["mean distance"] = [round(float(part.mean()), 6) for part in parts]
    return pd.DataFrame(columns)


def _comparable(before: Table, after: Table) -> bool:
    """Whether all published values are values that original records can have."""
    pairs = zip(before.schema.attributes, after.schema.attributes, strict=True)
    return all(old.scale is new.scale and old.categories == new.categories for old, new in pairs)


def _distances(before: Table, centres: Table, attribute: Attribute) -> Numbers:
    """Return by record the distance of its value of an attribute from that of its centre, within [0, 1] as a rule."""
    old, new = before.column(attribute.name), centres.column(attribute.name)
    if attribute.categorical:
        matrix = category_distance(attribute, before.schema.na, by_hierarchy=True).matrix
        return np.asarray(matrix[old.astype(np.intp), new.astype(np.intp)])
    known = old[~np.isnan(old)]
    spread = float(np.ptp(known)) if known.size else 0.0
    apart = np.abs(old - new) / (spread if spread > 0.0 else 1.0)
    unknown = np.isnan(old) != np.isnan(new)
    return np.where(unknown, 1.0, np.nan_to_num(apart))


def _text(attribute: Attribute, value: float) -> str:
    if attribute.scale in (Scale.NOMINAL, Scale.ORDINAL):
        return attribute.categories[int(value)] if value >= 0 else ""
    return "" if np.isnan(value) else f"{value:.{attribute.decimals}f}"


def _counted(values: Sequence[str]) -> str:
    """Return the set of values with the number of each, the most frequent first."""
    found = sorted(Counter(values).items(), key=lambda item: (-item[1], item[0]))
    return "; ".join(f"{value or 'missing'} ({count})" for value, count in found)
