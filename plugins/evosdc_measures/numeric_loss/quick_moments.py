"""Moments of many children of one file, from what they change, where twice a double's digits tell how they are rounded.

Exact sums take whole numbers of any length, one by one. Sums of two doubles, the second one what the first is rounded
by, have 106 bits. They tell the moment that exact sums come to, rounded once, unless it lies within their own error of
the middle between two doubles: then, and for numbers near the ends of what a double holds, it is left to these. After
Dekker (1971), the errors as of Joldes, Muller and Popescu (2017).
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evosdc.table.table import Numbers, Rows
from evosdc_measures.domains import Integers
from evosdc_measures.numeric_loss.exact_moments import ratio_of
from evosdc_measures.numeric_loss.exact_sums import Sums

_SPLIT = float((1 << 27) + 1)
_ERROR = 2.0**-101
"""Of a sum of two doubles after a change, in parts of the greatest one that it came through; some times too much."""

_LEAST, _MOST = 1e-60, 1e60
"""Values that are not 0 have this size, so that no product is lost below a double's range, nor beyond it."""

_LEAST_SUM = 1e-200
"""Of sums that are not 0: what is rounded off of smaller ones is lost below a double's range."""


class QuickSums(NamedTuple):
    """The sums of `Sums`, each as two doubles, by two attributes.

    Parameters
    ----------
    counts : ndarray of float64, shape (p, p)
    firsts, products : ndarray of float64, shape (2, p, p)
        The second ones are what the first are rounded by.
    """

    counts: Numbers
    firsts: Numbers
    products: Numbers


def quick_sums_of(sums: Sums, columns: Rows, before: QuickSums | None = None) -> QuickSums:
    """Return the sums of a file as doubles; of some columns anew, and all others as they were.

    Parameters
    ----------
    sums : Sums
    columns : ndarray of intp
        Of whose values some may have changed, each once.
    before : QuickSums, optional
        Before the change; not altered. None where all columns are given.
    """
    p = len(sums.shifts)
    if before is None:
        before = QuickSums(np.zeros((p, p)), np.zeros((2, p, p)), np.zeros((2, p, p)))
    counts, firsts, products = (part.copy() for part in before)
    for j in columns.tolist():
        for k in range(p):
            place, turned = j * p + k, k * p + j
            counts[j, k] = counts[k, j] = sums.counts[place]
            firsts[:, j, k] = _two_doubles(sums.firsts[place], sums.shifts[j])
            firsts[:, k, j] = _two_doubles(sums.firsts[turned], sums.shifts[k])
            products[:, j, k] = products[:, k, j] = _two_doubles(sums.products[place], sums.shifts[j] + sums.shifts[k])
    return QuickSums(counts, firsts, products)


