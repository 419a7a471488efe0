"""The figures of one run: the map of IL and DR, and the evolution."""

import math
import re
from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
import pandas as pd

from evosdc.report.drawn import (
    BEFORE,
    BLUE,
    FAINT,
    GREY,
    INK,
    LIGHT_BLUE,
    VERMILION,
    Drawing,
    colours,
    literal,
    stacked,
    symbols,
)
from evosdc.report.frames import DERIVED, FIXED_COLUMNS, front_of, thinned
from evosdc.report.standings import Standings
from evosdc.report.wording import count, number
from evosdc.runs.reader import RecordedRun

MOST_POINTS = 300  # most points of a population that are drawn: more cannot be distinguished, and each has a label


def il_dr_map(frame: pd.DataFrame, stand: Standings) -> Drawing:
    """Return the map of all files: IL to the right, DR upwards, both better towards the lower left corner."""
    known = frame.dropna(subset=["il", "dr"]) if {"il", "dr"} <= set(frame.columns) else frame.iloc[:0]
    marked = [s for s in (stand.identity, stand.best) if s and math.isfinite(s.il + s.dr)]
    right, top = (
        _upper([*known.get(axis, pd.Series(dtype=float)), *(s.scores[axis] for s in marked)]) for axis in ("il", "dr")
    )
    drawn = Drawing(560)
    if stand.curve:  # no masked file lies below it
        il, dr = np.round(stand.curve, 3).T.tolist()
        drawn.add_line(
            il, dr, "limit: no file lies below",
            {"color": GREY, "width": 1.5, "dash": "dash"}, fill="tozeroy", fillcolor="rgba(107, 119, 133, 0.10)",
            hoverinfo="skip", legendgroup="marked", legendgrouptitle={"text": "marked"},
        )  # fmt: skip
    for name, value in stand.bounds.items():
        along = [0.0, right if name == "dr" else top], [value, value]
        il, dr = along if name == "dr" else along[::-1]
        drawn.add_line(
            il, dr, f"bound: {name.upper()} {value:g}", {"color": VERMILION, "width": 1.5},
            hoverinfo="skip", legendgroup="marked", legendgrouptitle={"text": "marked"},
        )  # fmt: skip
    population = thinned(known[known["set"] == "population"].sort_values("score", kind="stable"), MOST_POINTS)
    outside = pd.concat([known[known["set"] == "portfolio"], population]).query("outside > 0")
    cross = {"symbol": "x-thin", "color": GREY, "size": 7, "line": {"width": 1.4, "color": GREY}}
    _points(drawn, outside, "outside the bounds", cross, "marked")
    known, population = known.drop(outside.index), population.query("outside == 0")
    portfolio = known[known["set"] == "portfolio"]
    methods = list(dict.fromkeys(portfolio["method"]))
    for method, colour, symbol in zip(methods, colours(len(methods)), symbols(len(methods)), strict=True):
        style = {"color": colour, "symbol": symbol, "size": 8, "opacity": 0.8, "line": {"width": 0}}
        _points(drawn, portfolio[portfolio["method"] == method], method, style, "portfolio")
    hollow = {"symbol": "circle-open", "color": INK, "size": 8, "opacity": 0.75, "line": {"width": 1.2}}
    _points(drawn, population, "final population", hollow, "search")
    _points(drawn, front_of(portfolio), "front of the portfolio", {"color": GREY, "size": 4}, "portfolio", lines=GREY)
    front = known[known["set"] == "front"].sort_values(["il", "dr"])
    _points(drawn, front, "front", {"color": BLUE, "size": 5}, "search", lines=BLUE)
    original = {"symbol": "x", "color": INK, "size": 12, "line": {"width": 0}}
    star = {"symbol": "star", "color": VERMILION, "size": 18, "line": {"width": 1, "color": "white"}}
    known_files = ((stand.identity, "unprotected original", original), (stand.best, "best file found", star))
    for standing, name, style in known_files:
        if standing is not None and standing in marked:
            label = name if standing.label == name else f"{name}: {standing.label}"
            drawn.add(
                "scatter", x=[standing.il], y=[standing.dr], mode="markers", name=name, marker=style,
                text=[hover_text(label, dict(standing.scores), standing.score)], legendgroup="marked",
                hovertemplate="%{text}<extra></extra>", legendgrouptitle={"text": "marked"}, cliponaxis=False,
            )  # fmt: skip
    return on_plane(drawn, right, top)


