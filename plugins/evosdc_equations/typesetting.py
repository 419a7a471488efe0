"""Equations as SVG pictures: typeset as people write them, and as the tree that was evolved."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from evosdc.randomisation.equations.equation import CONSTANT, SYMBOLS, Equation
from evosdc.randomisation.equations.infix import numeral

MOST_NODES = 150  # larger equations are no help to anyone as a picture

_SIZE = 20.0
_INK = "#1f2933"
_AXIS = 0.27 * _SIZE  # height of a fraction's line over the baseline
_ATOM, _SIGN, _PRODUCT, _SUM = 4, 3, 2, 1


@dataclass(frozen=True)
class Box:
    """A piece of a formula: its size around the baseline, strokes of its own, and pieces at offsets within it."""

    width: float
    ascent: float
    descent: float
    strokes: tuple[str, ...] = ()
    parts: "tuple[tuple[float, float, Box], ...]" = ()


def typeset(equation: Equation, target: str = "p") -> str:
    """Return an SVG document of an equation for a cell's `target`: p for a probability, w for a weight."""
    box = equation.fold(
        lambda token, number: (_leaf(token, number), _ATOM if number >= 0 else _SIGN),
        lambda token, operands: _node(SYMBOLS[token].name, operands),
    )[0]
    box = _row([_text(target), _subscript("kl"), _text(" \N{LEFTWARDS ARROW} ", False), box])
    margin = 6.0
    width, height = box.width + 2 * margin, box.ascent + box.descent + 2 * margin
    drawn: list[str] = []
    pending = [(margin, margin + box.ascent, box)]
    while pending:
        x, y, piece = pending.pop()
        if piece.strokes:
            drawn.append(f'<g transform="translate({x:.1f} {y:.1f})">{"".join(piece.strokes)}</g>')
        pending += [(x + dx, y + dy, part) for dx, dy, part in piece.parts]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.1f} {height:.1f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" font-family="STIX Two Text, Cambria, Georgia, serif" fill="{_INK}">'
        f"{''.join(drawn)}</svg>"
    )


def _leaf(token: int, number: float) -> Box:
    if token == CONSTANT:
        return _text(numeral(number).replace("-", "\N{MINUS SIGN}"), False)
    base, _, below = SYMBOLS[token].latex.partition("_")
    below = below.strip("{}").lstrip("\\")
    return _row([_text(base), _subscript(below, len(below) < 3)]) if below else _text(base)


def _node(name: str, operands: Sequence[tuple[Box, int]]) -> tuple[Box, int]:
    boxes = [box for box, _ in operands]
    if name == "/":
        return _fraction(*boxes), _ATOM
    if name == "if_less":
        return _cases(*boxes), _ATOM
    if name == "abs":
        return _barred(boxes[0]), _ATOM
    if name == "sqrt":
        return _root(_barred(boxes[0])), _ATOM
    if name == "log":
        inside = _row([_text("1 + ", False), _barred(boxes[0])])
        return _row([_text("ln ", False), _bracketed(inside)]), _ATOM
    if name in ("min", "max"):
        return _row([_text(name, False), _bracketed(_row([boxes[0], _text(", ", False), boxes[1]]))]), _ATOM
    if name == "neg":
        inner = boxes[0] if operands[0][1] >= _ATOM else _bracketed(boxes[0])
        return _row([_text("\N{MINUS SIGN}", False), inner]), _SIGN
    own = _PRODUCT if name == "*" else _SUM
    sign = {"*": " \N{MIDDLE DOT} ", "-": " \N{MINUS SIGN} ", "+": " + "}[name]
    left = boxes[0] if operands[0][1] >= own else _bracketed(boxes[0])
    right = boxes[1] if operands[1][1] > own else _bracketed(boxes[1])
    return _row([left, _text(sign, False), right]), own


def _text(text: str, italic: bool = True, size: float = _SIZE) -> Box:
    width = (
        sum(0.28 if c in " .,iltj|" else 0.72 if c in "NT+\N{MINUS SIGN}\N{LEFTWARDS ARROW}" else 0.52 for c in text)
        * size
    )
    style = ' font-style="italic"' if italic else ""
    # The length is fixed, so that the picture fits together whatever font is at hand.
    stroke = (
        f'<text font-size="{size:.1f}"{style} textLength="{width:.1f}" lengthAdjust="spacingAndGlyphs" '
        f'xml:space="preserve">{escape(text)}</text>'
    )
    return Box(width, 0.75 * size, 0.25 * size, (stroke,))


def _subscript(text: str, italic: bool = True) -> Box:
    inner = _text(text, italic, 0.68 * _SIZE)
    drop = 0.22 * _SIZE
    return Box(inner.width, 0.0, inner.descent + drop, parts=((0.0, drop, inner),))


