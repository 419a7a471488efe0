"""What the limit needs to know of one attribute: frequencies, distances, and the size of its domain."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evosdc.table.distance import category_distance
from evosdc.table.schema import MissingRule
from evosdc.table.table import MISSING, Table

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class AttributeTerms:
    """One attribute of the original, A categories that occur and B categories that may be published.

    Parameters
    ----------
    name : str
    originals : ndarray of int64, shape (A,)
        Codes that occur, ascending; a missing value, where there is one, is the first.
    frequencies : ndarray of float64, shape (A,)
        Their shares of the records, positive, with sum 1.
    published : ndarray of int64, shape (B,)
        Codes that may be published.
    shares : ndarray of float64, shape (B,)
        Shares of these in the original, 0 for those that do not occur.
    distances : ndarray of float64, shape (B, A)
        From each original to each published category, in [0, 1].
    bits : float
        Greatest entropy as `ebil` counts it, ``log2`` of the number of categories; 0 for a single one.
    """

    name: str
    originals: Integers
    frequencies: Floats
    published: Integers
    shares: Floats
    distances: Floats
    bits: float

    @property
    def base(self) -> float:
        """Share of the records that anybody guesses right without the file."""
        return float(self.frequencies.max())

    @property
    def entropies(self) -> Floats:
        """Entropy of a uniform distribution on 1, 2, ... A categories over the greatest one, shape (A,)."""
        sizes = np.arange(1, len(self.originals) + 1)
        entropies: Floats = np.log2(sizes) / self.bits if self.bits > 0 else np.zeros(len(sizes))
        return entropies


def attribute_terms(table: Table) -> tuple[AttributeTerms, ...]:
    """Return the terms of each categorical attribute of a table with at least one record.

    A missing value is an original category where it occurs. It may be published where it occurs, or where it is a
    wildcard at no distance from anything. Elsewhere it is never better than another category: as far from every
    original as can be, and a change of the tables.
    """
    rule = table.schema.na
    terms = []
    for v, attribute in enumerate(table.schema.categorical):
        size = len(attribute.categories)
        counts = np.bincount(table.codes[:, v] + 1, minlength=size + 1)
        codes = np.arange(MISSING, size, dtype=np.int64)
        originals = codes[counts > 0]
        published = codes if counts[0] > 0 or rule is MissingRule.WILDCARD else codes[1:]
        domain = size + bool(counts[0])
        terms.append(
            AttributeTerms(
                attribute.name,
                originals,
                counts[originals + 1] / len(table),
                published,
                counts[published + 1] / len(table),
                category_distance(attribute, rule).matrix[np.ix_(published, originals)],
                float(np.log2(domain)) if domain > 1 else 0.0,
            )
        )
    return tuple(terms)
