"""Which records are published as what, when the numbers by original and published category are given.

Any choice has the same frequencies, distances, entropies and guesses. It decides the two-way tables and the linkages.
Records begin in random order. Then pairs of records with the same original category of an attribute swap what they
publish there. This is annealed: swaps that lower the weighted sum of two-way tables' loss and linkages' risk stand.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Codes, Table
from evosdc_limit.attribute import Floats, Integers
from evosdc_limit.links import Links, credit, links_of
from evosdc_limit.objective import Objective

_SWAPS = 300
"""Swaps that are tried for each value of the file, for each unit of effort."""

_MOST = 20_000_000
"""Swaps that are tried at most, divided by the number of attributes, each of which a swap has to look at."""

_HOT, _COLD = 0.02, 0.0001
"""First and last temperature, in points of the fitness of a file of a thousand records."""

_STEP = 1024
"""Swaps at one temperature."""

_AT_ONCE = 16 * _STEP
"""Swaps that nothing can interrupt: a fraction of a second."""

_DRAWS = 4
"""Uniform numbers of a swap: an attribute, two records, and whether a worse file is kept."""

_LESSER = 0.1
"""Weight of the lesser of both linkages beside the greater one."""


class Assigned(NamedTuple):
    """A file, and what the numbers of records did not decide.

    Parameters
    ----------
    codes : ndarray of int32, shape (n, V)
    il : float
        Of two-way tables, beyond what the tables of single attributes change.
    dr : float
        Of linkages; 0 where they were not looked at.
    """

    codes: Codes
    il: float
    dr: float


class _Layout(NamedTuple):
    """Two-way tables in one array, and which records have the same original category.

    `order` lists the records of each attribute by original category; those of a record stand from `first` to `last`.
    """

    widths: Integers
    offsets: NDArray[np.int64]
    order: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]


def assigned(
    table: Table,
    objective: Objective,
    counts: Sequence[Integers],
    t: float,
    effort: int,
    rng: np.random.Generator,
) -> Assigned:
    """Return the codes of a file with the given numbers of records, shape (n, V).

    Parameters
    ----------
    table : Table
        The original.
    objective : Objective
    counts : sequence of ndarray of int64, shape (B, A)
        Records by published and original category, by attribute.
    t : float
        Weight of IL.
    effort : int
        Swaps are tried in proportion to it.
    rng : numpy.random.Generator
    """
    terms = objective.attributes
    codes = table.codes.copy()
    for v, (attribute, one) in enumerate(zip(terms, counts, strict=True)):
        for a, original in enumerate(attribute.originals):
            rows = rng.permutation(np.flatnonzero(table.codes[:, v] == original))
            codes[rows, v] = np.repeat(attribute.published, one[:, a])
    attributes = len(terms)
    widths = np.array([len(a.categories) + 1 for a in table.schema.categorical], dtype=np.int64)
    links = links_of(table.codes, widths, terms, counts)
    linked = objective.linkage and bool(links.strides.any())
    swaps = min(_SWAPS * effort * codes.size, _MOST // attributes) if attributes > 1 else 0
    tables = objective.table_cost * 0.5 / len(table) if objective.order > 1 else 0.0
    layout, surplus = _laid_out(table.codes, codes, widths)
    own = table.codes.copy()
    linkage = 50.0 / len(table) if linked else 0.0
    table_cost, linkage_cost = t * tables, (1.0 - t) * linkage
    credits, matched = np.zeros((2, len(table))), np.zeros(2)
    if linkage_cost > 0.0:
        for row, (published, original_record) in enumerate(zip(codes, own, strict=True)):
            for kind in range(2):
                credits[kind, row] = credit(links, kind, original_record, published)
        matched = credits.cumsum(axis=1)[:, -1].copy()
    for done in range(0, swaps, _AT_ONCE):
        # The kernel draws nothing itself: it would begin at a seed, and could be replayed from it.
        uniforms = rng.random((min(_AT_ONCE, swaps - done), _DRAWS))
        _swap(
            codes, own, layout, surplus, links, credits, matched, table_cost, linkage_cost, uniforms, done / swaps,
            1.0 / swaps,
        )  # fmt: skip
    beyond = _beyond_margins(codes, own, layout, surplus)
    return Assigned(codes, tables * beyond, linkage * float(matched.max()))


def _laid_out(original: Codes, codes: Codes, widths: Integers) -> tuple[_Layout, NDArray[np.int64]]:
    """Return the layout, and by how many records each cell of the two-way tables is greater than the original's."""
    attributes = len(widths)
    offsets = np.zeros((attributes, attributes), dtype=np.int64)
    surplus: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
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
    return _Layout(widths, offsets, order, first, last), np.concatenate(surplus)