def on_plane(drawn: Drawing, right: float, top: float) -> Drawing:
    """Return a figure with the axes IL and DR, both from 0, and lines of equal scores."""
    add_iso_scores(drawn, right, top)
    drawn.update_axes("x", "information loss IL", range=[0, right])
    drawn.update_axes("y", "disclosure risk DR", range=[0, top])
    return drawn.update(hovermode="closest", margin={"r": 48})


def add_iso_scores(drawn: Drawing, right: float, top: float) -> None:
    """Draw faint lines along which the mean of IL and DR is the same, each with its value at its lower end."""
    step = 10 if right + top > 60 else 5
    for score in range(step, int((right + top) / 2) + 1, step):
        left = max(0.0, 2 * score - top)
        end = min(right, 2.0 * score)
        if left >= end:
            continue
        drawn.add_shape(
            type="line", x0=left, y0=2 * score - left, x1=end, y1=2 * score - end, layer="below",
            line={"color": FAINT, "width": 1, "dash": "dot"},
        )  # fmt: skip
        drawn.add_annotation(
            x=end, y=2 * score - end, text=str(score), showarrow=False, xanchor="left", yanchor="bottom",
            font={"size": 11, "color": GREY}, bgcolor="rgba(255, 255, 255, 0.8)", borderpad=1,
        )  # fmt: skip


def hover_text(label: str, scores: dict[str, float], score: float) -> str:
    """Return the text of a point: its label, then its score and every measure."""
    lines = [f"<b>{literal(label, 90)}</b>", f"score {number(score)}"]
    return "<br>".join([*lines, *(f"{literal(name, 40)} {number(value)}" for name, value in scores.items())])


def _upper(values: list[float]) -> float:
    highest = max((v for v in values if math.isfinite(v)), default=100.0)
    return max(10.0, highest * 1.06)


def _points(drawn: Drawing, rows: pd.DataFrame, name: str, marker: dict[str, Any], group: str, lines: str = "") -> None:
    if rows.empty:
        return
    names = [str(column) for column in rows.columns if column not in (*FIXED_COLUMNS, *DERIVED)]
    texts = [
        hover_text(str(label), dict(zip(names, map(float, values), strict=True)), float(score))
        for label, score, values in zip(rows["label"], rows["score"], rows[names].to_numpy(dtype=float), strict=True)
    ]
    drawn.add(
        "scatter", x=rows["il"].round(4).tolist(), y=rows["dr"].round(4).tolist(),
        mode="lines+markers" if lines else "markers", name=literal(name, 32),
        marker=marker, line={"color": lines or BLUE, "width": 1.5, "shape": "hv"}, text=texts,
        hovertemplate="%{text}<extra></extra>", legendgroup=group, legendgrouptitle={"text": group},
    )  # fmt: skip


def evolution(rows: pd.DataFrame, fitness: str) -> Drawing | None:
    """Return the evolution of fitness, IL and DR over evaluations."""
    # With one objective: the best file so far and the mean, least and greatest of the population. With several there is
    # no best file, so the panels hold the population's IL and DR and what the front dominates (its size, in runs of
    # old).
    if rows.empty:
        return None
    single = rows["champion_fitness"].notna().any()
    titles = {"fitness": f"fitness ({fitness})" if fitness else "fitness", "il": "IL", "dr": "DR"}
    panels = [key for key in titles if (single or key != "fitness") and rows[f"{key}_mean"].notna().any()]
    volume = "hypervolume" if "hypervolume" in rows and rows["hypervolume"].notna().any() else "front"
    has_front = not single and rows[volume].notna().any()
    if not panels and not has_front:
        return None
    front_title = "hypervolume of the front, %" if volume == "hypervolume" else "size of the front"
    names = [literal(titles[key], 40) for key in panels] + ([front_title] if has_front else [])
    drawn = Drawing(360, names, spacing=0.07)
    rows = thinned(rows)
    for column, key in enumerate(panels, 1):
        _panel(drawn, rows, key, column, single=bool(single))
    if has_front:
        _line(drawn, rows, volume, len(names), "front", {"color": BLUE, "width": 2})
    drawn.update_axes("x", title="evaluations", rangemode="tozero", nticks=5)
    return drawn.update(
        hovermode="x unified", margin={"t": 40}, legend={"orientation": "h", "x": 0, "y": -0.2, "yanchor": "top"},
        meta={"narrow": stacked(len(names), 240)},
    )  # fmt: skip


