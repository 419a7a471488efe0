"""Which published values are others than a person's own: neither the own one, nor a coarser one, nor none."""

import numpy as np
from numpy.typing import NDArray

from evosdc.table.equivalence import equivalence_classes, key_codes
from evosdc.table.published_decimals import at_decimals, differing_numbers, with_published_decimals
from evosdc.table.table import MISSING, Table


def perturbed_values(original: Table, published: Table) -> dict[str, int]:
    """Return how many values of each published attribute are perturbed; see `perturbed`."""
    names = [name for name in published.schema.names if name in original.schema]
    return {name: int(perturbed(original, published, name).sum()) for name in names}


def perturbed(original: Table, published: Table, name: str) -> NDArray[np.bool_]:
    """Return where an attribute has a published value that is another person's, shape (n,).

    Values that are left out, and those of attributes with labels that the original does not have (intervals, levels
    of a hierarchy), are true: they are no such values. Nor are numbers that are the own ones at the decimals published.

    Parameters
    ----------
    original, published : Table
        With that attribute; record r of both is the same respondent.
    name : str
    """
    before, after = original.schema[name], published.schema[name]
    first, second = original.column(name), published.column(name)
    if not after.categorical and not before.categorical:
        own_decimals = with_published_decimals(original.select([name]), published)
        return differing_numbers(own_decimals, published, name) & ~np.isnan(second)
    if not before.categorical or not after.categorical or not set(after.categories) <= set(before.categories):
        return np.zeros(len(original), dtype=bool)
    coding = np.array([*(before.code[label] for label in after.categories), MISSING], dtype=np.int32)
    own: NDArray[np.bool_] = (coding[second] != first) & (second != MISSING)
    return own


def differs(original: Table, published: Table, name: str) -> bool:
    """Whether any published value of an attribute is another than in the original, or its labels are."""
    before, after = original.schema[name], published.schema[name]
    if before.categorical != after.categorical or before.categories != after.categories:
        return True
    return not np.array_equal(original.column(name), published.column(name), equal_nan=not before.categorical)


def untouched_records(original: Table, published: Table) -> dict[str, int]:
    """Return how many records are published as they are in the original, and how many of them nobody is like in it.

    Of whoever is found among them, all published values are true. Records without any known value do not count.

    Parameters
    ----------
    original, published : Table
        With the same attributes, the masked ones; record r of both is the same respondent.

    Returns
    -------
    dict
        ``records`` and ``alone``; 0 of either where any attribute has other labels than in the original.
    """
    names = [name for name in published.schema.names if name in original.schema]
    own, other = original.select(names), published.select(names)
    if not names or own.schema.attributes != other.schema.attributes:
        return {"records": 0, "alone": 0}
    absent = np.isnan(own.numbers)
    same = (own.codes == other.codes).all(axis=1)
    for name in (attribute.name for attribute in own.schema.numeric):
        same &= ~differing_numbers(own, other, name)
    same &= (own.codes != MISSING).any(axis=1) | ~absent.all(axis=1)
    rounded = Table(own.schema, own.codes, at_decimals(own.numbers, own.schema.numeric))
    classes = equivalence_classes(key_codes(rounded, names))
    return {"records": int(same.sum()), "alone": int((classes.counts[classes.of[same]] == 1).sum())}
