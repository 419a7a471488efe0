"""How much of the space of objectives a front dominates."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from operator import itemgetter

REFERENCE = 100.0
"""Every coordinate of the reference point: the worst value of IL, DR and any measure on the 0..100 scale."""


def hypervolume(points: Iterable[tuple[float, ...]], reference: float = REFERENCE) -> float:
    """Return the share of the box between 0 and the reference point that a front dominates, in percent.

    Exact, by slicing objectives (While et al. 2006); the time grows with the number of points to the power of one less
    than the dimensions. Points at or beyond the reference in any coordinate count nothing; negative coordinates add to
    what lies in the box.

    Parameters
    ----------
    points : iterable of tuple of float
        Each of the same length d, all coordinates minimised; they may dominate each other.
    reference : float
        Positive.

    Returns
    -------
    float
        0 for an empty front; 100 for one that holds the origin.
    """
    inside = list(points)
    if inside and len(inside[0]) != 2:  # the sweep leaves out what lies beyond by itself
        inside = [point for point in set(inside) if all(value < reference for value in point)]
    return 100.0 * _volume(inside, reference) / reference ** len(inside[0]) if inside else 0.0


def _volume(points: Collection[tuple[float, ...]], reference: float) -> float:
    """Return the volume between points and the reference: slices along the last coordinate, at last a sweep."""
    if len(next(iter(points))) == 1:
        return reference - min(points)[0]
    if len(next(iter(points))) == 2:
        volume, height = 0.0, reference
        for first, second in sorted(points):
            if first >= reference:
                break
            if second < height:
                volume += (reference - first) * (height - second)
                height = second
        return volume
    ordered = sorted(points, key=itemgetter(-1))
    ends = [point[-1] for point in ordered[1:]] + [reference]
    below: set[tuple[float, ...]] = set()
    volume = 0.0
    for point, end in zip(ordered, ends, strict=True):
        below.add(point[:-1])
        if end > point[-1]:
            volume += (end - point[-1]) * _volume(below, reference)
    return volume
