"""A file of the population in the coding of a published one, whose values may be generalised.

Each value of the population becomes the published label that covers it: itself, a node of the hierarchy, an interval or
a set (`evosdc.table.generalisation`). Where several published labels cover it, the one that begins latest counts, and
of these the narrowest: a reconstruction for local recodings; full-domain generalisations have one. A value that no
label covers keeps a code of its own, which no published record has.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf

import numpy as np

from evosdc.table.generalisation import Extent, LabelReader
from evosdc.table.hierarchy import ROOT
from evosdc.table.numerals import number
from evosdc.table.schema import Attribute, Scale
from evosdc.table.table import MISSING, Codes, Numbers, Table


def coarsened(population: Table, published: Table, names: Sequence[str]) -> Table:
    """Return some attributes of a population in the coding of a published table, shape (N, len(names))."""
    attributes: list[Attribute] = []
    codes: list[Codes] = []
    numbers: list[Numbers] = []
    for name in names:
        own, shown = population.schema[name], published.schema[name]
        column = population.column(name)
        if not shown.categorical:
            attributes.append(replace(own, role=shown.role))
            numbers.append(np.asarray(column, dtype=np.float64))
            continue
        attributes.append(replace(shown, categories=shown.categories))
        if own.categorical:
            coding = _coding([(label, None) for label in own.categories], own, shown, _occurring(published, shown))
            codes.append(np.array([*coding, MISSING], dtype=np.int32)[column])
        else:
            present = ~np.isnan(column)
            values, place = np.unique(column[present], return_inverse=True)
            coding = _coding([(None, float(v)) for v in values], own, shown, _occurring(published, shown))
            found = np.full(len(column), MISSING, dtype=np.int32)
            found[present] = np.array(coding, dtype=np.int32)[place.reshape(-1)] if len(values) else MISSING
            codes.append(found)
    schema = replace(population.schema, attributes=tuple(attributes), edit_rules=())
    n = len(population)
    return Table(
        schema,
        np.stack(codes, axis=1) if codes else np.empty((n, 0), dtype=np.int32),
        np.stack(numbers, axis=1) if numbers else np.empty((n, 0)),
    )


def _occurring(published: Table, shown: Attribute) -> dict[str, int]:
    """Return the labels that stand in the published column, with their codes."""
    present = np.unique(published.column(shown.name))
    return {shown.categories[code]: int(code) for code in present if code != MISSING}


def _coding(
    values: Sequence[tuple[str | None, float | None]], own: Attribute, shown: Attribute, labels: Mapping[str, int]
) -> list[int]:
    """Return a code for each value, given as label or number; those after the published ones are covered by none."""
    if all(label is not None and (label in labels or label in shown.code) for label, _ in values) and all(
        label in own.code for label in labels
    ):
        return [shown.code[label] for label, _ in values if label is not None]
    numeric = all(value is not None or number(label or "") is not None for label, value in values)
    hierarchy = shown.hierarchy if shown.hierarchy is not None else own.hierarchy
    reading = replace(own, hierarchy=hierarchy)
    if numeric and own.categorical and not _all_read(reading, labels):
        reading = replace(own, scale=Scale.NUMERIC, categories=(), hierarchy=hierarchy)
    reader = LabelReader(reading)
    extents = {label: extent for label in labels if (extent := reader.read(label)) is not None}
    result, after = [], len(shown.categories)
    for label, value in values:
        if label is not None and label in labels:
            result.append(labels[label])
            continue
        at = value if value is not None else number(label or "") if not reading.categorical else None
        if reading.categorical and label is not None:
            at = float(own.code[label])
        covering = [name for name, extent in extents.items() if at is not None and _covers(extent, at)]
        if covering:
            result.append(labels[min(covering, key=lambda name: _order(name, extents[name]))])
        else:
            result.append(after)
            after += 1
    return result


def _all_read(attribute: Attribute, labels: Mapping[str, int]) -> bool:
    reader = LabelReader(attribute)
    return all(reader.read(label) is not None for label in labels)


def _covers(extent: Extent, at: float) -> bool:
    return extent.covers(at)


def _order(label: str, extent: Extent) -> tuple[bool, float, float, str]:
    """Return what the label that counts is least in."""
    if extent.codes:
        return label == ROOT, 0.0, float(len(extent.codes)), label
    low = extent.low if extent.low > -inf else -1e300
    return label == ROOT, -low, extent.high - extent.low, label
