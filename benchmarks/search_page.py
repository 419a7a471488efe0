"""Median curves of the searches, one panel a file and fitness, on one page that loads nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchmarks.search_runs import Curve

COLOURS = ("#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7")
AXES = ("seconds of processor time", "evaluations")
STEPS = 60


def page_figure(curves: Sequence[Curve], axis: int) -> go.Figure:
    """Return the median best score of each algorithm against seconds (axis 0) or evaluations (axis 1)."""
    panels = list(dict.fromkeys((curve.job.file, curve.job.fitness) for curve in curves))
    algorithms = list(dict.fromkeys(curve.job.algorithm for curve in curves))
    columns = 2 if len(panels) > 1 else 1
    rows = -(-len(panels) // columns)
    titles = [f"{file}, {fitness}" for file, fitness in panels]
    # Room for a title and the ticks between panels, no more.
    spacing = 0.2 / rows if rows > 1 else 0.0
    figure = make_subplots(
        rows,
        columns,
        subplot_titles=titles,
        x_title=AXES[axis],
        y_title="best score, median",
        vertical_spacing=spacing,
    )
    for number, panel in enumerate(panels):
        for algorithm, colour in zip(algorithms, COLOURS, strict=False):
            part = [c for c in curves if (c.job.file, c.job.fitness) == panel and c.job.algorithm == algorithm]
            moments = np.linspace(0.0, min(curve.points[-1][axis] for curve in part), STEPS)
            figure.add_scatter(
                x=moments,
                y=[median(curve.best_at(moment, axis) for curve in part) for moment in moments.tolist()],
                name=algorithm,
                legendgroup=algorithm,
                showlegend=number == 0,
                mode="lines",
                line={"color": colour, "shape": "hv"},
                row=number // columns + 1,
                col=number % columns + 1,
            )
    return figure.update_layout(height=330 * rows + 100, template="plotly_white")


def write_page(curves: Sequence[Curve], path: Path) -> None:
    """Write both figures."""
    parts = [page_figure(curves, axis).to_html(full_html=False, include_plotlyjs=axis == 0) for axis in (0, 1)]
    head = "<!doctype html>\n<html lang=en><meta charset=utf-8><title>Searches side by side</title>"
    path.write_text(f"{head}\n{parts[0]}\n{parts[1]}\n</html>\n", encoding="utf-8")
