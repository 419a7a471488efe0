"""One table in the coding of another: a masked file in that of its original, a population in that of a sample.

And one table of the masked parts of a file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf

import numpy as np

from evosdc.errors import DataError, Fault, FaultCollector, SchemaError
from evosdc.table.generalisation import Extent, LabelReader
from evosdc.table.hierarchy import ROOT
from evosdc.table.numerals import number
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import MISSING, Codes, Numbers, Rows, Table

_GENERALISED = "Generalised labels are judged by the losses of generalisation only; `evosdc plugins list` shows them."


def has_labels_of_its_own(original: Table, masked: Table) -> bool:
    """Whether a masked table has categories that the original has not."""
    return any(
        a.categorical and not set(a.categories) <= set(original.schema[a.name].categories)
        for a in masked.schema.attributes
        if a.name in original.schema
    )


def restrict_to(original: Table, masked: Table) -> Table:
    """Return the judged attributes of the masked table, in its own coding."""
    if len(original) != len(masked):
        wanted = f"{len(original)} records, as the original has"
        advice = "Both files hold the same respondents in the same order."
        raise DataError(Fault("masked", f"{len(masked)} records", wanted, advice))
    lacking = [name for name in original.schema.names if name not in masked.schema]
    if lacking:
        wanted = "all attributes that are judged"
        raise DataError(Fault("masked", f"no attribute {', '.join(lacking)}", wanted, "Or name fewer attributes."))
    return masked.select(original.schema.names)


def align_codes(original: Table, masked: Table) -> Table:
    """Return the masked table in the coding of the original, attribute by attribute, category by label."""
    masked = restrict_to(original, masked)
    codes, collect = masked.codes.copy(), FaultCollector()
    for attribute, found in zip(original.schema.attributes, masked.schema.attributes, strict=True):
        with collect.step():
            if attribute.categorical is not found.categorical:
                raise DataError(
                    Fault(f"masked: {attribute.name}", f"scale {found.scale}", f"scale {attribute.scale}", _GENERALISED)
                )
            if not found.categorical or found.categories == attribute.categories:
                continue
            position = masked.schema.categorical.index(found)
            present = {found.categories[code] for code in np.unique(codes[:, position]) if code != MISSING}
            strange = [label for label in found.categories if label in present and label not in attribute.code]
            if strange:
                label = repr(strange[0]) if attribute.role.published else "of an identifying attribute"
                given = f"the category {label}" + (f" and {len(strange) - 1} more" if strange[1:] else "")
                raise DataError(Fault(f"masked: {attribute.name}", given, "categories of the original", _GENERALISED))
            codes[:, position] = recoding(found, attribute)[codes[:, position]]
    collect.settle()
    return Table(original.schema, codes, masked.numbers)


def recoding(own: Attribute, other: Attribute) -> Codes:
    """Return the codes in another attribute of the categories of one and of a missing value; `MISSING` for others."""
    return np.array([*(other.code.get(label, MISSING) for label in own.categories), MISSING], dtype=np.int32)


def join_parts(pieces: Sequence[Table], parts: Sequence[Rows]) -> Table:
    """Return one table from the masked parts of a file; the categories of generalised attributes are united."""
    first = pieces[0].schema
    attributes = list(first.attributes)
    for j, own in enumerate(attributes):
        if any(piece.schema.attributes[j] != own for piece in pieces):
            labels = dict.fromkeys(label for piece in pieces for label in piece.schema.attributes[j].categories)
            attributes[j] = replace(own, scale=Scale.NOMINAL, categories=tuple(labels))
    schema = replace(first, attributes=tuple(attributes))
    n = sum(len(rows) for rows in parts)
    codes: Codes = np.empty((n, len(schema.categorical)), dtype=np.int32)
    numbers: Numbers = np.empty((n, len(schema.numeric)))
    for piece, rows in zip(pieces, parts, strict=True):
        numbers[rows] = piece.numbers if piece.schema.numeric == schema.numeric else np.nan
        for j, attribute in enumerate(schema.categorical):
            own = piece.schema[attribute.name]
            column = piece.column(attribute.name)
            codes[rows, j] = column if own is attribute else recoding(own, attribute)[column]
    return Table(schema, codes, numbers)


def recode_like(population: Table, schema: Schema, names: Sequence[str]) -> Table:
    """Return attributes of a population in a file's coding; labels that the file lacks get codes after its own."""
    collect = FaultCollector()
    with collect.step():
        population.schema.require(names, "population")
    for name in names:
        if name in population.schema and population.schema[name].categorical is not schema[name].categorical:
            given, wanted = f"scale {population.schema[name].scale}", f"scale {schema[name].scale}"
            collect.faults.append(Fault(f"population: {name}", given, wanted))
    if collect.faults:
        raise SchemaError(collect.faults)
    if len(population) == 0:
        raise DataError(Fault("population", "no record", "at least one record"))
    part = population.select(names)
    codes = part.codes.copy()
    for position, attribute in enumerate(part.schema.categorical):
        coding, size = recoding(attribute, schema[attribute.name])[:-1], len(schema[attribute.name].categories)
        new = coding == MISSING
        coding[new] = size + np.arange(new.sum())
        codes[:, position] = np.append(coding, np.int32(MISSING))[codes[:, position]]
    return Table(part.schema, codes, part.numbers)


