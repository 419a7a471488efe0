"""The common look of the pictures: SVG of the same bytes for the same figures, small, legible without colours."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

BLUE, LIGHT_BLUE, VERMILION, ORANGE, GREEN = "#0072b2", "#56b4e9", "#d55e00", "#e69f00", "#009e73"
INK, GREY = "#1f2933", "#6b7785"

# Set for all pictures at once: a script of its own, nobody else's figures are drawn beside.
mpl.rcParams.update(
    {
        "svg.hashsalt": "evosdc", "svg.fonttype": "none", "font.size": 9.5, "axes.spines.top": False,
        "axes.spines.right": False, "axes.edgecolor": GREY, "axes.labelcolor": INK, "text.color": INK,
        "xtick.color": INK, "ytick.color": INK, "axes.grid": True, "grid.color": "#e6eaee", "axes.axisbelow": True,
        "axes.titlesize": 10, "axes.titlelocation": "left", "legend.frameon": False,
    }
)  # fmt: skip


def panels(rows: int, columns: int, size: tuple[float, float], *, shared: bool = False) -> tuple[Figure, list[Axes]]:
    """Return a figure and its panels, row by row; with `shared` axes of the same scale."""
    figure = Figure(figsize=size, layout="constrained")
    found = figure.subplots(rows, columns, squeeze=False, sharex=shared, sharey=shared)
    return figure, list(found.flat)


def written(figure: Figure, path: Path) -> Path:
    """Write an SVG without date and version, places to a hundredth of a point."""
    drawn = StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    path.write_text(re.sub(r"(\.\d\d)\d+", r"\1", drawn.getvalue()), encoding="utf-8")
    return path
