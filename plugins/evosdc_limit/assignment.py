"""Which records are published as what, when the numbers by original and published category are given.

Any choice has the same frequencies, distances, entropies and guesses. It decides the two-way tables and the linkages.
Records begin in random order. Then pairs of records with the same original category of an attribute swap what they
publish there, wherever this brings the two-way tables of the published file nearer to the original's.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from evosdc.kernel import kernel
from evosdc.table.table import Codes, Table
from evosdc_limit.attribute import AttributeTerms, Integers

_SWAPS = 300
"""Swaps that are tried for each value of the file."""

_MOST = 20_000_000
"""Swaps that are tried at most, divided by the number of attributes, each of which a swap has to look at."""


def assigned(
    table: Table, terms: Sequence[AttributeTerms], counts: Sequence[Integers], rng: np.random.Generator
) -> Codes:
    """Return the codes of a file with the given numbers of records, shape (n, V).

    Parameters
    ----------
    table : Table
        The original.
    terms : sequence of AttributeTerms
    counts : sequence of ndarray of int64, shape (B, A)
        Records by published and original category, by attribute.
    rng : numpy.random.Generator
    """
    codes = table.codes.copy()
    for v, (attribute, one) in enumerate(zip(terms, counts, strict=True)):
        for a, original in enumerate(attribute.originals):
            rows = rng.permutation(np.flatnonzero(table.codes[:, v] == original))
            codes[rows, v] = np.repeat(attribute.published, one[:, a])
    attributes = len(terms)
    if attributes > 1:
        swaps = min(_SWAPS * codes.size, _MOST // attributes)
        widths = np.array([len(a.categories) + 1 for a in table.schema.categorical], dtype=np.int64)
        codes = _improved(table.codes, codes, widths, swaps, int(rng.integers(2**31)))
    return codes


def _improved(original: Codes, codes: Codes, widths: Integers, swaps: int, seed: int) -> Codes:
    """Return the codes after the swaps."""
    attributes = len(widths)
    offsets = np.zeros((attributes, attributes), dtype=np.int64)
    surplus: list[NDArray[np.int64]] = []
    size = 0
    for v, w in combinations(range(attributes), 2):
        cells = int(widths[v] * widths[w])
        both = [np.bincount((f[:, v] + 1) * widths[w] + f[:, w] + 1, minlength=cells) for f in (codes, original)]
        surplus.append(both[0] - both[1])
        offsets[v, w] = offsets[w, v] = size
        size += cells
    order = np.argsort(original, axis=0, kind="stable").T.copy()
    ranked = np.take_along_axis(original, order.T, axis=0).T
    first = np.stack([np.searchsorted(r, r, side="left") for r in ranked])
    last = np.stack([np.searchsorted(r, r, side="right") for r in ranked])
    published = codes.copy()
    _swap(published, order, first, last, widths, offsets, np.concatenate(surplus), swaps, seed)
    return published


@kernel
def _cell(v: int, w: int, mine: int, other: int, widths: Integers, offsets: Integers) -> int:
    """Return the place of a cell in the table of two attributes, whose first has the lower number."""
    if v < w:
        return int(offsets[v, w] + (mine + 1) * widths[w] + other + 1)
    return int(offsets[v, w] + (other + 1) * widths[v] + mine + 1)


@kernel
def _moved(surplus: NDArray[np.int64], cell: int, step: int) -> int:
    """Add a record to a cell, or take one, and return by how much the sum of differences grows."""
    before = abs(surplus[cell])
    surplus[cell] += step
    return int(abs(surplus[cell]) - before)


@kernel
def _swap(
    codes: Codes,
    order: NDArray[np.int64],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    widths: Integers,
    offsets: Integers,
    surplus: NDArray[np.int64],
    swaps: int,
    seed: int,
) -> None:
    np.random.seed(seed)
    records, attributes = codes.shape
    for _ in range(swaps):
        v = np.random.randint(attributes)
        place = np.random.randint(records)
        low, high = first[v, place], last[v, place]
        r, s = order[v, place], order[v, low + np.random.randint(high - low)]
        a, b = codes[r, v], codes[s, v]
        if a == b:
            continue
        change = 0
        for turn in range(2):  # forth, and back where the tables are not nearer
            for w in range(attributes):
                if w != v and codes[r, w] != codes[s, w]:
                    change += _moved(surplus, _cell(v, w, a, codes[r, w], widths, offsets), -1)
                    change += _moved(surplus, _cell(v, w, b, codes[r, w], widths, offsets), 1)
                    change += _moved(surplus, _cell(v, w, b, codes[s, w], widths, offsets), -1)
                    change += _moved(surplus, _cell(v, w, a, codes[s, w], widths, offsets), 1)
            if turn == 1:
                break
            if change <= 0:
                codes[r, v], codes[s, v] = b, a
                break
            a, b = b, a
