"""The map of information loss and disclosure risk as SVG, without a style in it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WIDTH, HEIGHT = 560.0, 420.0
LEFT, RIGHT, TOP, BOTTOM = 56.0, 16.0, 14.0, 44.0
ZOOMS = ("4", "10", "25")  # how many times nearer than the whole map
_WIDTH = 10.0  # loss that a curve is drawn to at least: one that is flat is a line as well

_STEPS = (1, 2, 5, 10, 20, 25, 50)


@dataclass(frozen=True)
class Point:
    """A file on the map."""

    il: float
    dr: float
    kind: str
    label: str
    link: str = ""  # where a click leads; empty for none
    outside: bool = False  # whether it breaks the bounds that its search kept to


KINDS = {
    "original": "original", "classical": "classical methods", "front": "front of the search", "best": "best",
    "chosen": "chosen", "other": "compared with",
}  # fmt: skip


def drawing(
    points: Sequence[Point] = (),
    limit: Sequence[tuple[float, float]] = (),
    accepted: float | None = None,
    window: tuple[float, float, float, float] | None = None,
) -> dict[str, Any]:
    """Return what the template shows of a part of the map, by default all: axes, marks and lines in its coordinates."""
    # No file lies below the curve `limit`; `accepted` is the greatest risk that is.
    known = [point for point in points if math.isfinite(point.il) and math.isfinite(point.dr)]
    curve = _until_flat(limit, max((point.il for point in known), default=0.0))
    if window is None:
        right = _upper([point.il for point in known] + [il for il, _ in curve])
        top = _upper([point.dr for point in known] + [dr for _, dr in limit] + [accepted or 0.0])
        left, bottom = 0.0, 0.0
        curve = [*curve[:-1], (min(right, 100.0), curve[-1][1])] if curve else []  # it ends at no loss
    else:
        left, right, bottom, top = window

    def x(value: float) -> float:
        return round(LEFT + (value - left) / (right - left) * (WIDTH - LEFT - RIGHT), 1)

    def y(value: float) -> float:
        return round(HEIGHT - BOTTOM - (value - bottom) / (top - bottom) * (HEIGHT - TOP - BOTTOM), 1)

    front = sorted((p.il, p.dr) for p in known if p.kind in ("front", "best", "chosen", "other"))
    closed = [(0.0, 0.0), *curve, (curve[-1][0], 0.0)] if curve else []
    order = list(KINDS)
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "frame": (LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM),
        "across": [(x(tick), f"{tick:g}") for tick in _ticks(left, right)],
        "up": [(y(tick), f"{tick:g}") for tick in _ticks(bottom, top)],
        "marks": [
            {"x": x(p.il), "y": y(p.dr), "kind": p.kind, "label": p.label, "link": p.link, "outside": p.outside}
            for p in sorted(known, key=lambda p: order.index(p.kind))
            if left <= p.il <= right and bottom <= p.dr <= top
        ],
        "rows": [
            (KINDS[p.kind] + ", outside the bounds" * p.outside, p.label, p.il, p.dr, p.link)
            for p in sorted(known, key=lambda p: (-order.index(p.kind), p.il, p.dr))
        ],
        "front": _steps([(x(il), y(dr)) for il, dr in front]),
        "limit": _line([(x(il), y(dr)) for il, dr in curve]),
        "below": _line([(x(il), y(dr)) for il, dr in closed]),
        "accepted": y(accepted) if accepted is not None else None,
        "legend": [(k, text) for k, text in KINDS.items() if any(p.kind == k for p in known)],
        "outside": any(p.outside for p in known),
    }


def points_of(entries: Sequence[Mapping[str, Any]], kind: str) -> list[Point]:
    """Return the points of files with ``scores`` and a ``label`` or an ``origin``."""
    points = []
    for entry in entries:
        scores = entry.get("scores") or {}
        if "il" in scores and "dr" in scores:
            label = str(entry.get("label") or entry.get("origin") or "")
            outside = float(scores.get("infeasibility") or 0.0) > 0.0
            points.append(Point(float(scores["il"]), float(scores["dr"]), kind, label, outside=outside))
    return points


def _until_flat(curve: Sequence[tuple[float, float]], least: float) -> list[tuple[float, float]]:
    """Return a curve as far as there is something to see: to the last file, or a bit beyond where it is lowest."""
    floor = min((dr for _, dr in curve), default=0.0)
    lowest = min((il for il, dr in curve if dr <= floor + 1e-6), default=0.0)
    end = min(max(1.4 * lowest, 1.06 * least, _WIDTH), 100.0)
    return [*((il, dr) for il, dr in sorted(curve) if il < end), (end, floor)] if curve else []


def _upper(values: Sequence[float]) -> float:
    return min(105.0, max([10.0, *(value * 1.06 for value in values)]))


def _ticks(lower: float, upper: float) -> list[float]:
    span = upper - lower
    small = (10.0**-power * one for power in (3, 2, 1) for one in (1, 2, 5))
    step = next((step for step in (*small, *_STEPS) if span / step <= 8), 50)
    return [round(step * number, 6) for number in range(math.ceil(lower / step), int(upper / step) + 1)]


def window_of(points: Sequence[Point], zoom: str) -> tuple[float, float, float, float] | None:
    """Return the requested part of the map: ``front``, or how many times nearer to the chosen file."""
    if zoom == "front":
        shown = [p for p in points if p.kind in ("front", "best", "chosen", "other")]
        if len(shown) < 2:
            return None
        il, dr = sorted(p.il for p in shown), sorted(p.dr for p in shown)
        # Most of a front lies near its bend: the outer tenths would squeeze it.
        cut = len(shown) // 10
        return _around(il[cut], il[-1 - cut], dr[cut], dr[-1 - cut])
    centre = next((p for p in points if p.kind == "chosen"), None)
    if zoom not in ZOOMS or centre is None:
        return None
    across, up = (_upper(values) / int(zoom) / 2 for values in ([p.il for p in points], [p.dr for p in points]))
    return _around(centre.il - across, centre.il + across, centre.dr - up, centre.dr + up)


def _around(left: float, right: float, bottom: float, top: float) -> tuple[float, float, float, float]:
    across, up = max(0.06 * (right - left), 0.01), max(0.06 * (top - bottom), 0.01)
    return max(0.0, left - across), right + across, max(0.0, bottom - up), top + up


def _line(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x},{y}" for x, y in places)


def _steps(places: Sequence[tuple[float, float]]) -> str:
    """Return a line that goes down in steps: between two files of the front there is none."""
    corners: list[tuple[float, float]] = []
    for place in places:
        if corners:
            corners.append((place[0], corners[-1][1]))
        corners.append(place)
    return _line(corners)