def _panel(drawn: Drawing, rows: pd.DataFrame, key: str, column: int, single: bool) -> None:
    legend = column == 1
    _line(drawn, rows, f"{key}_max", column, "range", {"width": 0}, hoverinfo="skip", showlegend=False)
    _line(
        drawn, rows, f"{key}_min", column, "least to greatest of the population", {"width": 0},
        fill="tonexty", fillcolor=LIGHT_BLUE, hoverinfo="skip", showlegend=legend,
    )  # fmt: skip
    _line(
        drawn, rows, f"{key}_mean", column, "mean of the population", {"color": GREY, "width": 1.5, "dash": "dash"},
        showlegend=legend,
    )  # fmt: skip
    if single:
        best = {"color": BLUE, "width": 2.2, "shape": "hv"}
        _line(drawn, rows, f"champion_{key}", column, "best file so far", best, showlegend=legend)
    else:
        least = {"color": BLUE, "width": 2.2}
        _line(drawn, rows, f"{key}_min", column, "least of the population", least, showlegend=legend)


def _line(
    drawn: Drawing, rows: pd.DataFrame, key: str, column: int, name: str, line: dict[str, Any], **options: Any
) -> None:
    drawn.add_line(
        rows["evaluations"].tolist(), _plain(rows[key]), name, line, legendgroup=name, panel=column,
        hovertemplate=f"{name} %{{y:.2f}}<extra></extra>", **options,
    )  # fmt: skip


def _plain(values: "pd.Series[float]") -> list[float | None]:
    return [None if math.isnan(value) else value for value in np.round(values.to_numpy(dtype=float), 4).tolist()]


FEW_CATEGORIES = 14  # more need the full width of the page
ROOM_FOR_LABELS = 380  # pixels for upright labels under a figure of half the width of the page
LONGEST_LABEL = 26
MOST_LABELS = 36  # slanted labels that the width of a printed page has room for
POOLED = re.compile(r"[\d\s,.]+ rare categor(?:ies|y)")  # the last category, where it stands for many