def _row(boxes: Sequence[Box]) -> Box:
    parts, x = [], 0.0
    for box in boxes:
        parts.append((x, 0.0, box))
        x += box.width
    return Box(x, max(b.ascent for b in boxes), max(b.descent for b in boxes), parts=tuple(parts))


def _fraction(above: Box, below: Box) -> Box:
    width, gap = max(above.width, below.width) + 8.0, 4.0
    up, down = -_AXIS - gap - above.descent, -_AXIS + gap + below.ascent
    parts = (((width - above.width) / 2, up, above), ((width - below.width) / 2, down, below))
    line = _line(1.0, -_AXIS, width - 1.0, -_AXIS)
    return Box(width + 2.0, above.ascent - up, down + below.descent, (line,), parts)


def _barred(inner: Box) -> Box:
    top, bottom, x = -inner.ascent, inner.descent, 5.0
    lines = (_line(2.5, top, 2.5, bottom), _line(inner.width + 7.5, top, inner.width + 7.5, bottom))
    return Box(inner.width + 10.0, inner.ascent, inner.descent, lines, ((x, 0.0, inner),))


def _bracketed(inner: Box) -> Box:
    top, bottom, end = -inner.ascent, inner.descent, inner.width + 12.0
    curves = (
        _path(f"M6 {top:.1f} Q0 {(top + bottom) / 2:.1f} 6 {bottom:.1f}"),
        _path(f"M{end - 5:.1f} {top:.1f} Q{end + 1:.1f} {(top + bottom) / 2:.1f} {end - 5:.1f} {bottom:.1f}"),
    )
    return Box(end + 1.0, inner.ascent, inner.descent, curves, ((7.0, 0.0, inner),))


def _root(inner: Box) -> Box:
    top, bottom, start = -inner.ascent - 4.0, inner.descent, 12.0
    shape = (
        f"M1 {bottom - 9:.1f} L4 {bottom - 11:.1f} L8 {bottom:.1f} L{start:.1f} {top:.1f} H{start + inner.width:.1f}"
    )
    return Box(start + inner.width + 2.0, inner.ascent + 6.0, inner.descent, (_path(shape),), ((start, 0.0, inner),))


def _cases(x: Box, y: Box, u: Box, v: Box) -> Box:
    first = _row([u, _text("  if ", False), x, _text(" < ", False), y])
    second = _row([v, _text("  otherwise", False)])
    gap, inset = 8.0, 14.0
    up, down = -_AXIS - gap / 2 - first.descent, -_AXIS + gap / 2 + second.ascent
    top, bottom = up - first.ascent, down + second.descent
    middle = (top + bottom) / 2
    brace = (
        f"M11 {top:.1f} Q6 {top:.1f} 6 {top + 7:.1f} L6 {middle - 5:.1f} Q6 {middle:.1f} 2 {middle:.1f} "
        f"Q6 {middle:.1f} 6 {middle + 5:.1f} L6 {bottom - 7:.1f} Q6 {bottom:.1f} 11 {bottom:.1f}"
    )
    parts = ((inset, up, first), (inset, down, second))
    return Box(inset + max(first.width, second.width) + 2.0, -top, bottom, (_path(brace),), parts)


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return _path(f"M{x1:.1f} {y1:.1f} L{x2:.1f} {y2:.1f}")


def _path(shape: str) -> str:
    return f'<path d="{shape}" fill="none" stroke="{_INK}" stroke-width="1.3"/>'


_WIDTH, _HEIGHT, _NODE = 58.0, 56.0, 26.0
_FUNCTION_FILL, _TERMINAL_FILL, _EDGE = "#d6e6f5", "#f4f1e6", "#8a949e"

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
        _tree_node(label, x, y, number in functions)
        for number, (label, x, y) in enumerate(zip(labels, positions, heights, strict=True))
    ]
    width, height = leaves * _WIDTH, (max(depths) + 1) * _HEIGHT
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" font-family="sans-serif" font-size="13" text-anchor="middle">'
        f"{''.join(lines)}{''.join(nodes)}</svg>"
    )


def _tree_node(label: str, x: float, y: float, function: bool) -> str:
    width = max(_NODE, 8.0 * len(label) + 8.0)
    fill, radius = (_FUNCTION_FILL, 3.0) if function else (_TERMINAL_FILL, _NODE / 2)
    return (
        f'<rect x="{x - width / 2:.1f}" y="{y - _NODE / 2:.1f}" width="{width:.1f}" height="{_NODE:.0f}" '
        f'rx="{radius:.0f}" fill="{fill}" stroke="{_EDGE}"/>'
        f'<text x="{x:.1f}" y="{y + 4.5:.1f}" fill="{_INK}">{escape(label)}</text>'
    )
