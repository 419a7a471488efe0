"""Numbers as they are published: with fewer decimals than the file has, where the schema says so.

To round a number changes what is written and discloses nothing else: anyone who knows a person's value can round it
likewise. So values count as kept, or as changed, by what they are at the decimals that are published.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evosdc.table.numerals import MOST_DECIMALS as MOST
from evosdc.table.schema import Attribute
from evosdc.table.table import Numbers, Table


def at_decimals(numbers: Numbers, attributes: Sequence[Attribute]) -> Numbers:
    """Return numbers, shape (n, V), rounded to the decimals of their attributes; themselves where none has more."""
    rounded = numbers
    for v, attribute in enumerate(attributes):
        if attribute.decimals <= MOST:
            column: Numbers = np.round(numbers[:, v], attribute.decimals)
            if not np.array_equal(column, numbers[:, v], equal_nan=True):
                rounded = numbers.copy() if rounded is numbers else rounded
                rounded[:, v] = column
    return rounded


def differing_numbers(original: Table, published: Table, name: str) -> NDArray[np.bool_]:
    """Return where a published number differs at the decimals published, shape (n,); missing ones are alike."""
    decimals = min(original.schema[name].decimals, MOST)
    first, second = (np.round(table.column(name), decimals) for table in (original, published))
    other: NDArray[np.bool_] = (first != second) & ~(np.isnan(first) & np.isnan(second))
    return other


def with_published_decimals(original: Table, published: Table) -> Table:
    """Return the original with a schema that has no more decimals than the values of a published file have."""
    schema = original.schema
    shared = [a for a in schema.numeric if a.name in published.schema and not published.schema[a.name].categorical]
    fewer = {}
    for a in shared:
        known = published.column(a.name)[~np.isnan(published.column(a.name))]
        fits = (d for d in range(min(a.decimals, MOST)) if np.array_equal(np.round(known, d), known))
        fewer[a.name] = next(fits, a.decimals)
    if all(fewer[a.name] == a.decimals for a in shared):
        return original
    attributes = tuple(replace(a, decimals=fewer.get(a.name, a.decimals)) for a in schema.attributes)
    return Table(replace(schema, attributes=attributes), original.codes, original.numbers)
