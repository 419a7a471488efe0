"""What a search has explored of a lattice that is too large to be drawn node by node: a picture by height and loss."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import floor, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Individual

KEPT = 4000
"""Nodes that are remembered; of more, every second, every fourth and so on in the order of the search."""

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _ABOVE, _BELOW = 900, 460, 90, 24, 20, 92
_WITHIN, _BEYOND, _BEST, _INK, _GRID = "#2e7d6b", "#b8bec7", "#d1495b", "#1d2733", "#dfe3e8"


@dataclass(frozen=True, eq=False)
class Explored:
    """Nodes that a search judged.

    Parameters
    ----------
    nodes : ndarray of float, shape (m, 3)
        Height, loss, and 1 within the limit of suppression, else 0.
    seen : int
        Nodes judged in all.
    every : int
        Of so many, one was kept.
    """

    nodes: NDArray[np.float64]
    seen: int
    every: int

    @classmethod
    def kept_in(cls, memory: Mapping[str, NDArray[Any]]) -> "Explored":
        """Return what a population's memory tells; nothing where there is none."""
        if "explored" not in memory:
            return cls(np.empty((0, 3)), 0, 1)
        return cls(memory["explored"], *memory["explored_of"].tolist())

    def memory(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that `kept_in` reads."""
        return {"explored": self.nodes, "explored_of": np.array([self.seen, self.every])}

    def joined(self, evaluated: Sequence[Individual]) -> "Explored":
        """Return these nodes and further ones, thinned out where they are too many."""
        first = -self.seen % self.every
        rows = [_row(one) for one in evaluated[first :: self.every]]
        nodes, every = np.concatenate([self.nodes, np.array(rows).reshape(-1, 3)]), self.every
        while len(nodes) > KEPT:
            nodes, every = nodes[::2], 2 * every
        return Explored(nodes, self.seen + len(evaluated), every)


def _row(one: Individual) -> tuple[float, float, float]:
    violation = one.scores["violation"]
    loss = one.objectives[0] - (one.scores["penalty"] if violation else 0.0)
    return float(np.sum(one.genome)), loss, float(violation == 0.0)


def explored_picture(explored: Explored, name: str, best: Individual, least: float | None) -> str:
    """Return the explored nodes as an SVG document: height across, loss upwards.

    Parameters
    ----------
    explored : Explored
        At least one node.
    name : str
        Of the loss.
    best : Individual
    least : float, optional
        A lower bound of the loss of all nodes within the limit.
    """
    height, loss, _ = _row(best)
    heights, losses = np.append(explored.nodes[:, 0], height), np.append(explored.nodes[:, 1], loss)
    low, high = float(min(losses.min(), losses.min() if least is None else least)), float(losses.max())
    high += (high - low or abs(high) or 1.0) * 0.04
    right = _WIDTH - _RIGHT
    span = max(float(heights.max() - heights.min()), 1.0)

    def x(value: float) -> float:
        return round(_LEFT + 12 + (right - _LEFT - 24) * (value - float(heights.min())) / span, 1)

    def y(value: float) -> float:
        return round(_HEIGHT - _BELOW - (_HEIGHT - _BELOW - _ABOVE) * (value - low) / (high - low), 1)

    box = f'width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="sans-serif" font-size="12" fill="{_INK}">']
    for tick in ticks(low, high):
        parts.append(f'<line x1="{_LEFT}" x2="{right}" y1="{y(tick)}" y2="{y(tick)}" stroke="{_GRID}"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y(tick) + 4}" text-anchor="end">{tick:g}</text>')
    for tick in sorted({round(tick) for tick in ticks(float(heights.min()), float(heights.max()))}):
        parts.append(f'<text x="{x(tick)}" y="{_HEIGHT - _BELOW + 18}" text-anchor="middle">{tick}</text>')
    # Points in one place are drawn once; those within the limit above the others.
    places = {(x(h), y(v), w) for h, v, w in explored.nodes.tolist()}
    for across, up, within in sorted(places, key=lambda place: (place[2], place)):
        colour = _WITHIN if within else _BEYOND
        parts.append(f'<circle cx="{across}" cy="{up}" r="2.5" fill="{colour}" fill-opacity="0.7"/>')
    if least is not None:
        parts.append(
            f'<line x1="{_LEFT}" x2="{right}" y1="{y(least)}" y2="{y(least)}" stroke="{_BEST}" stroke-dasharray="6 4"/>'
        )
    parts.append(f'<circle cx="{x(height)}" cy="{y(loss)}" r="6" fill="{_BEST}" stroke="{_INK}"/>')
    middle = (_LEFT + right) / 2
    parts.append(
        f'<text x="{middle}" y="{_HEIGHT - _BELOW + 38}" text-anchor="middle">height: sum of the levels</text>'
    )
    turned = f'transform="rotate(-90 18 {_HEIGHT / 2 - 30})"'
    parts.append(f'<text x="18" y="{_HEIGHT / 2 - 30}" text-anchor="middle" {turned}>{escape(name)}</text>')
    shown = f"{explored.seen} nodes judged" + (f", one of {explored.every} drawn" if explored.every > 1 else "")
    dashed = "" if least is None else "; dashed: no node within the limit loses less"
    legend = f"green: within the limit of suppression; grey: beyond it; red: the result{dashed}"
    for line, text in ((30, legend), (12, shown)):
        parts.append(f'<text x="{_LEFT}" y="{_HEIGHT - line}">{text}</text>')
    return "".join([*parts, "</svg>"])


def ticks(low: float, high: float) -> list[float]:
    """Return about five round numbers from `low` to `high`."""
    if high <= low:
        return [low]
    rough = (high - low) / 5
    unit = 10.0 ** floor(log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
    first = floor(low / step) + (low % step > 0)
    return [round(step * number, 10) for number in range(int(first), int(high / step) + 1)]