def _two_doubles(whole: int, shift: int) -> tuple[float, float]:
    """Return ``whole / 2**shift`` rounded, and what it was rounded by; not a number where it is beyond a double."""
    first = ratio_of(whole, 1, shift)
    if not np.isfinite(first):
        return first, np.nan
    above, below = first.as_integer_ratio()
    # A rounded number has no smaller unit than the whole one.
    return first, ratio_of(whole - (above << shift) // below if shift >= 0 else whole - (above >> -shift), 1, shift)


@njit(cache=True)
def _plus(first: float, second: float, x: float) -> tuple[float, float]:
    """Return a sum of two doubles plus another one."""
    total = first + x
    part = total - first
    rest = (first - (total - part)) + (x - part) + second
    again = total + rest
    return again, rest - (again - total)


@njit(cache=True)
def _product(x: float, y: float) -> tuple[float, float]:
    """Return a product, and what it is rounded by."""
    total = x * y
    much, more = _SPLIT * x, _SPLIT * y
    high, wide = much - (much - x), more - (more - y)
    low, narrow = x - high, y - wide
    return total, ((high * wide - total) + high * narrow + low * wide) + low * narrow


@njit(cache=True)
def _quotient(first: float, second: float, count: float, error: float) -> tuple[float, bool]:
    """Return a sum of two doubles over a number, rounded once, and whether this is certain by an error of the sum."""
    quotient = first / count
    back, rest = _product(quotient, count)
    last = ((first - back) - rest + second) / count
    rounded = quotient + last
    last -= rounded - quotient
    error = error / count + abs(rounded) * _ERROR
    return rounded, rounded + (last + error) == rounded and rounded + (last - error) == rounded


@njit(cache=True)
def moments_of_children(
    sums: QuickSums,
    before: Numbers,
    after: Numbers,
    ends: Integers,
    differs: NDArray[np.bool_],
    counts: Numbers,
    means: Numbers,
    covariances: Numbers,
    varying: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Write the moments of children, and return of which they are certain, shape (k,); of the others all may be wrong.

    Parameters
    ----------
    sums : QuickSums
        Of the file whose children they are.
    before, after : ndarray of float64, shape (m, p)
        The changed records alone, child by child.
    ends : ndarray of int64, shape (k,)
        Where each child's records end.
    differs : ndarray of bool, shape (k, p)
        In which columns each may differ.
    counts, means, covariances, varying : ndarray
        Moments of the file as of `evosdc_measures.numeric_loss.moments.Moments`, with an axis of k before; of columns
        that differ those of the children are written.
    """
    p, begin = before.shape[1], 0
    certain = np.ones(len(ends), np.bool_)
    for child in range(len(ends)):
        end, own = ends[child], differs[child]
        # Columns by themselves first: whether one varies decides of its covariances.
        for j in range(p):
            if own[j] and certain[child]:
                certain[child] = _write_pair(
                    sums, before[begin:end], after[begin:end], j, j, counts[child], means[child], covariances[child],
                    varying[child],
                )  # fmt: skip
        for j in range(p):
            for k in range(p):
                # A pair of columns that differ is written once, for the first of them.
                if own[j] and k != j and not (own[k] and k < j) and certain[child]:
                    certain[child] = _write_pair(
                        sums, before[begin:end], after[begin:end], j, k, counts[child], means[child],
                        covariances[child], varying[child],
                    )  # fmt: skip
        begin = end
    return certain


@njit(cache=True)
def _write_pair(
    sums: QuickSums,
    before: Numbers,
    after: Numbers,
    j: int,
    k: int,
    counts: Numbers,
    means: Numbers,
    covariances: Numbers,
    varying: NDArray[np.bool_],
) -> bool:
    """Write the moments of a child's column, or of two, and return whether they are certain."""
    count = sums.counts[j, k]
    first, first_rest = sums.firsts[0, j, k], sums.firsts[1, j, k]
    second, second_rest = sums.firsts[0, k, j], sums.firsts[1, k, j]
    product, product_rest = sums.products[0, j, k], sums.products[1, j, k]
    most_first, most_second, most_product = abs(first), abs(second), abs(product)
    for total in (most_first, most_second, most_product):
        if 0.0 < total < _LEAST_SUM:
            return False
    for i in range(len(before)):
        for step in (-1.0, 1.0):
            x, y = (before[i, j], before[i, k]) if step < 0.0 else (after[i, j], after[i, k])
            if np.isnan(x) or np.isnan(y):
                continue
            if (x != 0.0 and not _LEAST < abs(x) < _MOST) or (y != 0.0 and not _LEAST < abs(y) < _MOST):
                return False
            count += step
            first, first_rest = _plus(first, first_rest, step * x)
            second, second_rest = _plus(second, second_rest, step * y)
            much, rest = _product(x, y)
            product, product_rest = _plus(product, product_rest, step * much)
            product, product_rest = _plus(product, product_rest, step * rest)
            most_first, most_second = max(most_first, abs(first)), max(most_second, abs(second))
            most_product = max(most_product, abs(product))
    counts[j, k] = counts[k, j] = count
    error = (len(before) + 8) * _ERROR
    if j == k:
        means[j], varying[j], covariances[j, j] = 0.0, False, 0.0
        if count == 0.0:
            return True
        means[j], certain = _quotient(first, first_rest, count, error * most_first)
        if not certain:
            return False
    elif count == 0.0 or not varying[j] or not varying[k]:
        covariances[j, k] = covariances[k, j] = 0.0
        return True
    above, above_rest = _product(product, count)
    above_rest += product_rest * count
    much, rest = _product(first, second)
    rest += first * second_rest + first_rest * second
    above, above_rest = _plus(above, above_rest, -much)
    above, above_rest = _plus(above, above_rest, -rest)
    error *= count * most_product + most_first * most_second
    if j == k:
        # Of equal values the mean square is the square of the mean: here nothing is certain.
        if not abs(above) > 2.0 * error:
            return False
        varying[j] = above > 0.0
        if not varying[j]:
            return True
    covariances[j, k], certain = _quotient(above, above_rest, count * count, error)
    covariances[k, j] = covariances[j, k]
    return certain
