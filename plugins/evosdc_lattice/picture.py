"""A picture of a small lattice: visited nodes, those within the limit, and the optimal ones."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc_lattice.lattice import Lattice
from evosdc_lattice.space import Levels, exhaustive_nodes

PICTURED = 400
"""Nodes of a lattice that is still drawn."""

_WIDTH, _ROW, _MARGIN = 1100, 64, 36
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
    total = 2 * _MARGIN + height * _ROW + 30
    box = f'viewBox="0 0 {_WIDTH} {total}"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="sans-serif" font-size="10">']
    for node in nodes:
        x, y = place[node.tobytes()]
        for above in lattice.steps(node, 1):
            u, v = place[above.tobytes()]
            parts.append(f'<line x1="{x}" y1="{y}" x2="{u}" y2="{v}" stroke="#dfe3e8" stroke-width="0.6"/>')
    labelled = len(nodes) <= 150
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
            text = "".join(map(str, node.tolist())) if node.max(initial=0) < 10 else " ".join(map(str, node.tolist()))
            parts.append(f'<text x="{x}" y="{y + 17}" text-anchor="middle" fill="#1d2733">{text}</text>')
    legend = "red: optimal; green: within the limit of suppression; grey: beyond it; ringed: judged by the search"
    names = escape(", ".join(lattice.names))
    parts.append(f'<text x="{_MARGIN}" y="{total - 12}" fill="#1d2733">{legend}; attributes: {names}</text>')
    return "".join([*parts, "</svg>"])
