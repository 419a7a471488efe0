"""Masking methods in plain numpy: what a careful analyst would write, without compiled loops or distinct records."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evosdc.table.table import MISSING, Table

Array = NDArray[np.generic]


def mdav(numbers: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """MDAV-generic of numeric records, averages published."""
    points = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
    left, masked = np.arange(len(points)), np.empty_like(numbers)

    def away(rows: NDArray[np.intp], centre: NDArray[np.float64]) -> NDArray[np.float64]:
        differences = points[rows] - centre
        return np.einsum("ij,ij->i", differences, differences)

    def form(rows: NDArray[np.intp], pole: int) -> NDArray[np.intp]:
        nearest = np.argpartition(away(rows, points[pole]), k - 1)[:k]
        masked[rows[nearest]] = numbers[rows[nearest]].mean(axis=0)
        return np.delete(rows, nearest)

    while len(left) >= 2 * k:
        r = left[np.argmax(away(left, points[left].mean(axis=0)))]
        wide = len(left) >= 3 * k
        left = form(left, r)
        if wide:
            left = form(left, left[np.argmax(away(left, points[r]))])
    masked[left] = numbers[left].mean(axis=0)
    return masked


def mdav_of_categories(table: Table, k: int) -> NDArray[np.int64]:
    """MDAV-generic of categorical records, record by record, classes published."""
    codes = table.codes
    ordinal = np.array([str(a.scale) == "ordinal" for a in table.schema.categorical])
    sizes = np.array([len(a.categories) for a in table.schema.categorical])
    left, classes, made = np.arange(len(codes)), np.empty(len(codes), dtype=np.int64), 0

    def away(rows: NDArray[np.intp], centre: Array) -> NDArray[np.float64]:
        gap = np.abs(codes[rows] - centre)
        return np.where(ordinal, gap / sizes, gap > 0).sum(axis=1)

    def average(rows: NDArray[np.intp]) -> Array:
        counts = [np.bincount(codes[rows, j], minlength=size) for j, size in enumerate(sizes)]
        middle = [int(np.searchsorted(np.cumsum(c), len(rows) / 2)) for c in counts]
        return np.array([m if o else int(np.argmax(c)) for m, o, c in zip(middle, ordinal, counts, strict=True)])

    def form(rows: NDArray[np.intp], pole: int) -> NDArray[np.intp]:
        nonlocal made
        nearest = np.argsort(away(rows, codes[pole]), kind="stable")[:k]
        classes[rows[nearest]] = made
        made += 1
        return np.delete(rows, nearest)

    while len(left) >= 2 * k:
        r = left[np.argmax(away(left, average(left)))]
        wide = len(left) >= 3 * k
        left = form(left, r)
        if wide:
            left = form(left, left[np.argmax(away(left, codes[r]))])
    classes[left] = made
    return classes


def univariate(numbers: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Optimal univariate microaggregation with prefix sums, a value at a time."""
    masked, n = np.empty_like(numbers), len(numbers)
    for j in range(numbers.shape[1]):
        order = np.argsort(numbers[:, j], kind="stable")
        x = numbers[order, j] - numbers[:, j].mean()
        sums, squares = (np.concatenate(([0.0], np.cumsum(x**p))) for p in (1, 2))
        best, begin = np.full(n + 1, np.inf), np.zeros(n + 1, dtype=int)
        best[0] = 0.0
        for end in range(k, n + 1):
            starts = np.arange(max(0, end - 2 * k + 1), end - k + 1)
            losses = best[starts] + squares[end] - squares[starts] - (sums[end] - sums[starts]) ** 2 / (end - starts)
            begin[end] = starts[np.argmin(losses)]
            best[end] = losses.min()
        end = n
        while end:
            masked[order[begin[end] : end], j] = numbers[order[begin[end] : end], j].mean()
            end = begin[end]
    return masked


def rank_swapping(numbers: NDArray[np.float64], p: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Swap each free rank with a random free one among the next p percent."""
    masked, n = numbers.copy(), len(numbers)
    reach = int(n * p / 100)
    for j in range(numbers.shape[1]):
        order = np.argsort(numbers[:, j], kind="stable")
        free = np.ones(n, dtype=bool)
        for i in range(n):
            if free[i]:
                others = np.flatnonzero(free[i + 1 : i + 1 + reach])
                if others.size:
                    other = i + 1 + others[rng.integers(others.size)]
                    masked[order[[i, other]], j] = numbers[order[[other, i]], j]
                    free[[i, other]] = False
    return masked


def pram(codes: NDArray[np.int32], matrix: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Redraw each value from the row of its category."""
    drawn: NDArray[np.int64] = (np.cumsum(matrix, axis=1)[codes] < rng.random(len(codes))[:, None]).sum(axis=1)
    return drawn


def local_suppression(codes: NDArray[np.int32], k: int) -> NDArray[np.int32]:
    """Suppress in records of small classes one attribute after the other, that of most categories first."""
    masked = codes.copy()
    for j in np.argsort([-np.unique(codes[:, j]).size for j in range(codes.shape[1])]):
        _, classes, sizes = np.unique(masked, axis=0, return_inverse=True, return_counts=True)
        masked[sizes[classes.reshape(-1)] < k, j] = MISSING
    return masked
