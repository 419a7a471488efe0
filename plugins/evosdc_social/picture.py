"""Pictures of a protected graph: its groups and the edges between them, and what is still told along trees."""

from collections.abc import Mapping
from html import escape

import numpy as np
from numpy.typing import NDArray

from evosdc.table.table import Table
from evosdc_social.adjacency import NEIGHBOURS, neighbours_in
from evosdc_social.graph import Neighbours
from evosdc_social.space import SCALES, SemanticSpace, space_of
from evosdc_social.tree import Nodes, Tree

LEAST_DRAWN = 3
"""Users of a group, or below a label, that is drawn: smaller ones are nearly single records."""

_LABEL = 22
"""Characters of a label that there is room for."""

MOST_GROUPS, MOST_LINES, MOST_LABELS = 80, 400, 26
_SIZE, _RADIUS, _WIDTH, _ROW, _MARGIN = 860, 270, 1000, 46, 120
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#e69f00", "#56b4e9", "#cc79a7", "#8a6d3b", "#6b7785")
_INK, _LINE = "#1f2933", "#9aa5b1"


def pictures(original: Table, masked: Table) -> Mapping[str, str]:
    """Return the pictures of a graph by title; none of a file without neighbours.

    Parameters
    ----------
    original : Table
        The whole file.
    masked : Table
        The protected attributes.
    """
    if NEIGHBOURS not in original.schema:
        return {}
    judged = [a.name for a in masked.schema.attributes if a.scale in SCALES and original.schema[a.name].categorical]
    if not judged:
        return {}
    space = space_of(original.select(judged))
    leaves, nodes = space.nodes(original.select(judged)), space.nodes(masked.select(judged))
    drawn = {
        "Published groups of users, and the edges between them": group_picture(space, nodes, neighbours_in(original))
    }
    for v, tree in enumerate(space.trees):
        if tree.height > 1:
            title = f"{tree.name}: what is published along its tree"
            drawn[title] = tree_picture(tree, leaves[:, v], nodes[:, v])
    return drawn


def group_picture(space: SemanticSpace, nodes: Nodes, neighbours: Neighbours) -> str:
    """Return the users who publish the same as circles, and the edges between such groups as lines.

    Circles stand in the order of what they publish, their area is the number of users, and their colour the first
    attribute's highest label below the root. Only the largest groups and the strongest connections are drawn, no group
    of fewer than `LEAST_DRAWN` users, and no user.

    Parameters
    ----------
    space : SemanticSpace
    nodes : ndarray of int32, shape (n, V)
        What users publish.
    neighbours : Neighbours
    """
    profiles, of, counts = np.unique(nodes, axis=0, return_inverse=True, return_counts=True)
    of = of.reshape(-1)
    chosen = np.flatnonzero(counts >= LEAST_DRAWN)
    chosen = np.sort(chosen[np.argsort(-counts[chosen], kind="stable")][:MOST_GROUPS])
    place = np.full(len(profiles), -1)
    place[chosen] = np.arange(len(chosen))
    order = np.lexsort(
        [profiles[chosen][:, v] for v in range(profiles.shape[1] - 1, -1, -1)]
        + [_branch(space.trees[0], profiles[chosen, 0])]
    )
    angle = np.empty(len(chosen))
    angle[order] = 2 * np.pi * np.arange(len(chosen)) / max(len(chosen), 1)
    x, y = _SIZE / 2 + _RADIUS * np.cos(angle), _SIZE / 2 + _RADIUS * np.sin(angle)
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
    colours = _coloured(_branch(space.trees[0], profiles[:, 0]))
    labelled = set(np.argsort(-counts[chosen], kind="stable")[:MOST_LABELS].tolist())
    for position, group in enumerate(chosen.tolist()):
        label = ", ".join(_label(t, n) for t, n in zip(space.trees, profiles[group].tolist(), strict=True))
        radius = 3.0 + 17.0 * float(np.sqrt(counts[group] / counts.max()))
        parts.append(
            f'<circle cx="{x[position]:.1f}" cy="{y[position]:.1f}" r="{radius:.1f}" fill="{colours[group]}">'
            f"<title>{escape(label)}: {counts[group]} users</title></circle>"
        )
        if position in labelled:
            away, right = _RADIUS + radius + 8, np.cos(angle[position]) >= 0
            turn = np.degrees(angle[position]) + (0 if right else 180)
            u, w = _SIZE / 2 + away * np.cos(angle[position]), _SIZE / 2 + away * np.sin(angle[position])
            short = escape(label if len(label) <= _LABEL else f"{label[: _LABEL - 1]}\N{HORIZONTAL ELLIPSIS}")
            parts.append(
                f'<text x="{u:.1f}" y="{w:.1f}" transform="rotate({turn:.1f} {u:.1f} {w:.1f})" fill="{_INK}" '
                f'text-anchor="{"start" if right else "end"}" dominant-baseline="middle">{short}</text>'
            )
    left_out = len(profiles) - len(chosen)
    connections = f"the {MOST_LINES} strongest of {len(pairs)}" if len(pairs) > MOST_LINES else f"{len(pairs)}"
    told = f"{len(chosen)} groups of {int(counts[chosen].sum())} users, {connections} connections between them"
    told += f"; {left_out} smaller or further groups are not drawn" if left_out else ""
    cut = f"Labels stand at the {len(labelled)} largest groups and are cut after {_LABEL} characters; "
    lines = [f"{told}.", f"{cut}pointing at a circle shows all of it."]
    parts += [
        f'<text x="12" y="{_SIZE + 20 + 16 * place}" fill="{_INK}" font-size="12">{line}</text>'
        for place, line in enumerate(lines)
    ]
    branches = _branch(space.trees[0], profiles[:, 0])
    legend = {_label(space.trees[0], int(branches[group])): colours[group] for group in chosen.tolist()}
    keys, height = _legend(f"{space.trees[0].name}:", legend, _SIZE + 20 + 16 * len(lines))
    return "\n".join([_opened(_SIZE, height), *parts, *keys, "</svg>"])


