"""The distinct records of a file in order, searched as the tree of their attributes.

Records that begin alike stand together, so what their beginnings cost is added once, and where a beginning alone costs
too much all that begin so are left out.
"""

from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np
from numba import njit

from evosdc.processors import PARTS, in_threads
from evosdc_judges.classes import Codes, Keys, keys_of

PART = 1 << 21
"""Pairs of records from which on a part of the asked ones is worth a thread of its own."""


@dataclass(frozen=True)
class SortedRecords:
    """The distinct records of a file, in ascending order by their first attribute, then the next, and so on.

    Parameters
    ----------
    records : ndarray of int32, shape (D, V)
    counts : ndarray of int64, shape (D,)
        How often each one stands in the file.
    of_record : ndarray of int64, shape (n,)
        Position of each record of the file among them.
    """

    records: Codes
    counts: Keys
    of_record: Keys

    @cached_property
    def tree(self) -> "Tree":
        """The records and how they begin, as kernels take them."""
        return self.records, self.counts, *beginnings(self.records)


Tree = tuple[Codes, Keys, Codes, Codes]
"""Records, shape (D, V), and their counts, shape (D,); and what `beginnings` says of them, shape (D,) and (D, V)."""


def sorted_records(codes: Codes) -> SortedRecords:
    """Return the distinct records of a file of codes that are not negative, shape (n, V)."""
    keys = keys_of(codes, codes.max(axis=0, initial=0) + 1)
    _, first, inverse, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    return SortedRecords(
        np.ascontiguousarray(codes[first]), counts.astype(np.int64), inverse.reshape(-1).astype(np.int64)
    )


@njit(cache=True, nogil=True)
def beginnings(records: Codes) -> tuple[Codes, Codes]:
    """Return how many attributes each record has in common with the one before it, and where what begins so ends.

    Parameters
    ----------
    records : ndarray of int32, shape (D, V)
        Distinct, in order.

    Returns
    -------
    common : ndarray of int32, shape (D,)
    ends : ndarray of int32, shape (D, V)
        By attribute, the first record behind that differs in it or in an earlier one.
    """
    number, attributes = records.shape
    common, ends = np.zeros(number, np.int32), np.empty((number, attributes), np.int32)
    for d in range(number - 1, -1, -1):
        if d > 0:
            while common[d] < attributes and records[d, common[d]] == records[d - 1, common[d]]:
                common[d] += 1
        for v in range(attributes):
            ends[d, v] = ends[d + 1, v] if d + 1 < number and common[d + 1] > v else d + 1
    return common, ends


def nearest(asked: Codes, truth: Codes, tree: Tree, flat: Keys, offsets: Keys, widths: Keys) -> tuple[Keys, Keys, Keys]:
    """Return for each asked record the least cost, how many records have it, and how many of these answer truly.

    Parameters
    ----------
    asked : ndarray of int32, shape (m, V)
    truth : ndarray of int32, shape (m,)
    tree : tuple of ndarray
        Of records of these V attributes; one more is their answer.
    flat, offsets, widths
        Of `evosdc_judges.nearest.Costs`, not negative.
    """
    parts = max(min(PARTS, len(asked) * len(tree[0]) // PART), 1)
    bounds = np.linspace(0, len(asked), parts + 1).astype(int).tolist()
    found = in_threads(
        [partial(_nearest, asked[a:b], truth[a:b], tree, flat, offsets, widths) for a, b in pairwise(bounds)]
    )
    least, tied, right = map(np.concatenate, zip(*found, strict=True))
    return least, tied, right


@njit(cache=True, nogil=True)
def _nearest(
    asked: Codes, truth: Codes, tree: Tree, flat: Keys, offsets: Keys, widths: Keys
) -> tuple[Keys, Keys, Keys]:
    """Return what `nearest` does, in one piece."""
    records, counts, common, ends = tree
    attributes = asked.shape[1]
    answered = records.shape[1] > attributes
    found = np.empty((3, len(asked)), np.int64)
    base, sums = np.empty(attributes, np.int64), np.zeros(attributes + 1, np.int64)
    for i in range(len(asked)):
        for v in range(attributes):
            base[v] = offsets[v] + asked[i, v] * widths[v]
        # One that is most alike, to begin with: most others are then left out at once.
        place = _place_of(asked, i, records)
        least = min(
            _cost(records, min(place, len(records) - 1), base, flat), _cost(records, max(place - 1, 0), base, flat)
        )
        tied, right, d = 0, 0, 0
        while d < len(records):
            v = min(common[d], attributes)
            cost = sums[v]
            while v < attributes:
                cost += flat[base[v] + records[d, v]]
                if cost > least:
                    break
                v += 1
                sums[v] = cost
            if v < attributes:
                d = ends[d, v]
                continue
            if cost < least:
                least, tied, right = cost, 0, 0
            tied += counts[d]
            if answered and records[d, attributes] == truth[i]:
                right += counts[d]
            d += 1
        found[0, i], found[1, i], found[2, i] = least, tied, right
    return found[0], found[1], found[2]


@njit(cache=True)
def _cost(records: Codes, place: int, base: Keys, flat: Keys) -> int:
    cost: Any = np.int64(0)
    for v in range(len(base)):
        cost += flat[base[v] + records[place, v]]
    return int(cost)


@njit(cache=True)
def _place_of(asked: Codes, i: int, records: Codes) -> int:
    """Return how many records stand before an asked one in the order of its attributes."""
    first, end = 0, len(records)
    while first < end:
        middle = (first + end) // 2
        before = False
        for v in range(asked.shape[1]):
            if records[middle, v] != asked[i, v]:
                before = records[middle, v] < asked[i, v]
                break
        if before:
            first = middle + 1
        else:
            end = middle
    return first
