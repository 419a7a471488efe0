"""The limit curve: the upper envelope of supporting lines in the plane of IL and DR."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_GREATEST = 100.0


@dataclass(frozen=True)
class Line:
    """A supporting line: every masked file has ``t IL + (1 - t) DR >= value``.

    Parameters
    ----------
    t : float
        Weight of IL, in [0, 1].
    value : float
        On the scale 0..100.
    gap : float
        How much higher the line might be drawn: 0, up to the tolerance, where it was found to its end.
    """

    t: float
    value: float
    gap: float = 0.0

    def dr(self, il: float) -> float:
        """Return the least DR at an IL; only for t < 1."""
        return (self.value - self.t * il) / (1.0 - self.t)


def least_dr(lines: Sequence[Line], il: float) -> float:
    """Return the DR below which no masked file with that IL, or a lower one, can lie."""
    return max([0.0, *(line.dr(il) for line in lines if line.t < 1.0)])


def envelope(lines: Sequence[Line]) -> tuple[tuple[float, float], ...]:
    """Return the corners of the limit curve as points (IL, DR), from IL = 0 to IL = 100.

    No masked file lies below the straight lines between them. DR falls along the curve and the curve is convex.
    """
    found: list[Line] = []
    known = [Line(0.0, 0.0), *(line for line in lines if line.t < 1.0)]
    for line in sorted(known, key=lambda line: (-line.t, -line.value)):
        if found and found[-1].t == line.t:
            continue
        while len(found) > 1 and _crossing(found[-2], line) <= _crossing(found[-2], found[-1]):
            found.pop()
        found.append(line)
    crossings = [_crossing(steep, flat) for steep, flat in pairwise(found)]
    places = [0.0, *(il for il in crossings if 0.0 < il < _GREATEST), _GREATEST]
    return tuple((il, least_dr(found, il)) for il in places)


def value_at(lines: Sequence[Line], t: float) -> float:
    """Return a bound of ``t IL + (1 - t) DR`` for any t between the least and the greatest of the lines.

    The best bound is a concave function of t, so that it lies above the chord of two neighbouring lines.
    """
    ordered = sorted(lines, key=lambda line: line.t)
    for left, right in pairwise(ordered):
        if left.t <= t <= right.t and left.t < right.t:
            share = (t - left.t) / (right.t - left.t)
            return (1.0 - share) * left.value + share * right.value
    same = [line.value for line in ordered if line.t == t]
    return max(same, default=0.0)


def _crossing(steep: Line, flat: Line) -> float:
    """Return the IL where two lines of different weights meet."""
    slope = flat.t / (1.0 - flat.t) - steep.t / (1.0 - steep.t)
    return (flat.value / (1.0 - flat.t) - steep.value / (1.0 - steep.t)) / slope
