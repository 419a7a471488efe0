"""Transition matrices of runs whose files are post-randomised, as heat maps."""

from collections.abc import Mapping
from math import prod
from typing import Any

from evosdc.report.drawn import Drawing
from evosdc.report.palette import BEFORE, BLUE, literal, panelled
from evosdc.report.wording import number
from evosdc.runs.reader import RecordedRun

_WRITTEN = 12
"""Categories up to which every probability is written in its cell."""


def heat_map(entry: Mapping[str, Any]) -> Drawing:
    """Return a transition matrix as a heat map, original categories downwards, with the frequencies beside it.

    Parameters
    ----------
    entry : mapping
        One attribute of ``transitions.json``: ``categories frequencies published matrix``.
    """
    names = [str(name) for name in entry["categories"]]
    size = len(names)
    matrix = entry["matrix"]
    drawn = panelled(150 + max(26 * size, 90), columns=2, widths=[0.72, 0.28], spacing=0.03, shared=True)
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
    ticks: dict[str, Any] = {
        "tickmode": "array",
        "tickvals": positions,
        "ticktext": [literal(n, 18) for n in names],
        "showgrid": False,
    }
    drawn.update_yaxes(**ticks, range=[size - 0.5, -0.5])
    drawn.update_yaxes(title_text="original", col=1)
    drawn.update_xaxes(**ticks, title_text="published", tickangle=-60 if size > _WRITTEN else 0, col=1)
    drawn.update_xaxes(title_text="records", col=2)
    return drawn


def proof_sentences(run: RecordedRun) -> list[str]:
    """Return why evolved matrices prove nothing, and what the same matrices would prove if they had been given."""
    entries = [entry for entry in run.transitions.values() if entry["categories"]]
    if not entries or not all("capacity" in entry for entry in entries):
        return []
    bound = prod(float(entry["capacity"]) for entry in entries)
    linked = min(1.0, bound / max(1, *(sum(entry["published"]) for entry in entries)))
    return [
        "No proof: the matrices were evolved on these data, and tell something by their choice. The same matrices, "
        f"chosen without the data, would prove that any guess about a record gets at most {bound:.4g} times as good by "
        f"the file, and that at most {linked:.1%} of the people are linked record by record."
    ]


def matrix_entries(run: RecordedRun) -> list[dict[str, Any]]:
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
