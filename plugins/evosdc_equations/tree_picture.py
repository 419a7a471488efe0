"""The tree of an equation as an SVG picture."""

from collections.abc import Sequence
from html import escape

from evosdc.randomisation.equations.equation import CONSTANT, SYMBOLS, Equation
from evosdc.randomisation.equations.infix import numeral

_WIDTH, _HEIGHT, _NODE = 58.0, 56.0, 26.0
_FUNCTION_FILL, _TERMINAL_FILL, _INK, _EDGE = "#d6e6f5", "#f4f1e6", "#1f2933", "#8a949e"

Placed = tuple[float, int]  # where the root of a subtree stands: x, and the number of its node


def tree_picture(equation: Equation) -> str:
    """Return an SVG document: functions in boxes, terminals in rounded ones, operands from left to right."""
    labels: list[str] = []
    positions: list[float] = []
    edges: list[tuple[int, int]] = []
    leaves = 0

    def leaf(token: int, number: float) -> Placed:
        nonlocal leaves
        leaves += 1
        labels.append(numeral(number) if token == CONSTANT else SYMBOLS[token].name)
        positions.append((leaves - 0.5) * _WIDTH)
        return positions[-1], len(labels) - 1

    def node(token: int, operands: Sequence[Placed]) -> Placed:
        labels.append(SYMBOLS[token].name)
        positions.append((operands[0][0] + operands[-1][0]) / 2)
        edges.extend((len(labels) - 1, child) for _, child in operands)
        return positions[-1], len(labels) - 1

    equation.fold(leaf, node)
    depths = [0] * len(labels)
    # Postorder: a parent comes after its children, so going backwards its own depth is known first.
    for parent, child in reversed(edges):
        depths[child] = depths[parent] + 1
    heights = [(depth + 0.5) * _HEIGHT for depth in depths]
    functions = {parent for parent, _ in edges}
    lines = [
        f'<path d="M{positions[a]:.1f} {heights[a]:.1f} L{positions[b]:.1f} {heights[b]:.1f}" stroke="{_EDGE}"/>'
        for a, b in edges
    ]
    nodes = [
        _node(label, x, y, number in functions)
        for number, (label, x, y) in enumerate(zip(labels, positions, heights, strict=True))
    ]
    width, height = leaves * _WIDTH, (max(depths) + 1) * _HEIGHT
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" font-family="sans-serif" font-size="13" text-anchor="middle">'
        f"{''.join(lines)}{''.join(nodes)}</svg>"
    )


def _node(label: str, x: float, y: float, function: bool) -> str:
    width = max(_NODE, 8.0 * len(label) + 8.0)
    fill, radius = (_FUNCTION_FILL, 3.0) if function else (_TERMINAL_FILL, _NODE / 2)
    return (
        f'<rect x="{x - width / 2:.1f}" y="{y - _NODE / 2:.1f}" width="{width:.1f}" height="{_NODE:.0f}" '
        f'rx="{radius:.0f}" fill="{fill}" stroke="{_EDGE}"/>'
        f'<text x="{x:.1f}" y="{y + 4.5:.1f}" fill="{_INK}">{escape(label)}</text>'
    )
