"""The labelling under which most records of a file read right: an assignment that is followed through changes.

The assignment problem of one attribute gives each original category a published one of its own, so that as many
records as possible have theirs. Beside the assignment its dual prices are kept, which prove that it is the best: most
changes leave both as they are, and any other change of an original category is repaired by one shortest augmenting path
(Kuhn, 1955; Jonker and Volgenant, 1987), where a library would begin anew.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from evosdc_measures.domains import Counts, Integers

FREE = -1
"""No partner yet."""

_FAR = 1 << 60


class Assignment(NamedTuple):
    """The assignments of all attributes, one after the other.

    Parameters
    ----------
    labels, owners : ndarray of int32
        Published category of each original one, and the other way round; `FREE` where there is none.
    prices, label_prices : ndarray of int64
        Of original and of published categories. Their sum is never above ``-count``, and equal to it for each category
        and its label.
    gains : ndarray of int64, shape (V,)
        By attribute, how many more records read right under the assignment than as they are published.
    """

    labels: Counts
    owners: Counts
    prices: Integers
    label_prices: Integers
    gains: Integers

    @classmethod
    def none(cls, categories: int, attributes: int) -> "Assignment":
        """Return that in which no category has a label yet."""
        labels, owners = (np.full(categories, FREE, dtype=np.int32) for _ in range(2))
        prices, label_prices = (np.zeros(categories, dtype=np.int64) for _ in range(2))
        return cls(labels, owners, prices, label_prices, np.zeros(attributes, dtype=np.int64))

    def copy(self) -> "Assignment":
        """Return a copy that can be changed."""
        labels, owners, prices, label_prices, gains = self
        return Assignment(labels.copy(), owners.copy(), prices.copy(), label_prices.copy(), gains.copy())


@njit(cache=True)
def assign(
    counts: Counts,
    base: int,
    width: int,
    original: int,
    first: int,
    assignment: Assignment,
) -> None:
    """Give one original category without a label the best one, and others a new one where that is better for all.

    Parameters
    ----------
    counts : ndarray of int32
        Records by published and original category: of b and a at ``base + b * width + a``.
    base, width : int
    original : int
        The category, without a label.
    first : int
        Where the attribute's entries begin in the arrays of the assignment.
    assignment : Assignment
        Changed in place.
    """
    labels, owners, prices, label_prices, _ = assignment
    shortest, previous = np.full(width, _FAR), np.full(width, FREE)
    reached = np.zeros(width, np.bool_)
    here, category = FREE, original
    while True:
        # One round: the nearest label that is not reached yet, from the category of the last one.
        step, nearest = _FAR, FREE
        for label in range(width):
            if not reached[label]:
                cost = -counts[base + label * width + category] - prices[first + category] - label_prices[first + label]
                if cost < shortest[label]:
                    shortest[label], previous[label] = cost, here
                if shortest[label] < step:
                    step, nearest = shortest[label], label
        prices[first + original] += step
        for label in range(width):
            if reached[label]:
                prices[first + owners[first + label]] += step
                label_prices[first + label] -= step
            else:
                shortest[label] -= step
        here = nearest
        reached[here] = True
        category = owners[first + here]
        if category == FREE:
            break
    while here != FREE:
        before = previous[here]
        category = owners[first + before] if before != FREE else original
        owners[first + here] = category
        labels[first + category] = here
        here = before


@njit(cache=True)
def release(original: int, first: int, assignment: Assignment) -> None:
    """Take an original category's label away."""
    label = assignment.labels[first + original]
    if label != FREE:
        assignment.owners[first + label] = FREE
        assignment.labels[first + original] = FREE


@njit(cache=True)
def moved(
    counts: Counts,
    base: int,
    width: int,
    original: int,
    entered: int,
    left: int,
    first: int,
    assignment: Assignment,
) -> None:
    """Repair the assignment after one record of an original category was published as `entered`, before as `left`."""
    label, prices = assignment.labels[first + original], assignment.prices
    if label == entered:
        # Its own label has become better by one record: nothing else does as well.
        prices[first + original] -= 1
        return
    cost = -counts[base + entered * width + original]
    if label != left and cost >= prices[first + original] + assignment.label_prices[first + entered]:
        return
    release(original, first, assignment)
    assign(counts, base, width, original, first, assignment)


@njit(cache=True)
def misread(counts: Counts, base: int, width: int, first: int, assignment: Assignment) -> int:
    """Return how many more records read right under the assignment than as they are published."""
    gain = 0
    for a in range(width):
        gain += counts[base + assignment.labels[first + a] * width + a] - counts[base + a * width + a]
    return int(gain)
