"""Classes with a least number of records, merged along an order or a hierarchy, for statistics that may be stored."""

import heapq
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evosdc.table.schema import Attribute, Scale

Integers = NDArray[np.int64]
# people that a cell of a table with a sensitive attribute has in the mean, at least, where the table is kept
LEAST_CELL = 10


def merged_classes(counts: Sequence[int] | Integers, attribute: Attribute, least: int) -> Integers:
    """Return a class for each value of an attribute, so that each class has `least` records, if all together have."""
    # Neighbours of an order are merged; without one, values go up the hierarchy, then join the smallest class.
    numbers = np.asarray(counts, dtype=np.int64)
    if least <= 1 or not len(numbers):
        return np.arange(len(numbers))
    if attribute.scale is not Scale.NOMINAL:
        return _along_order(numbers, least)
    classes = np.full(len(numbers), -1, dtype=np.int64)
    for groups in [*_levels(attribute, len(numbers)), np.zeros(len(numbers), dtype=np.int64)]:
        for group in np.unique(groups[classes < 0]):
            own = groups == group
            members, closed = own & (classes < 0), np.unique(classes[own & (classes >= 0)])
            if numbers[members].sum() >= least or (own.all() and not len(closed)):
                classes[members] = classes.max() + 1
            elif len(closed):
                classes[members] = min(closed.tolist(), key=lambda one: int(numbers[classes == one].sum()))
    return np.unique(classes, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _levels(attribute: Attribute, size: int) -> list[Integers]:
    levels = [np.arange(size)]
    hierarchy = attribute.hierarchy
    if hierarchy is not None and len(attribute.categories) == size:
        for level in range(1, hierarchy.height):
            labels = hierarchy.generalise(attribute.categories, level)
            levels.append(np.unique(np.array(labels), return_inverse=True)[1].reshape(-1).astype(np.int64))
    return levels


def _along_order(numbers: Integers, least: int) -> Integers:
    """Return classes of neighbours: the smallest one joins its smaller neighbour until all have enough."""
    total, size = numbers.copy(), len(numbers)
    # A class is found at one of its values, which knows those of the classes before and after.
    before, after, joins = np.arange(size) - 1, np.arange(size) + 1, np.arange(size)
    heap = [(int(count), place) for place, count in enumerate(numbers)]
    heapq.heapify(heap)
    while heap and heap[0][0] < least:
        count, place = heapq.heappop(heap)
        left, right = int(before[place]), int(after[place])
        if joins[place] != place or count != total[place]:
            continue
        if left < 0 and right >= size:
            break
        into = left if right >= size or (left >= 0 and total[left] <= total[right]) else right
        joins[place] = into
        total[into] += count
        if left >= 0:
            after[left] = right
        if right < size:
            before[right] = left
        heapq.heappush(heap, (int(total[into]), into))
    while (joins != joins[joins]).any():
        joins = joins[joins]
    return np.unique(joins, return_inverse=True)[1].reshape(-1).astype(np.int64)
