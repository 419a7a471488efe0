"""Pictures of a lattice: all nodes where there are few, else explored ones by height and loss; and class sizes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import floor, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.model import Individual
from evosdc_lattice.lattice import Lattice
from evosdc_lattice.space import Levels, nodes_of

PICTURED = 400  # nodes of a lattice that is still drawn
_WIDTH, _ROW, _MARGIN = 1100, 64, 36
_CHART, _SIDE, _BAR = 640, 120, 24
_COLOURS = {"optimal": "#d1495b", "safe": "#2e7d6b", "unsafe": "#b8bec7"}


def lattice_picture(lattice: Lattice, visited: NDArray[Any], optima: Sequence[Levels]) -> str:
    """Return the lattice as an SVG document, the lowest node at the bottom."""
    nodes = nodes_of(lattice.space)
    height = int(lattice.space.top.sum())
    rows: dict[int, list[Levels]] = {}
    for node in nodes:
        rows.setdefault(int(node.sum()), []).append(node)
    place = {}
    for at, row in rows.items():
        for position, node in enumerate(row):
            x = _MARGIN + (_WIDTH - 2 * _MARGIN) * (position + 0.5) / len(row)
            place[node.tobytes()] = (round(x, 1), _MARGIN + (height - at) * _ROW)
    seen = {np.asarray(node, dtype=np.int16).tobytes() for node in visited}
    best = {node.tobytes() for node in optima}
    total = 2 * _MARGIN + height * _ROW + 46
    parts = [_opened(_WIDTH, total, 10)]
    for node in nodes:
        x, y = place[node.tobytes()]
        for above in lattice.steps(node, 1):
            u, v = place[above.tobytes()]
            parts.append(f'<line x1="{x}" y1="{y}" x2="{u}" y2="{v}" stroke="#dfe3e8" stroke-width="0.6"/>')
    # A digit is about 6 wide at this size of type; labels that would run into each other are left to the titles.
    wide = 6 * max(len(_label(node)) for node in nodes) + 6
    labelled = wide * max(map(len, rows.values())) <= _WIDTH - 2 * _MARGIN
    for node in nodes:
        x, y = place[node.tobytes()]
        key = node.tobytes()
        kind = "optimal" if key in best else "safe" if lattice.violation(node) == 0.0 else "unsafe"
        ring = "#1d2733" if key in seen else "none"
        levels = ", ".join(f"{name} {level}" for name, level in lattice.levels_of(node).items())
        title = f"{levels}: {lattice.evaluator.facts(node).suppressed} suppressed"
        parts.append(
            f'<circle cx="{x}" cy="{y}" r="6" fill="{_COLOURS[kind]}" stroke="{ring}" stroke-width="1.6">'
            f"<title>{escape(title)}</title></circle>"
        )
        if labelled:
            parts.append(f'<text x="{x}" y="{y + 17}" text-anchor="middle" fill="#1d2733">{_label(node)}</text>')
    legend = "red: optimal; green: within the limit of suppression; grey: beyond it; ringed: judged by the search"
    names = escape(", ".join(lattice.names))
    for line, text in ((28, legend), (12, f"attributes: {names}")):
        parts.append(f'<text x="{_MARGIN}" y="{total - line}" fill="#1d2733">{text}</text>')
    return "".join([*parts, "</svg>"])


def _label(node: Levels) -> str:
    return ("" if node.max(initial=0) < 10 else " ").join(map(str, node.tolist()))


def _opened(width: int, height: int, size: int) -> str:
    box = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="sans-serif" font-size="{size}" fill="{_INK}">'


def size_histogram(sizes: Mapping[str, Any]) -> str:
    """Return how many classes there are of which size as an SVG document."""
    bars = sizes["histogram"]
    greatest, height = max(bars.values(), default=1), 2 * _MARGIN + _BAR * len(bars)
    span = f"{sizes['least']} to {sizes['greatest']} records, {sizes['mean']:.1f} on average"
    parts = [
        _opened(_CHART, height, 12),
        f'<text x="{_SIDE}" y="{_MARGIN - 14}">{sizes["count"]} classes of {span}</text>',
    ]
    for position, (span, count) in enumerate(bars.items()):
        y = _MARGIN + position * _BAR
        width = round((_CHART - _SIDE - 80) * count / greatest, 1)
        parts.append(f'<text x="{_SIDE - 8}" y="{y + 15}" text-anchor="end">{escape(span)}</text>')
        parts.append(f'<rect x="{_SIDE}" y="{y + 2}" width="{width}" height="{_BAR - 6}" fill="{_COLOURS["safe"]}"/>')
        parts.append(f'<text x="{_SIDE + width + 6}" y="{y + 15}">{count}</text>')
    parts.append(f'<text x="{_SIDE}" y="{height - 12}">classes, by their number of records</text>')
    return "".join([*parts, "</svg>"])


KEPT = 4000  # nodes that are remembered; of more, every second, every fourth and so on in the order of the search
_EXPLORED_WIDTH, _HEIGHT, _LEFT, _RIGHT, _ABOVE, _BELOW = 900, 460, 90, 24, 20, 92
_WITHIN, _BEYOND, _BEST, _INK, _GRID = "#2e7d6b", "#b8bec7", "#d1495b", "#1d2733", "#dfe3e8"


@dataclass(frozen=True, eq=False)
class Explored:
    """Nodes that a search judged."""

    nodes: NDArray[np.float64]  # shape (m, 3); height, loss, and 1 within the limit of suppression, else 0
    seen: int  # nodes judged in all
    every: int  # one node in this many was kept

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
    """Return the explored nodes as an SVG document: height across, loss upwards."""
    height, loss, _ = _row(best)
    heights, losses = np.append(explored.nodes[:, 0], height), np.append(explored.nodes[:, 1], loss)
    low, high = float(min(losses.min(), losses.min() if least is None else least)), float(losses.max())
    high += (high - low or abs(high) or 1.0) * 0.04
    right = _EXPLORED_WIDTH - _RIGHT
    span = max(float(heights.max() - heights.min()), 1.0)

    def x(value: float) -> float:
        return round(_LEFT + 12 + (right - _LEFT - 24) * (value - float(heights.min())) / span, 1)

    def y(value: float) -> float:
        return round(_HEIGHT - _BELOW - (_HEIGHT - _BELOW - _ABOVE) * (value - low) / (high - low), 1)

    parts = [_opened(_EXPLORED_WIDTH, _HEIGHT, 12)]
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
