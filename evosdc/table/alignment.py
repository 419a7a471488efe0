"""One table in the coding of another: a masked file in that of its original, a population in that of a sample."""

from collections.abc import Sequence

import numpy as np

from evosdc.errors import DataError, Fault, FaultCollector, SchemaError
from evosdc.table.distinct_values import distinct_values
from evosdc.table.schema import Schema
from evosdc.table.table import MISSING, Table

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
            unknown = [label for label in found.categories if label not in attribute.code]
            position = masked.schema.categorical.index(found) if found.categorical else -1
            present = set(distinct_values(codes[:, position]).tolist()) if found.categorical else set()
            strange = [label for label in unknown if found.code[label] in present]
            if strange:
                label = repr(strange[0]) if attribute.role.published else "of an identifying attribute"
                given = f"the category {label}" + (f" and {len(strange) - 1} more" if strange[1:] else "")
                raise DataError(Fault(f"masked: {attribute.name}", given, "categories of the original", _GENERALISED))
            if found.categorical and found.categories != attribute.categories:
                recoding = np.array(
                    [attribute.code.get(label, -1) for label in found.categories] + [-1], dtype=np.int32
                )
                codes[:, position] = recoding[codes[:, position]]
    collect.settle()
    return Table(original.schema, codes, masked.numbers)


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
        known = schema[attribute.name].code
        new = iter(range(len(known), len(known) + len(attribute.categories)))
        coding = [known[label] if label in known else next(new) for label in attribute.categories]
        codes[:, position] = np.array([*coding, MISSING], dtype=np.int32)[codes[:, position]]
    return Table(part.schema, codes, part.numbers)
