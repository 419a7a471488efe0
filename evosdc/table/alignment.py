"""Two tables of the same respondents: the attributes of the one, in its coding, out of the other."""

from __future__ import annotations

import numpy as np

from evosdc.errors import DataError, Fault, FaultCollector
from evosdc.table.table import Table

_GENERALISED = "Generalised labels are judged by the losses of generalisation only; `evosdc plugins list` shows them."


def restrict_to(original: Table, masked: Table) -> Table:
    """Return the judged attributes of the masked table, in its own coding.

    Parameters
    ----------
    original : Table
        The attributes that are judged.
    masked : Table
        With at least these attributes and the same records in the same order.

    Raises
    ------
    DataError
        Other records in number, or an attribute that the masked table lacks.
    """
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
    """Return the masked table in the coding of the original, attribute by attribute, category by label.

    Parameters
    ----------
    original : Table
        The attributes that are judged.
    masked : Table
        With at least these attributes and the same records in the same order.

    Raises
    ------
    DataError
        Other records in number, an attribute that the masked table lacks, another scale, or a category that the
        original does not have.
    """
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
            present = set(np.unique(codes[:, position]).tolist()) if found.categorical else set()
            strange = [label for label in unknown if found.code[label] in present]
            if strange:
                raise DataError(
                    Fault(
                        f"masked: {attribute.name}",
                        f"the category {strange[0]!r}" + (f" and {len(strange) - 1} more" if strange[1:] else ""),
                        "categories of the original",
                        _GENERALISED,
                    )
                )
            if found.categorical and found.categories != attribute.categories:
                recoding = np.array(
                    [attribute.code.get(label, -1) for label in found.categories] + [-1], dtype=np.int32
                )
                codes[:, position] = recoding[codes[:, position]]
    collect.settle()
    return Table(original.schema, codes, masked.numbers)
