"""Which masked records would be linked to their own, when the numbers by original and published category are fixed.

Then likelihoods are fixed too, as distances are. Whether a masked record y is linked to its own x depends on x and y
alone: the least cost of any original to y, and how many have it, are found once for each y.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Codes
from evosdc_limit.attribute import AttributeTerms, Floats, Integers

MOST_RECORDS = 1 << 20
"""Greatest number of records that could be published; with more, linkages are not looked at."""

_IMPOSSIBLE = 1e6
"""Cost of an original that is never published so."""

_TIED = 1e-9


class Links(NamedTuple):
    """What two intruders link by: the likelihood of the original, and its distance.

    Parameters
    ----------
    costs : ndarray of float64, shape (2, V, B, A)
        Of an original category behind a published one, by codes from -1 (missing) up.
    originals : ndarray of int32, shape (m, V)
        Distinct originals.
    multiples : ndarray of int64, shape (m,)
        How many records each stands for.
    strides : ndarray of int64, shape (V,)
        Of the number of a published record; 0 everywhere where linkages are not looked at.
    least : ndarray of float64, shape (2, number of records that could be published)
        Least cost of any original; NaN where it is not known yet.
    ties : ndarray of int64, likewise
        Records that have it.
    """

    costs: Floats
    originals: Codes
    multiples: NDArray[np.int64]
    strides: Integers
    least: Floats
    ties: NDArray[np.int64]


def links_of(original: Codes, widths: Integers, terms: Sequence[AttributeTerms], counts: Sequence[Integers]) -> Links:
    """Return what intruders link by.

    Parameters
    ----------
    original : ndarray of int32, shape (n, V)
    widths : ndarray of int64, shape (V,)
        Categories and one for a missing value.
    terms, counts
        As of `evosdc_limit.assignment.assigned`.
    """
    widest, attributes = int(widths.max()), len(widths)
    costs = np.full((2, attributes, widest, widest), _IMPOSSIBLE)
    for v, (attribute, one) in enumerate(zip(terms, counts, strict=True)):
        place = np.ix_(attribute.published + 1, attribute.originals + 1)
        share = one / np.maximum(one.sum(axis=0), 1)
        costs[0, v][place] = np.where(one > 0, -np.log(np.where(one > 0, share, 1.0)), _IMPOSSIBLE)
        costs[1, v][place] = attribute.distances
    distinct, multiples = np.unique(original, axis=0, return_counts=True)
    strides, size = np.zeros(attributes, dtype=np.int64), 1
    if np.prod(widths.astype(float)) <= MOST_RECORDS:
        strides = np.concatenate(([1], np.cumprod(widths[:-1]))).astype(np.int64)
        size = int(np.prod(widths))
    return Links(costs, distinct, multiples, strides, np.full((2, size), np.nan), np.zeros((2, size), dtype=np.int64))


@njit(cache=True)
def credit(links: Links, kind: int, own: Codes, published: Codes) -> float:
    """Return the expected match of a record, 0..1, for one of the two intruders."""
    attributes = len(own)
    number = 0
    cost = 0.0
    for v in range(attributes):
        number += (published[v] + 1) * links.strides[v]
        cost += links.costs[kind, v, published[v] + 1, own[v] + 1]
    if np.isnan(links.least[kind, number]):
        least, ties = np.inf, 0
        for place in range(len(links.originals)):
            away = 0.0
            for v in range(attributes):
                away += links.costs[kind, v, published[v] + 1, links.originals[place, v] + 1]
            if away < least - _TIED:
                least, ties = away, 0
            if away <= least + _TIED:
                ties += links.multiples[place]
        links.least[kind, number] = least
        links.ties[kind, number] = ties
    return 1.0 / links.ties[kind, number] if cost <= links.least[kind, number] + _TIED else 0.0
