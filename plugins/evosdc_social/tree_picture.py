"""The picture of a tree, as an icicle: how far down it is still told where users are."""

import numpy as np

from evosdc_social.drawing import INK, LEAST_DRAWN, LETTER, label_of, opened, shortened, written
from evosdc_social.tree import Nodes, Tree

_WIDTH, _MARGIN, _ROW = 860, 110, 40
_STEPS = (0.0, 0.25, 0.5, 0.75, 1.0)


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
    hierarchy = tree.attribute.hierarchy
    names = hierarchy.names if hierarchy is not None else ()
    parts = [written(6, 16, f"all {n} users"), *_box(0.0, 1.0, 0, 1.0, tree.labels[tree.root])]
    for level in range(height - 1, 0, -1):
        row = height - level
        at = up[order, level]
        told = (tree.up[nodes[order], level] == at) & (tree.level[nodes[order]] <= level)
        begins = np.flatnonzero(np.diff(at, prepend=-9))
        for begin, end in zip(begins.tolist(), np.append(begins[1:], n).tolist(), strict=True):
            if end - begin < LEAST_DRAWN:
                parts.append(_plain_box(begin / n, end / n, row))
            else:
                share = float(told[begin:end].mean())
                parts += _box(begin / n, end / n, row, share, label_of(tree, int(at[begin])))
        middle = _top(row) + _ROW // 2 + 3
        parts.append(
            written(_WIDTH + 8, middle, shortened(names[level] if level < len(names) else f"level {level}", 15))
        )
    told_all = f"{(nodes == leaves).mean():.0%} of the users publish their own value, which is below the lowest row."
    below = _top(height) + 20
    parts += [*_scale(below), written(6, below + 20, f"The width of a box are its users. {told_all}")]
    return "\n".join([opened(_WIDTH + _MARGIN, below + 34), *parts, "</svg>"])


def _scale(top: int) -> list[str]:
    """Return what shades stand for."""
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


def _plain_box(begin: float, end: float, row: int) -> str:
    width = max((end - begin) * _WIDTH - 0.2, 0.3)
    size = f'width="{width:.1f}" height="{_ROW - 2}"'
    return f'<rect x="{begin * _WIDTH:.1f}" y="{_top(row)}" {size} fill="#ffffff" stroke="#9aa5b1" stroke-width="0.4"/>'
