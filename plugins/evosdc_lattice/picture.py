"""A picture of a small lattice: visited nodes, those within the limit, and the optimal ones; and the class sizes."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc_lattice.lattice import Lattice
from evosdc_lattice.space import Levels, exhaustive_nodes

PICTURED = 400
"""Nodes of a lattice that is still drawn."""

_WIDTH, _ROW, _MARGIN = 1100, 64, 36
_CHART, _SIDE, _BAR = 640, 120, 24
_COLOURS = {"optimal": "#d1495b", "safe": "#2e7d6b", "unsafe": "#b8bec7"}


def lattice_picture(lattice: Lattice, visited: NDArray[Any], optima: Sequence[Levels]) -> str:
    """Return the lattice as an SVG document, the lowest node at the bottom.

    Parameters
    ----------
    lattice : Lattice
        Of at most `PICTURED` nodes; all of them are judged for the picture.
    visited : ndarray, shape (m, V)
        Nodes that the search judged.
    optima : sequence of Levels
    """
    nodes = list(exhaustive_nodes(lattice.space))
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
    box = f'width="{_WIDTH}" height="{total}" viewBox="0 0 {_WIDTH} {total}"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="sans-serif" font-size="10">']
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


def size_histogram(sizes: Mapping[str, Any]) -> str:
    """Return how many classes there are of which size as an SVG document.

    Parameters
    ----------
    sizes : mapping
        As `evosdc_lattice.publication.class_sizes` returns it.
    """
    bars = sizes["histogram"]
    greatest = max(bars.values(), default=1)
    height = 2 * _MARGIN + _BAR * len(bars)
    box = f'width="{_CHART}" height="{height}" viewBox="0 0 {_CHART} {height}"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="sans-serif" font-size="12" fill="#1d2733">']
    text = (
        f"{sizes['count']} classes of {sizes['least']} to {sizes['greatest']} records, {sizes['mean']:.1f} on average"
    )
    parts.append(f'<text x="{_SIDE}" y="{_MARGIN - 14}">{text}</text>')
    for position, (span, count) in enumerate(bars.items()):
        y = _MARGIN + position * _BAR
        width = round((_CHART - _SIDE - 80) * count / greatest, 1)
        parts.append(f'<text x="{_SIDE - 8}" y="{y + 15}" text-anchor="end">{escape(span)}</text>')
        parts.append(f'<rect x="{_SIDE}" y="{y + 2}" width="{width}" height="{_BAR - 6}" fill="{_COLOURS["safe"]}"/>')
        parts.append(f'<text x="{_SIDE + width + 6}" y="{y + 15}">{count}</text>')
    parts.append(f'<text x="{_SIDE}" y="{height - 12}">classes, by their number of records</text>')
    return "".join([*parts, "</svg>"])
