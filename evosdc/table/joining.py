"""Parts of a file put together again."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evosdc.table.schema import Scale
from evosdc.table.table import MISSING, Codes, Numbers, Rows, Table


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
            if own is attribute:
                codes[rows, j] = piece.column(attribute.name)
                continue
            recoding = np.array([attribute.code[label] for label in own.categories] + [MISSING], dtype=np.int32)
            codes[rows, j] = recoding[piece.column(attribute.name)]
    return Table(schema, codes, numbers)