def labelled(size: int) -> list[int]:
    """Return the positions of the categories whose labels stand on the axis: all, or evenly spread with both ends."""
    # The last is always among them, since it may stand for many rare categories.
    step = max(1, -(-size // MOST_LABELS))
    kept = list(range(0, size, step))
    if size and kept[-1] != size - 1:
        # The last label takes the place of its neighbour where they would touch.
        kept = kept[:-1] if len(kept) > 1 else kept
        kept.append(size - 1)
    return kept


def frequency_bars(entry: Mapping[str, Any]) -> Drawing:
    """Return the records of each category of one attribute, before and after, in the order of the categories."""
    names, size = entry["categories"], len(entry["categories"])
    labels, positions = [literal(text) for text in names], list(range(size))
    wide = size > FEW_CATEGORIES
    upright = wide or size * (8 * max(map(len, names), default=0) + 8) <= ROOM_FOR_LABELS
    # By position, not by label: plotly would take labels for numbers or dates, and merge those that are shortened.
    ticked = labelled(size) if wide else positions
    texts = [names[position] for position in ticked]
    most = 20 if upright and not wide else LONGEST_LABEL
    ticks: dict[str, Any] = {
        "tickmode": "array",
        "tickvals": ticked,
        "ticktext": [literal(text, most) or "\N{OPEN BOX}" for text in texts],
        "ticks": "",
        "showgrid": False,
        "range": [-0.6, size - 0.4] if upright else [size - 0.4, -0.6],
    }
    longest = min(most, max(map(len, texts), default=0))
    slanted = 6 * longest if wide else 0
    drawn = Drawing((290 + slanted) if upright else 110 + 34 * size)
    for column, colour in (("before", BEFORE), ("after", BLUE)):
        values = entry[column]
        hovers = [f"<b>{label}</b><br>{column} {count(value)}" for label, value in zip(labels, values, strict=True)]
        drawn.add(
            "bar", x=positions if upright else values, y=values if upright else positions,
            orientation="v" if upright else "h", name=column, marker={"color": colour, "line": {"width": 0}},
            hovertext=hovers, hovertemplate="%{hovertext}<extra></extra>",
        )  # fmt: skip
    if upright:
        slant: dict[str, Any] = {"tickangle": -60, "tickfont": {"size": 11}} if wide else {"tickangle": 0}
        drawn.update_axes("x", **ticks, **slant)
        drawn.update_axes("y", title="records", rangemode="tozero")
    else:
        drawn.update_axes("y", **ticks)
        drawn.update_axes("x", title="records", rangemode="tozero")
    return drawn.update(
        barmode="group", bargap=0.25, bargroupgap=0.05,
        legend={"orientation": "h", "x": 1, "xanchor": "right", "y": 1, "yanchor": "bottom", "traceorder": "normal"},
    )  # fmt: skip


def operator_lines(rates: pd.DataFrame) -> Drawing | None:
    """Return the share of kept children by operator over the generations; None for fewer than two spans."""
    if rates["generation"].nunique() < 2:
        return None
    names = sorted(rates["operator"].unique())
    drawn = Drawing(280)
    for name, colour, symbol in zip(names, colours(len(names)), symbols(len(names)), strict=True):
        rows = rates[(rates["operator"] == name) & rates["rate"].notna()]
        drawn.add(
            "scatter", x=rows["generation"].tolist(), y=rows["rate"].round(3).tolist(), mode="lines+markers",
            name=literal(name, 32), line={"color": colour, "width": 2},
            marker={"color": colour, "symbol": symbol, "size": 6}, customdata=rows[["kept", "made"]].values.tolist(),
            hovertemplate="%{y:.1f} %: %{customdata[0]} of %{customdata[1]} kept<extra>%{fullData.name}</extra>",
        )  # fmt: skip
    drawn.update_axes("x", title="generation", rangemode="tozero")
    drawn.update_axes("y", title="kept, % of children made", rangemode="tozero")
    return drawn.update(
        hovermode="x", legend={"orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom"}
    )


_WRITTEN = 12  # categories up to which every probability is written in its cell


def heat_map(entry: Mapping[str, Any]) -> Drawing:
    """Return a transition matrix as a heat map, original categories downwards, with the frequencies beside it."""
    names = [str(name) for name in entry["categories"]]
    size = len(names)
    matrix = entry["matrix"]
    drawn = Drawing(150 + max(26 * size, 90), widths=[0.72, 0.28], spacing=0.03)
    drawn.update_axes("y", panel=2, matches="y", showticklabels=False)
    written = [[f"{value:.2f}" if value >= 0.005 else "" for value in row] for row in matrix if size <= _WRITTEN]
    hovers = [
        [f"{literal(a)} becomes {literal(b)}: {value:.4f}" for b, value in zip(names, row, strict=True)]
        for a, row in zip(names, matrix, strict=True)
    ]
    # By position, not by label: plotly would take labels for numbers or dates.
    positions = list(range(size))
    drawn.add(
        "heatmap", z=matrix, x=positions, y=positions, zmin=0, zmax=1, colorscale=[[0, "white"], [1, BLUE]],
        showscale=False, text=written or None, texttemplate="%{text}" if written else None,
        hovertext=hovers, hovertemplate="%{hovertext}<extra></extra>", xgap=1, ygap=1, panel=1,
    )  # fmt: skip
    for name, colour in (("frequencies", BEFORE), ("published", BLUE)):
        drawn.add(
            "bar", x=entry[name], y=positions, orientation="h", name={"frequencies": "original"}.get(name, name),
            marker={"color": colour, "line": {"width": 0}}, panel=2,
        )  # fmt: skip
    ticks: dict[str, Any] = {
        "tickmode": "array",
        "tickvals": positions,
        "ticktext": [literal(n, 18) for n in names],
        "showgrid": False,
    }
    drawn.update_axes("y", **ticks, range=[size - 0.5, -0.5])
    drawn.update_axes("y", title="original", panel=1)
    drawn.update_axes("x", **ticks, title="published", tickangle=-60 if size > _WRITTEN else 0, panel=1)
    drawn.update_axes("x", title="records", panel=2)
    return drawn


def proof_sentences(run: RecordedRun) -> list[str]:
    """Return why evolved matrices prove nothing, and the guarantees of the same matrices if given before."""
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