def _beyond_margins(codes: Codes, original: Codes, layout: _Layout, surplus: NDArray[np.int64]) -> float:
    """Return the sum of differences of two-way tables beyond the greater one of their two margins."""
    attributes = len(layout.widths)
    margins = []
    for v in range(attributes):
        both = [np.bincount(f[:, v] + 1, minlength=layout.widths[v]) for f in (codes, original)]
        margins.append(int(np.abs(both[0] - both[1]).sum()))
    least = sum(max(margins[v], margins[w]) for v, w in combinations(range(attributes), 2))
    return float(np.abs(surplus).sum() - least)


@njit(cache=True)
def _swap(
    codes: Codes,
    own: Codes,
    layout: _Layout,
    surplus: NDArray[np.int64],
    links: Links,
    credits: Floats,
    matched: Floats,
    table_cost: float,
    linkage_cost: float,
    uniforms: Floats,
    begun: float,
    share: float,
) -> None:
    """Anneal a swap with each row of uniform numbers; a share of all swaps each, of which one was done before."""
    records, attributes = codes.shape
    new, sums = np.zeros((2, 2)), np.zeros(2)
    scale = 1000.0 / records
    temperature = 0.0
    for swap in range(len(uniforms)):
        if swap % _STEP == 0:
            temperature = scale * _HOT * (_COLD / _HOT) ** (begun + swap * share)
        drawn = uniforms[swap]
        v, place = int(drawn[0] * attributes), int(drawn[1] * records)
        low, high = layout.first[v, place], layout.last[v, place]
        r, s = layout.order[v, place], layout.order[v, low + int(drawn[2] * (high - low))]
        if codes[r, v] == codes[s, v]:
            continue
        for undone in range(2):
            # Both records swap what they publish; by how much the sum of differences grows.
            growth = 0
            for w in range(attributes):
                if w == v or codes[r, w] == codes[s, w]:
                    continue
                for corner in range(4):
                    row, step = r if corner < 2 else s, 2 * (corner % 2) - 1
                    mine, other = codes[r if corner % 3 == 0 else s, v] + 1, codes[row, w] + 1
                    cell = layout.offsets[v, w]
                    cell += mine * layout.widths[w] + other if v < w else other * layout.widths[v] + mine
                    growth -= abs(surplus[cell])
                    surplus[cell] += step
                    growth += abs(surplus[cell])
            codes[r, v], codes[s, v] = codes[s, v], codes[r, v]
            if undone:
                break
            change = table_cost * growth
            if linkage_cost > 0.0:
                for kind in range(2):
                    new[kind, 0] = credit(links, kind, own[r], codes[r])
                    new[kind, 1] = credit(links, kind, own[s], codes[s])
                    sums[kind] = matched[kind] + new[kind, 0] + new[kind, 1] - credits[kind, r] - credits[kind, s]
                change += linkage_cost * (
                    max(sums[0], sums[1])
                    + _LESSER * min(sums[0], sums[1])
                    - (max(matched[0], matched[1]) + _LESSER * min(matched[0], matched[1]))
                )
            if change <= 0.0 or drawn[3] < np.exp(-change / temperature):
                if linkage_cost > 0.0:
                    for kind in range(2):
                        credits[kind, r], credits[kind, s] = new[kind, 0], new[kind, 1]
                        matched[kind] = sums[kind]
                break
