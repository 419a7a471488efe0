"""Codes that tell why a value is missing, such as -8 for a refusal: kept apart in the file that is published.

All of them are one missing value to masking and to measures. Records that masking made equal stay equal: they get one
code together, the one that most of them had. A code of each record's own would tell the records of a class apart.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evosdc.files.changes import Change
from evosdc.files.column import Column
from evosdc.table.equivalence import Classes, equivalence_classes, key_codes
from evosdc.table.schema import Schema
from evosdc.table.table import Table

NO_REASON = ""
"""The text of a value that is missing without a code, in a column that has such ones."""


def alike(
    changes: Mapping[int, Change], columns: Mapping[int, Column], schema: Schema, masked: Table
) -> dict[int, Change]:
    """Return changes after which equal values are equal texts, and missing ones have the codes of their classes.

    Parameters
    ----------
    changes, columns : mapping of int to Change, mapping of int to Column
        By position in the file; the columns of the records that are published.
    schema : Schema
        Of the file.
    masked : Table
        What is published of the changed columns.
    """
    written = {place: change.alike() for place, change in changes.items()}
    coded = {place: reasons_of(columns[place], schema.attributes[place].missing) for place in changes}
    if any(coded.values()):
        classes = equivalence_classes(key_codes(masked, masked.schema.names))
        for place, reasons in coded.items():
            if reasons:
                written[place] = with_reasons(columns[place], written[place], reasons, classes)
    return written


def reasons_of(column: Column, own: Sequence[str]) -> tuple[str, ...]:
    """Return the texts that tell why values of a column are missing, where there are several to tell apart."""
    found = [text for text in column.occurring(own) if text != NO_REASON]
    if found and (column.lacking or column.occurring((NO_REASON,))):
        found.append(NO_REASON)
    return tuple(found) if len(found) > 1 else ()


def with_reasons(column: Column, change: Change, reasons: Sequence[str], classes: Classes) -> Change:
    """Return a change after which missing values have codes again.

    Parameters
    ----------
    column : Column
    change : Change
        That writes all missing values alike.
    reasons : sequence of str
        Of `reasons_of`.
    classes : Classes
        Of the published records. Where no member had a code the missing values stay as the change has them.
    """
    place = {text: position for position, text in enumerate(reasons)}
    had = np.array([*(place.get(text, -1) for text in column.texts), place.get(NO_REASON, -1)])[column.index]
    absent = np.array([text is None for text in change.texts], dtype=np.bool_)
    missing: NDArray[np.bool_] = change.changed & absent[change.index]
    voting = missing & (had >= 0)
    votes = np.zeros((len(classes), len(reasons)), dtype=np.int64)
    np.add.at(votes, (classes.of[voting], had[voting]), 1)
    told = missing & (votes.sum(axis=1) > 0)[classes.of]
    index = np.where(told, len(change.texts) + votes.argmax(axis=1)[classes.of], change.index)
    return replace(change, texts=(*change.texts, *reasons), index=index.astype(np.int32))
