"""The map of information loss and disclosure risk as SVG, without a style in it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

WIDTH, HEIGHT = 560.0, 420.0
LEFT, RIGHT, TOP, BOTTOM = 46.0, 16.0, 14.0, 44.0
_STEPS = (1, 2, 5, 10, 20, 25, 50)


@dataclass(frozen=True)
class Point:
    """A file on the map.

    Parameters
    ----------
    il, dr : float
    kind : {"classical", "front", "best", "original", "chosen", "other"}
    label : str
    link : str
        Where a click leads; empty for none.
    """

    il: float
    dr: float
    kind: str
    label: str
    link: str = ""


@dataclass(frozen=True)
class Plane:
    """What is drawn.

    Parameters
    ----------
    points : sequence of Point
    limit : sequence of (il, dr)
        The curve below which no file lies.
    asked : float, optional
        The greatest risk that is accepted.
    """

    points: Sequence[Point] = ()
    limit: Sequence[tuple[float, float]] = ()
    asked: float | None = None
    kinds: tuple[tuple[str, str], ...] = field(
        default=(
            ("original", "original"), ("classical", "classical methods"), ("front", "front of the search"),
            ("best", "best"), ("chosen", "chosen"), ("other", "compared with"),
        )
    )  # fmt: skip

    def drawing(self) -> dict[str, Any]:
        """Return what the template shows: axes, marks and lines in its coordinates."""
        known = [point for point in self.points if math.isfinite(point.il) and math.isfinite(point.dr)]
        curve = _until_flat(self.limit, max((point.il for point in known), default=0.0))
        right = _upper([point.il for point in known] + [il for il, _ in curve])
        top = _upper([point.dr for point in known] + [dr for _, dr in self.limit] + [self.asked or 0.0])

        def x(value: float) -> float:
            return round(LEFT + value / right * (WIDTH - LEFT - RIGHT), 1)

        def y(value: float) -> float:
            return round(HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM), 1)

        front = sorted((p.il, p.dr) for p in known if p.kind in ("front", "best", "chosen", "other"))
        closed = [(0.0, 0.0), *curve, (curve[-1][0], 0.0)] if curve else []
        order = [kind for kind, _ in self.kinds]
        return {
            "width": WIDTH,
            "height": HEIGHT,
            "frame": (LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM),
            "across": [(x(tick), f"{tick:g}") for tick in _ticks(right)],
            "up": [(y(tick), f"{tick:g}") for tick in _ticks(top)],
            "marks": [
                {"x": x(p.il), "y": y(p.dr), "kind": p.kind, "label": p.label, "link": p.link}
                for p in sorted(known, key=lambda p: order.index(p.kind))
            ],
            "front": _steps([(x(il), y(dr)) for il, dr in front]),
            "limit": _line([(x(il), y(dr)) for il, dr in curve]),
            "below": _line([(x(il), y(dr)) for il, dr in closed]),
            "asked": y(self.asked) if self.asked is not None else None,
            "legend": [(k, text) for k, text in self.kinds if any(p.kind == k for p in known)],
        }


def points_of(entries: Sequence[Mapping[str, Any]], kind: str) -> list[Point]:
    """Return the points of files with ``scores`` and a ``label`` or an ``origin``."""
    points = []
    for entry in entries:
        scores = entry.get("scores") or {}
        if "il" in scores and "dr" in scores:
            label = str(entry.get("label") or entry.get("origin") or "")
            points.append(Point(float(scores["il"]), float(scores["dr"]), kind, label))
    return points


def _until_flat(curve: Sequence[tuple[float, float]], least: float) -> list[tuple[float, float]]:
    """Return a curve as far as there is something to see: to the last file, or a bit beyond where it is lowest."""
    floor = min((dr for _, dr in curve), default=0.0)
    lowest = min((il for il, dr in curve if dr <= floor + 1e-6), default=0.0)
    end = min(max(1.4 * lowest, 1.06 * least), 100.0)
    return [*((il, dr) for il, dr in sorted(curve) if il < end), (end, floor)] if curve else []


def _upper(values: Sequence[float]) -> float:
    return min(105.0, max([10.0, *(value * 1.06 for value in values)]))


def _ticks(upper: float) -> list[float]:
    step = next((step for step in _STEPS if upper / step <= 8), 50)
    return [float(step * number) for number in range(int(upper / step) + 1)]


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