def _legend(title: str, colours: Mapping[str, str], top: int) -> tuple[list[str], int]:
    """Return what each colour stands for, as far as there are colours, and where that ends."""
    shown = list(colours.items())[: len(_COLOURS)]
    parts, x, y = [f'<text x="12" y="{top}" fill="{_INK}" font-size="12">{escape(title)}</text>'], 20.0, top
    x += 7.0 * len(title)
    for label, colour in shown:
        short = label if len(label) <= _LABEL else f"{label[: _LABEL - 1]}\N{HORIZONTAL ELLIPSIS}"
        width = 26 + 6.6 * len(short)
        if x + width > _SIZE:
            x, y = 20.0, y + 16
        parts.append(
            f'<rect x="{x:.0f}" y="{y - 10}" width="11" height="11" fill="{colour}"/>'
            f'<text x="{x + 15:.0f}" y="{y}" fill="{_INK}" font-size="12">{escape(short)}</text>'
        )
        x += width
    if len(colours) > len(shown):
        y += 16
        more = f"{len(colours) - len(shown)} more have the same colours again."
        parts.append(f'<text x="12" y="{y}" fill="{_INK}" font-size="12">{more}</text>')
    return parts, y + 12


def tree_picture(tree: Tree, leaves: Nodes, nodes: Nodes) -> str:
    """Return a tree as an icicle: its width are users, its colour how many of them still publish a label or a finer.

    The lowest row is that above the categories, which are values of records; labels with fewer than `LEAST_DRAWN` users
    are put together.

    Parameters
    ----------
    tree : Tree
    leaves, nodes : ndarray of int32, shape (n,)
        What users have, and what they publish.
    """
    n, height = len(leaves), tree.height
    up = tree.up[leaves]
    order = np.lexsort([up[:, level] for level in range(1, height + 1)])
    parts = [_opened(_WIDTH + _MARGIN, height * _ROW + 46)]
    hierarchy = tree.attribute.hierarchy
    names = hierarchy.names if hierarchy is not None else ()
    for level in range(height, 0, -1):
        row = height - level
        at = up[order, level]
        told = (tree.up[nodes[order], level] == at) & (tree.level[nodes[order]] <= level)
        begins = np.flatnonzero(np.diff(at, prepend=-9))
        ends = np.append(begins[1:], n)
        small: list[tuple[int, int]] = []
        for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
            if end - begin < LEAST_DRAWN:
                small.append((begin, end))
                continue
            share = float(told[begin:end].mean())
            parts += _box(begin / n, end / n, row, share, _label(tree, int(at[begin])), end - begin)
        parts += [_plain_box(begin / n, end / n, row) for begin, end in small]
        if level < len(names):
            parts.append(
                f'<text x="{_WIDTH + 8}" y="{row * _ROW + _ROW // 2 + 3}" fill="{_INK}" font-size="12">'
                f"{escape(names[level])}</text>"
            )
    finest = float((nodes == leaves).mean())
    legend = "Dark: users below a label of whom the published value tells it, or more. "
    legend += f"{finest:.0%} publish their own value."
    parts.append(f'<text x="6" y="{height * _ROW + 26}" fill="{_INK}" font-size="12">{legend}</text></svg>')
    return "\n".join(parts)


def _opened(width: int, height: int) -> str:
    box = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="sans-serif" font-size="10">'


def _box(begin: float, end: float, row: int, share: float, label: str, users: int) -> list[str]:
    x, width = begin * _WIDTH, (end - begin) * _WIDTH
    shade = f"rgb({round(226 - 226 * share)},{round(232 - 118 * share)},{round(240 - 62 * share)})"
    text = escape(label)
    box = (
        f'<rect x="{x:.1f}" y="{row * _ROW}" width="{max(width - 0.6, 0.4):.1f}" height="{_ROW - 2}" fill="{shade}">'
        f"<title>{text}: {users} users, {share:.0%} told</title></rect>"
    )
    room = int(width / 6)
    if room < 4:
        return [box]
    short = text if len(label) <= room else f"{escape(label[: room - 1])}\N{HORIZONTAL ELLIPSIS}"
    ink = "#ffffff" if share > 0.55 else _INK
    return [box, f'<text x="{x + 4:.1f}" y="{row * _ROW + _ROW // 2 + 3}" fill="{ink}">{short}</text>']


def _plain_box(begin: float, end: float, row: int) -> str:
    width = max((end - begin) * _WIDTH - 0.2, 0.3)
    return f'<rect x="{begin * _WIDTH:.1f}" y="{row * _ROW}" width="{width:.1f}" height="{_ROW - 2}" fill="#eef1f4"/>'


def _branch(tree: Tree, nodes: Nodes) -> NDArray[np.int64]:
    """Return the highest label below the root that stands above nodes; the root for the root itself."""
    below = tree.up[nodes, max(tree.height - 1, 0)]
    found: NDArray[np.int64] = np.where(below < 0, tree.root, below).astype(np.int64)
    return found


def _coloured(branches: NDArray[np.int64]) -> list[str]:
    _, number = np.unique(branches, return_inverse=True)
    return [_COLOURS[place % len(_COLOURS)] for place in number.reshape(-1).tolist()]


def _label(tree: Tree, node: int) -> str:
    return "missing" if node == len(tree.labels) else tree.labels[node]
