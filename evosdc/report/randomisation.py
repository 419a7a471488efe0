"""Runs whose files are drawn at random: figures on fresh draws with their errors, transition matrices as heat maps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from evosdc.report.frames import mapping
from evosdc.report.palette import BEFORE, BLUE, dress, literal
from evosdc.report.wording import number
from evosdc.runs.reader import RunFolder

_NAMES = {"best": "best found", "founder": "best initial matrix or genome", "portfolio": "best of the comparison"}
_WRITTEN = 12
"""Categories up to which every probability is written in its cell."""


def fresh_rows(run: RunFolder) -> dict[str, Any] | None:
    """Return draws and one row an entry judged on fresh draws; None where decoding was not random.

    A row has name, label, fitness seen by the search (of the winner only), fitness on fresh draws, its standard error,
    by how much the winner is better, and the standard error of that.
    """
    fresh = mapping(run.result.get("fresh"))
    if not fresh:
        return None
    seen = mapping(run.result.get("best")).get("fitness") or []
    rows = []
    for key, name in _NAMES.items():
        entry = mapping(fresh.get(key))
        if not entry:
            continue
        gained = entry.get("advantage")
        rows.append(
            {
                "name": name,
                "label": str(entry.get("label", "")),
                "seen": number(seen[0], 3) if key == "best" and seen else "",
                "fitness": number(entry["fitness"][0], 3),
                "error": number(entry["fitness_errors"][0], 3),
                "advantage": "" if gained is None else number(gained, 3),
                "advantage_error": "" if gained is None else number(entry["advantage_error"], 3),
            }
        )
    return {"draws": int(fresh.get("draws", 0)), "rows": rows}


def heat_map(entry: Mapping[str, Any]) -> go.Figure:
    """Return a transition matrix as a heat map, original categories downwards, with the frequencies beside it.

    Parameters
    ----------
    entry : mapping
        One attribute of ``transitions.json``: ``categories frequencies published matrix``.
    """
    names = [str(name) for name in entry["categories"]]
    size = len(names)
    matrix = entry["matrix"]
    drawn = make_subplots(cols=2, shared_yaxes=True, column_widths=[0.72, 0.28], horizontal_spacing=0.03)
    dress(drawn, 150 + max(26 * size, 90))
    written = [[f"{value:.2f}" if value >= 0.005 else "" for value in row] for row in matrix]
    hovers = [
        [f"{literal(a)} becomes {literal(b)}: {value:.4f}" for b, value in zip(names, row, strict=True)]
        for a, row in zip(names, matrix, strict=True)
    ]
    # By position, not by label: plotly would take labels for numbers or dates.
    positions = list(range(size))
    drawn.add_heatmap(
        z=matrix, x=positions, y=positions, zmin=0, zmax=1, colorscale=[[0, "white"], [1, BLUE]], showscale=False,
        text=written if size <= _WRITTEN else None, texttemplate="%{text}" if size <= _WRITTEN else None,
        hovertext=hovers, hovertemplate="%{hovertext}<extra></extra>", xgap=1, ygap=1, row=1, col=1,
    )  # fmt: skip
    for name, colour in (("frequencies", BEFORE), ("published", BLUE)):
        drawn.add_bar(
            x=entry[name], y=positions, orientation="h", name={"frequencies": "original"}.get(name, name),
            marker={"color": colour, "line": {"width": 0}}, row=1, col=2,
        )  # fmt: skip
    ticks = {"tickmode": "array", "tickvals": positions, "ticktext": [literal(n, 18) for n in names], "showgrid": False}
    drawn.update_yaxes(**ticks, range=[size - 0.5, -0.5])
    drawn.update_yaxes(title_text="original", col=1)
    drawn.update_xaxes(**ticks, title_text="published", tickangle=-60 if size > _WRITTEN else 0, col=1)
    drawn.update_xaxes(title_text="records", col=2)
    return drawn


def matrix_entries(run: RunFolder) -> list[dict[str, Any]]:
    """Return one entry an attribute: name, share retained, shift of the marginals, and the heat map."""
    return [
        {
            "attribute": str(name),
            "retained": number(100 * entry["retained"], 1),
            "shift": number(100 * entry["shift"], 2) if entry["shift"] > 1e-9 else "",
            "drawn": heat_map(entry),
        }
        for name, entry in run.transitions.items()
        if entry["categories"]
    ]
