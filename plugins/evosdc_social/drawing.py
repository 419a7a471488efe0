"""Pictures of a protected graph: its groups and the edges between them, and what is still published along trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evosdc.table.table import Table
from evosdc_social.graph import NEIGHBOURS, Neighbours, neighbours_in

if TYPE_CHECKING:
    from evosdc_social.space import Nodes, SemanticSpace, Tree

LEAST_DRAWN = 3  # users of a group, or below a label, that is drawn: smaller ones are nearly single records
INK = "#1f2933"
LETTER = 6.6  # width of a letter of the usual size, 12


def opened(width: int, height: int) -> str:
    """Return the beginning of a picture."""
    box = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="sans-serif" font-size="12">'


def written(x: float, y: float, text: str, ink: str = INK, anchor: str = "start") -> str:
    """Return a line of text."""
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{ink}" text-anchor="{anchor}">{escape(text)}</text>'


def shortened(text: str, letters: int) -> str:
    """Return a text of at most `letters` letters."""
    return text if len(text) <= letters else f"{text[: max(letters - 1, 0)]}\N{HORIZONTAL ELLIPSIS}"


def label_of(tree: Tree, node: int) -> str:
    """Return what a node is called."""
    return "missing" if node == len(tree.labels) else tree.labels[node]


MOST_GROUPS, MOST_LINES = 80, 400
_SIZE, _RADIUS, _CENTRE, _LINE_HEIGHT = 860, 270, 325, 17
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#e69f00", "#56b4e9", "#cc79a7", "#8a6d3b", "#6b7785")
_LINE = "#9aa5b1"


def group_pictures(space: SemanticSpace, nodes: Nodes, neighbours: Neighbours) -> tuple[str, str]:
    """Return users who publish the same as circles, the edges between such groups as lines, and a list of groups."""
    # A circle's area is the number of users, and its colour the first attribute's highest label below the root. Only
    # the largest groups and the strongest connections are drawn, no group of fewer than `LEAST_DRAWN` users, and no
    # user.
    profiles, of, counts = np.unique(nodes, axis=0, return_inverse=True, return_counts=True)
    of = of.reshape(-1)
    chosen = np.flatnonzero(counts >= LEAST_DRAWN)
    chosen = chosen[np.argsort(-counts[chosen], kind="stable")][:MOST_GROUPS]
    # The highest label below the root that is above a node; the root for the root itself.
    tree = space.trees[0]
    below = tree.up[profiles[:, 0], max(tree.height - 1, 0)]
    branches = np.where(below < 0, tree.root, below).astype(np.int64)
    chosen = chosen[np.lexsort(np.column_stack([profiles[chosen][:, ::-1], branches[chosen]]).T)]
    place = np.full(len(profiles), -1)
    place[chosen] = np.arange(len(chosen))
    angle = 2 * np.pi * np.arange(len(chosen)) / max(len(chosen), 1) - np.pi / 2
    x, y = _SIZE / 2 + _RADIUS * np.cos(angle), _CENTRE + _RADIUS * np.sin(angle)
    ends = np.stack([place[of[neighbours.users]], place[of[neighbours.ends]]], axis=1)
    ends = ends[(ends >= 0).all(axis=1) & (ends[:, 0] < ends[:, 1])]
    pairs, edges = np.unique(ends, axis=0, return_counts=True) if len(ends) else (ends, np.empty(0, np.int64))
    strongest = np.argsort(-edges, kind="stable")[:MOST_LINES]
    parts = list[str]()
    for line in strongest[::-1].tolist():
        one, other = pairs[line].tolist()
        width = 0.3 + 3.2 * edges[line] / edges.max()
        parts.append(
            f'<line x1="{x[one]:.1f}" y1="{y[one]:.1f}" x2="{x[other]:.1f}" y2="{y[other]:.1f}" stroke="{_LINE}" '
            f'stroke-width="{width:.2f}" stroke-opacity="0.45"/>'
        )
    numbers = np.unique(branches, return_inverse=True)[1].reshape(-1)
    colours = [_COLOURS[place % len(_COLOURS)] for place in numbers.tolist()]
    for position, group in enumerate(chosen.tolist()):
        radius = 3.0 + 15.0 * float(np.sqrt(counts[group] / counts[chosen].max()))
        away = _RADIUS + radius + 12
        u, w = _SIZE / 2 + away * np.cos(angle[position]), _CENTRE + away * np.sin(angle[position]) + 4
        parts.append(
            f'<circle cx="{x[position]:.1f}" cy="{y[position]:.1f}" r="{radius:.1f}" fill="{colours[group]}"/>'
        )
        parts.append(written(u, w, str(position + 1), anchor="middle"))
    lines = _description(len(profiles), counts[chosen], len(pairs), edges)
    top = 2 * _CENTRE + 10
    parts += [written(12, top + _LINE_HEIGHT * row, line) for row, line in enumerate(lines)]
    top += _LINE_HEIGHT * len(lines)
    shown = dict.fromkeys((label_of(tree, int(branches[group])), colours[group]) for group in chosen.tolist())
    keys, top = _legend(f"Colours, {tree.name}:", list(shown), top)
    graph = [opened(_SIZE, top + 12), *parts, *keys, "</svg>"]
    return "\n".join(graph), _listing(space, profiles[chosen], counts[chosen])


def _description(groups: int, sizes: NDArray[np.int64], pairs: int, edges: NDArray[np.int64]) -> list[str]:
    """Return a description of the drawing, in lines."""
    connections = f"the {MOST_LINES} strongest of {pairs}" if pairs > MOST_LINES else f"{pairs}"
    lines = [f"{len(sizes)} groups of {int(sizes.sum())} users, {connections} connections between them."]
    if len(sizes):
        lines.append(f"A circle is a group of users who publish the same; the largest has {int(sizes.max())}.")
    if pairs:
        lines.append(f"A line stands for all edges between two groups; the thickest for {int(edges.max())}.")
    if groups > len(sizes):
        lines.append(f"{groups - len(sizes)} smaller or further groups are not drawn.")
    return lines


def _listing(space: SemanticSpace, profiles: Nodes, sizes: NDArray[np.int64]) -> str:
    """Return what each group publishes, in two columns."""
    top = _LINE_HEIGHT
    names = ", ".join(tree.name for tree in space.trees)
    parts = [written(12, top, shortened(f"Number: {names} (users); * is not published", int(_SIZE / LETTER)))]
    rows, room = -(-len(profiles) // 2), int((_SIZE / 2 - 24) / LETTER)
    for position, profile in enumerate(profiles.tolist()):
        label = ", ".join(label_of(t, n) for t, n in zip(space.trees, profile, strict=True))
        number, users = f"{position + 1}: ", f" ({sizes[position]})"
        text = f"{number}{shortened(label, room - len(number) - len(users))}{users}"
        column, row = divmod(position, rows)
        parts.append(written(12 + column * _SIZE / 2, top + _LINE_HEIGHT * (row + 1), text))
    return "\n".join([opened(_SIZE, top + _LINE_HEIGHT * rows + 12), *parts, "</svg>"])


def _legend(title: str, colours: Sequence[tuple[str, str]], top: int) -> tuple[list[str], int]:
    """Return what each colour represents, as far as there are colours, and where that ends."""
    shown = colours[: len(_COLOURS)]
    parts, x, y = [written(12, top, title)], 20.0 + LETTER * len(title), top
    for label, colour in shown:
        short = shortened(label, 30)
        width = 26 + LETTER * len(short)
        if x + width > _SIZE:
            x, y = 20.0, y + _LINE_HEIGHT
        parts.append(f'<rect x="{x:.0f}" y="{y - 10}" width="11" height="11" fill="{colour}"/>')
        parts.append(written(x + 15, y, short, INK))
        x += width
    if len(colours) > len(shown):
        y += _LINE_HEIGHT
        parts.append(written(12, y, f"{len(colours) - len(shown)} more have the same colours again."))
    return parts, y


_WIDTH, _MARGIN, _ROW = 860, 110, 40
_STEPS = (0.0, 0.25, 0.5, 0.75, 1.0)


def tree_picture(tree: Tree, leaves: Nodes, nodes: Nodes) -> str:
    """Return a tree as an icicle: its width are users, its colour how many of them still publish a label or a finer."""
    # The lowest row is that above the categories, which are values of records; labels with fewer than `LEAST_DRAWN`
    # users are put together.
    n, height = len(leaves), tree.height
    up = tree.up[leaves]
    order = np.lexsort([up[:, level] for level in range(1, height + 1)])
    hierarchy = tree.attribute.hierarchy
    names = hierarchy.names if hierarchy is not None else ()
    parts = [written(6, 16, f"all {n} users"), *_box(0.0, 1.0, 0, 1.0, tree.labels[tree.root])]
    for level in range(height - 1, 0, -1):
        row = height - level
        at = up[order, level]
        published = (tree.up[nodes[order], level] == at) & (tree.level[nodes[order]] <= level)
        begins = np.flatnonzero(np.diff(at, prepend=-9))
        for begin, end in zip(begins.tolist(), np.append(begins[1:], n).tolist(), strict=True):
            if end - begin < LEAST_DRAWN:
                size = f'width="{max((end - begin) / n * _WIDTH - 0.2, 0.3):.1f}" height="{_ROW - 2}"'
                frame = 'fill="#ffffff" stroke="#9aa5b1" stroke-width="0.4"'
                parts.append(f'<rect x="{begin / n * _WIDTH:.1f}" y="{_top(row)}" {size} {frame}/>')
            else:
                share = float(published[begin:end].mean())
                parts += _box(begin / n, end / n, row, share, label_of(tree, int(at[begin])))
        middle = _top(row) + _ROW // 2 + 3
        parts.append(
            written(_WIDTH + 8, middle, shortened(names[level] if level < len(names) else f"level {level}", 15))
        )
    whole = f"{(nodes == leaves).mean():.0%} of the users publish their own value, which is below the lowest row."
    below = _top(height) + 20
    parts += [*_scale(below), written(6, below + 20, f"The width of a box are its users. {whole}")]
    return "\n".join([opened(_WIDTH + _MARGIN, below + 34), *parts, "</svg>"])


def _scale(top: int) -> list[str]:
    """Return what shades represent."""
    title = "Users below a label who publish it, or a finer one:"
    parts, x = [written(6, top, title)], 20 + LETTER * len(title)
    for share in _STEPS:
        parts.append(f'<rect x="{x:.0f}" y="{top - 10}" width="11" height="11" fill="{_shade(share)}"/>')
        parts.append(written(x + 15, top, f"{share:.0%}"))
        x += 58
    parts.append(f'<rect x="{x:.0f}" y="{top - 10}" width="11" height="11" fill="#ffffff" stroke="#9aa5b1"/>')
    parts.append(written(x + 15, top, f"fewer than {LEAST_DRAWN} users"))
    return parts


def _top(row: int) -> int:
    return 24 + row * _ROW


def _shade(share: float) -> str:
    return f"rgb({round(226 - 226 * share)},{round(232 - 118 * share)},{round(240 - 62 * share)})"


def _box(begin: float, end: float, row: int, share: float, label: str) -> list[str]:
    x, width = begin * _WIDTH, (end - begin) * _WIDTH
    size = f'width="{max(width - 0.6, 0.4):.1f}" height="{_ROW - 2}"'
    box = f'<rect x="{x:.1f}" y="{_top(row)}" {size} fill="{_shade(share)}"/>'
    room = int((width - 8) / LETTER)
    if room < min(4, len(label)):
        return [box]
    ink = "#ffffff" if share > 0.55 else INK
    return [box, written(x + 4, _top(row) + _ROW // 2 + 3, shortened(label, room), ink)]


def pictures(original: Table, masked: Table) -> Mapping[str, str]:
    """Return the pictures of a graph by title; none of a file without neighbours."""
    if NEIGHBOURS not in original.schema:
        return {}
    # Late: most files have no neighbours, and a run requests the pictures of each.
    from evosdc_social.space import SCALES, space_of

    judged = [a.name for a in masked.schema.attributes if a.scale in SCALES and original.schema[a.name].categorical]
    if not judged:
        return {}
    space = space_of(original.select(judged))
    leaves, nodes = space.nodes(original.select(judged)), space.nodes(masked.select(judged))
    groups, listed = group_pictures(space, nodes, neighbours_in(original))
    drawn = {"Published groups of users, and the edges between them": groups, "What these groups publish": listed}
    for v, tree in enumerate(space.trees):
        if tree.height > 1:
            title = f"{tree.name}: what is published along its tree"
            drawn[title] = tree_picture(tree, leaves[:, v], nodes[:, v])
    return drawn
