"""The figures of the study on one page that loads nothing."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import plotly.graph_objects as go
from plotly.subplots import make_subplots
from searches import Search

INITIAL, FINAL = "#d55e00", "#0072b2"
COLUMNS = 3


def dispersion(searches: Sequence[Search]) -> go.Figure:
    """Return IL and DR of the initial and of the final population, one panel a search."""
    figure = _panels(searches, "information loss (IL)", "disclosure risk (DR)", "Initial and final populations")
    for number, search in enumerate(searches):
        place = {"row": number // COLUMNS + 1, "col": number % COLUMNS + 1}
        for kind, name, colour in (("portfolio", "initial", INITIAL), ("population", "final", FINAL)):
            points = _points(search.folder / "scores.csv", kind)
            figure.add_scatter(
                x=[il for il, _ in points],
                y=[dr for _, dr in points],
                name=name,
                mode="markers",
                legendgroup=name,
                showlegend=number == 0,
                marker={"color": colour, "size": 5, "symbol": "circle-open" if name == "initial" else "circle"},
                **place,
            )
    return figure


def evolution(searches: Sequence[Search]) -> go.Figure:
    """Return least, mean and greatest score of the population over evaluations, one panel a search."""
    figure = _panels(searches, "evaluations", "score", "Evolution of the least, mean and greatest score")
    for number, search in enumerate(searches):
        evaluations = [record["evaluations"] for record in search.records]
        for key, colour in (("max", "#999999"), ("mean", "#000000"), ("min", FINAL)):
            figure.add_scatter(
                x=evaluations,
                y=[record["fitness"][key] for record in search.records],
                name=key,
                mode="lines",
                legendgroup=key,
                showlegend=number == 0,
                line={"color": colour},
                row=number // COLUMNS + 1,
                col=number % COLUMNS + 1,
            )
    return figure


def _panels(searches: Sequence[Search], across: str, up: str, title: str) -> go.Figure:
    rows = -(-len(searches) // COLUMNS)
    titles = [f"{search.file}, {search.variant.name}" for search in searches]
    # Room for a title and the ticks between panels, no more.
    spacing = 0.2 / rows if rows > 1 else 0.0
    figure = make_subplots(rows, COLUMNS, subplot_titles=titles, x_title=across, y_title=up, vertical_spacing=spacing)
    return figure.update_layout(height=320 * rows + 100, template="plotly_white", title=title)


def _points(path: Path, kind: str) -> list[tuple[float, float]]:
    with path.open(newline="", encoding="utf-8") as file:
        return [(float(row["il"]), float(row["dr"])) for row in csv.DictReader(file) if row["set"] == kind]


def write_page(figures: Sequence[go.Figure], path: Path) -> None:
    """Write the figures."""
    parts = [f.to_html(full_html=False, include_plotlyjs=number == 0) for number, f in enumerate(figures)]
    head = "<!doctype html>\n<html lang=en><meta charset=utf-8><title>Evolution of whole files</title>"
    path.write_text("\n".join([head, *parts, "</html>\n"]), encoding="utf-8")
