"""The pictures of the study: SVG of the same bytes for the same figures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import matplotlib as mpl
import networkx as nx
import numpy as np
from graphs import StudyGraph
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from protections import DR, IL, LOSSES, RISKS, THESIS, Protection

from evosdc_social.graph import neighbours_in

COLOURS = {
    "mdav": "#0072b2", "k-member": "#56b4e9", "mondrian": "#e69f00", "level-filling": "#009e73", "evolved": "#d55e00"
}  # fmt: skip
MARKS = {"mdav": "o", "k-member": "s", "mondrian": "^", "level-filling": "D", "evolved": "*"}

# Set for all pictures at once: a script of its own, nobody else's figures are drawn beside.
mpl.rcParams.update(
    {
        "svg.hashsalt": "evosdc", "svg.fonttype": "none", "font.size": 9.5, "axes.spines.top": False,
        "axes.spines.right": False, "axes.grid": True, "grid.color": "#e6eaee", "axes.axisbelow": True,
        "axes.titlesize": 10, "axes.titlelocation": "left", "legend.frameon": False,
    }
)  # fmt: skip


SHADES = ("#0072b2", "#d55e00", "#e69f00", "#009e73", "#cc79a7")
"""Colours of the most frequent values in a layout; others are grey."""

MOST_EDGES = 1500
"""Edges of a layout that are drawn, at even steps of their order: more are a black spot."""


def layout(graph: StudyGraph, path: Path) -> None:
    """Draw the users and edges of a graph where forces put them, with the colours of an attribute's values."""
    table = graph.table()
    edges = neighbours_in(table)
    pairs = [(u, v) for u, v in zip(edges.users.tolist(), edges.ends.tolist(), strict=True) if u < v]
    drawn = nx.Graph(pairs)
    drawn.add_nodes_from(range(len(table)))
    at = nx.spring_layout(drawn, seed=1, iterations=100)
    figure = Figure(figsize=(7.5, 6), layout="constrained")
    axes = figure.subplots()
    lines = pairs[:: -(-len(pairs) // MOST_EDGES)]
    # One path with gaps: a path for each edge makes the file four times as large.
    gaps = np.array([[at[u], at[v], (np.nan, np.nan)] for u, v in lines]).reshape(-1, 2)
    axes.plot(gaps[:, 0], gaps[:, 1], color="#9aa5b1", linewidth=0.5, alpha=0.6)
    labels, codes = table.schema[graph.coloured].categories, table.column(graph.coloured).tolist()
    often = [code for code, _ in Counter(codes).most_common(len(SHADES))]
    for place, code in enumerate([*often, None]):
        own = [user for user, other in enumerate(codes) if (other == code if code is not None else other not in often)]
        if own:
            colour, label = (SHADES[place], labels[code]) if code is not None else ("#6b7785", "others")
            x, y = zip(*(at[user] for user in own), strict=True)
            axes.plot(x, y, "o", color=colour, markersize=4, label=f"{label} ({len(own)})")
    axes.set(title=f"{len(table)} users, {len(lines)} of {len(pairs)} pairs with edges")
    axes.set_axis_off()
    axes.legend(title=graph.coloured, fontsize=8)
    _written(figure, path)


def losses(found: Sequence[Protection], path: Path) -> None:
    """Draw each loss and their average by k."""
    _by_k(found, (*LOSSES, IL), path)


def risks(found: Sequence[Protection], path: Path) -> None:
    """Draw the risks by k."""
    _by_k(found, RISKS, path)


def dispersion(rows: Sequence[Sequence[object]], found: Sequence[Protection], path: Path) -> None:
    """Draw masked microdata beside groups in the plane of average loss and semantic risk."""
    figure = Figure(figsize=(7.5, 4.5), layout="constrained")
    axes = figure.subplots()
    for method in dict.fromkeys(str(row[0]) for row in rows):
        own = [row for row in rows if row[0] == method]
        axes.plot([row[-2] for row in own], [row[-1] for row in own], "x", label=f"microdata: {method}", markersize=6)
    for way in (THESIS, "evolved"):
        of_way = sorted((one for one in found if one.way == way), key=lambda one: one.k)
        _line(axes, [one.figures[IL] for one in of_way], [one.figures[DR] for one in of_way], way, f"groups: {way}")
    axes.set(xlabel="average semantic loss, per cent", ylabel="semantic-dr, per cent")
    axes.legend(fontsize=8, ncols=2)
    _written(figure, path)


def _by_k(found: Sequence[Protection], names: Sequence[str], path: Path) -> None:
    figure = Figure(figsize=(3.6 * len(names), 3.4), layout="constrained")
    panels = list(figure.subplots(1, len(names), squeeze=False).flat)
    for axes, name in zip(panels, names, strict=True):
        for way in dict.fromkeys(one.way for one in found):
            of_way = sorted((one for one in found if one.way == way), key=lambda one: one.k)
            _line(axes, [one.k for one in of_way], [one.figures[name] for one in of_way], way)
        axes.set(title="average semantic loss" if name == IL else name, xlabel="k", ylabel="per cent", ylim=(0, None))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    panels[0].legend(fontsize=8)
    _written(figure, path)


def _line(axes: Axes, x: Sequence[float], y: Sequence[float], way: str, label: str = "") -> None:
    axes.plot(x, y, color=COLOURS[way], marker=MARKS[way], markersize=4, linewidth=1, label=label or way)


def _written(figure: Figure, path: Path) -> None:
    drawn = StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    path.write_text(re.sub(r"(\.\d\d)\d+", r"\1", drawn.getvalue()), encoding="utf-8")
