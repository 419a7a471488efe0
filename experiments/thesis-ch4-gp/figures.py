"""The figures of the study on one page that loads nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import plotly.graph_objects as go
from judgements import Judged, best_of
from plotly.subplots import make_subplots

COLOURS = {"design a": "#0072b2", "design b": "#d55e00", "equation": "#009e73"}


def scatter(judged: Mapping[tuple[str, str], tuple[Judged, Sequence[Judged]]]) -> go.Figure:
    """Return the best protections of each PRAM method, one panel a file and fitness (as figure 4.20)."""
    files = list(dict.fromkeys(file for file, _ in judged))
    fitnesses = list(dict.fromkeys(fitness for _, fitness in judged))
    titles = [f"{file}, {fitness}" for fitness in fitnesses for file in files]
    figure = make_subplots(len(fitnesses), len(files), subplot_titles=titles, x_title="IL", y_title="DR")
    for (file, fitness), (equation, designs) in judged.items():
        row, column = fitnesses.index(fitness) + 1, files.index(file) + 1
        groups = {name: [d for d in designs if f"design={name[-1]}" in d.label] for name in ("design a", "design b")}
        for name, members in {**groups, "equation": [equation]}.items():
            best = min(members, key=lambda d: d.fitness)
            figure.add_scatter(
                x=[d.scores.scores["il"] for d in members],
                y=[d.scores.scores["dr"] for d in members],
                text=[d.label for d in members],
                mode="markers",
                name=name,
                legendgroup=name,
                showlegend=(row, column) == (1, 1),
                marker={"color": COLOURS[name], "size": [13 if d is best else 6 for d in members]},
                row=row,
                col=column,
            )
    return figure.update_layout(
        height=420 * len(fitnesses), title="IL and DR on fresh draws; large: the best of each method"
    )


def evolution(folders: Mapping[tuple[str, str], Path]) -> go.Figure:
    """Return score, IL and DR of the best equation over evaluations (as figures 4.16 to 4.19)."""
    files = list(dict.fromkeys(file for file, _ in folders))
    fitnesses = list(dict.fromkeys(fitness for _, fitness in folders))
    titles = [f"{file}, {fitness}" for file in files for fitness in fitnesses]
    figure = make_subplots(len(files), len(fitnesses), subplot_titles=titles, x_title="evaluations")
    for (file, fitness), folder in folders.items():
        records = [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
        series = {
            "score": [r["best"]["fitness"][0] for r in records],
            "IL": [r["best"]["il"] for r in records],
            "DR": [r["best"]["dr"] for r in records],
        }
        row, column = files.index(file) + 1, fitnesses.index(fitness) + 1
        for (name, values), colour in zip(series.items(), ("#000000", "#0072b2", "#d55e00"), strict=True):
            figure.add_scatter(
                x=[r["evaluations"] for r in records],
                y=values,
                name=name,
                legendgroup=name,
                showlegend=(row, column) == (1, 1),
                line={"color": colour},
                row=row,
                col=column,
            )
    return figure.update_layout(height=320 * len(files), title="The best equation of each generation")


def bests(judged: Mapping[tuple[str, str], tuple[Judged, Sequence[Judged]]]) -> go.Figure:
    """Return the score of the best of each method, with two standard errors."""
    names = [f"{file}, {fitness}" for file, fitness in judged]
    figure = go.Figure()
    for name in COLOURS:
        chosen = [e if name == "equation" else best_of(list(d), name[-1]) for e, d in judged.values()]
        errors = {"type": "data", "array": [2 * one.error for one in chosen]}
        figure.add_bar(
            x=names, y=[one.fitness for one in chosen], error_y=errors, name=name, marker_color=COLOURS[name]
        )
    return figure.update_layout(height=420, yaxis_title="score", title="Score of the best of each method, fresh draws")


def write_page(figures: Sequence[go.Figure], path: Path) -> None:
    """Write the figures to one page."""
    parts = [f.to_html(full_html=False, include_plotlyjs=(i == 0)) for i, f in enumerate(figures)]
    path.write_text(
        f"<!DOCTYPE html><meta charset='utf-8'><title>PRAM equations</title>{''.join(parts)}", encoding="utf-8"
    )