def coarsened(population: Table, published: Table, names: Sequence[str]) -> Table:
    """Return some attributes of a population in the coding of a published table, shape (N, len(names))."""
    attributes: list[Attribute] = []
    codes: list[Codes] = []
    numbers: list[Numbers] = []
    for name in names:
        own, shown, column = population.schema[name], published.schema[name], population.column(name)
        if not shown.categorical:
            attributes.append(replace(own, role=shown.role))
            numbers.append(np.asarray(column, dtype=np.float64))
            continue
        attributes.append(shown)
        values: Sequence[str] | Sequence[float] = own.categories
        if not own.categorical:
            known = np.unique(column[~np.isnan(column)])
            values, column = known.tolist(), np.where(np.isnan(column), MISSING, np.searchsorted(known, column))
        labels = {shown.categories[code]: int(code) for code in np.unique(published.column(name)) if code != MISSING}
        codes.append(np.array([*_coding(values, own, shown, labels), MISSING], dtype=np.int32)[column])
    schema = replace(population.schema, attributes=tuple(attributes), edit_rules=())
    n = len(population)
    return Table(
        schema,
        np.stack(codes, axis=1) if codes else np.empty((n, 0), dtype=np.int32),
        np.stack(numbers, axis=1) if numbers else np.empty((n, 0)),
    )


def _coding(
    values: Sequence[str] | Sequence[float], own: Attribute, shown: Attribute, labels: Mapping[str, int]
) -> list[int]:
    """Return a code for each category or number; those after the published ones are covered by none."""
    if own.categorical and own.code.keys() <= shown.code.keys() and labels.keys() <= own.code.keys():
        return [shown.code[label] for label in own.categories]
    read = [number(value) if isinstance(value, str) else value for value in values]
    reading = replace(own, hierarchy=shown.hierarchy or own.hierarchy)
    reader = LabelReader(reading)
    if own.categorical and None not in read and not all(reader.read(label) is not None for label in labels):
        reading = replace(reading, scale=Scale.NUMERIC, categories=())
        reader = LabelReader(reading)
    extents = {label: extent for label in labels if (extent := reader.read(label)) is not None}
    result, after = [], len(shown.categories)
    for code, value in enumerate(values):
        at = code if reading.categorical else read[code]
        covering = [name for name, extent in extents.items() if at is not None and extent.covers(at)]
        if isinstance(value, str) and value in labels:
            result.append(labels[value])
        elif covering:
            result.append(labels[min(covering, key=lambda name: _order(name, extents[name]))])
        else:
            result.append(after)
            after += 1
    return result


def _order(label: str, extent: Extent) -> tuple[bool, float, float, str]:
    """Return the key by which the first label is chosen, least first."""
    if extent.codes:
        return label == ROOT, 0.0, float(len(extent.codes)), label
    low = extent.low if extent.low > -inf else -1e300
    return label == ROOT, -low, extent.high - extent.low, label
