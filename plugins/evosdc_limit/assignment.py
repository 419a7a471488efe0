"""Which records are published as what, when the numbers by original and published category are given.

Any choice has the same frequencies, distances, entropies and guesses. It decides the two-way tables and the linkages.
Whether a masked record y is linked to its own x depends on x and y alone: the least cost of any original to y, and how
many have it, are found once for each y. Records begin in random order. Then pairs of records with the same original
category of an attribute swap what they publish there. This is annealed: swaps that lower the weighted sum of two-way
tables' loss and linkages' risk stand.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Codes, Table
from evosdc_limit.objective import AttributeTerms, Floats, Integers, Objective

MOST_RECORDS = 1 << 20  # greatest number of records that could be published; with more, linkages are ignored
_IMPOSSIBLE = 1e6  # cost of an original that is never published so
_TIED = 1e-9


class Links(NamedTuple):
    """What two intruders link by: the likelihood of the original, and its distance."""

    costs: Floats  # shape (2, V, B, A); of an original category behind a published one, by codes from -1 (missing) up
    originals: Codes  # shape (m, V); distinct originals
    multiples: NDArray[np.int64]  # shape (m,); how many records each stands for
    strides: Integers  # shape (V,); of the number of a published record; 0 everywhere where linkages are ignored
    # Shape (2, number of records that could be published); least cost of any original; NaN where it is not known yet
    least: Floats
    ties: NDArray[np.int64]  # records that have it


def links_of(original: Codes, widths: Integers, terms: Sequence[AttributeTerms], counts: Sequence[Integers]) -> Links:
    """Return what intruders link by."""
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


_SWAPS = 300  # swaps that are tried for each value of the file, for each unit of effort

# Swaps that are tried at most, divided by the number of attributes, each of which a swap has to look at
_MOST = 20_000_000
_HOT, _COLD = 0.02, 0.0001  # first and last temperature, in points of the fitness of a file of a thousand records
_STEP = 1024  # swaps at one temperature
_AT_ONCE = 16 * _STEP  # swaps that nothing can interrupt: a fraction of a second
_DRAWS = 4  # uniform numbers of a swap: an attribute, two records, and whether a worse file is kept
_LESSER = 0.1  # weight of the lesser of both linkages beside the greater one


class Assigned(NamedTuple):
    """A file, and what the numbers of records did not decide."""

    codes: Codes  # shape (n, V)
    il: float  # of two-way tables, beyond what the tables of single attributes change
    dr: float  # of linkages; 0 where they were ignored


class _Layout(NamedTuple):
    """Two-way tables in one array, and which records have the same original category."""

    # `order` lists the records of each attribute by original category; those of a record stand from `first` to `last`.

    widths: Integers
    offsets: NDArray[np.int64]
    order: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]


def assigned(
    table: Table, objective: Objective, counts: Sequence[Integers], t: float, effort: int, rng: np.random.Generator
) -> Assigned:
    """Return the codes of a file with the given numbers of records, shape (n, V)."""
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
    # By how much the two-way tables differ beyond the greater one of their two margins.
    both = [[np.bincount(f[:, v] + 1, minlength=widths[v]) for f in (codes, own)] for v in range(attributes)]
    margins = [int(np.abs(new - old).sum()) for new, old in both]
    beyond = float(np.abs(surplus).sum() - sum(max(pair) for pair in combinations(margins, 2)))
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
