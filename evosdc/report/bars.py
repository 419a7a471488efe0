"""The figures of counts: categories before and after, and how operators did."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from evosdc.report.palette import BEFORE, BLUE, colours, figure, literal, symbols
from evosdc.report.wording import count

FEW_CATEGORIES = 14
SHORT_LABEL = 6


def is_wide(rows: pd.DataFrame) -> bool:
    """Whether an attribute has so many categories that its figure needs the full width."""
    return len(rows) > FEW_CATEGORIES


def frequency_bars(rows: pd.DataFrame) -> go.Figure:
    """Return the records of each category of one attribute, before and after, in the order of the categories.

    Few categories with long labels lie on their side; many stand upright, with slanted labels.

    Parameters
    ----------
    rows : pandas.DataFrame
        The rows of `frames.frequencies` of one attribute.
    """
    labels = [literal(text) for text in rows["category"]]
    upright = is_wide(rows) or max((len(text) for text in rows["category"]), default=0) <= SHORT_LABEL
    positions = list(range(len(rows)))
    # By position, not by label: plotly would take labels for numbers or dates, and merge those that are shortened.
    ticks = {
        "tickmode": "array",
        "tickvals": positions,
        "ticktext": [literal(text, 20 if upright else 26) or "\N{OPEN BOX}" for text in rows["category"]],
        "ticks": "",
        "showgrid": False,
        "range": [-0.6, len(rows) - 0.4] if upright else [len(rows) - 0.4, -0.6],
    }
    longest = min(20, max((len(text) for text in rows["category"]), default=0))
    slanted = 6 * longest if is_wide(rows) else 0
    drawn = figure((290 + slanted) if upright else 110 + 34 * len(rows))
    for column, colour in (("before", BEFORE), ("after", BLUE)):
        values = rows[column].tolist()
        texts = [f"<b>{label}</b><br>{column} {count(value)}" for label, value in zip(labels, values, strict=True)]
        drawn.add_bar(
            x=positions if upright else values, y=values if upright else positions,
            orientation="v" if upright else "h", name=column, marker={"color": colour, "line": {"width": 0}},
            hovertext=texts, hovertemplate="%{hovertext}<extra></extra>",
        )  # fmt: skip
    if upright:
        drawn.update_xaxes(**ticks, tickangle=0 if len(rows) <= FEW_CATEGORIES else -60)
        drawn.update_yaxes(title_text="records", rangemode="tozero")
    else:
        drawn.update_yaxes(**ticks)
        drawn.update_xaxes(title_text="records", rangemode="tozero")
    return drawn.update_layout(
        barmode="group", bargap=0.25, bargroupgap=0.05,
        legend={"orientation": "h", "x": 1, "xanchor": "right", "y": 1, "yanchor": "bottom", "traceorder": "normal"},
    )  # fmt: skip


def operator_lines(rates: pd.DataFrame) -> go.Figure | None:
    """Return the share of kept children by operator over the generations; None for fewer than two spans.

    Parameters
    ----------
    rates : pandas.DataFrame
        Of `frames.operator_rates`.
    """
    if rates["generation"].nunique() < 2:
        return None
    names = sorted(rates["operator"].unique())
    drawn = figure(280)
    for name, colour, symbol in zip(names, colours(len(names)), symbols(len(names)), strict=True):
        rows = rates[(rates["operator"] == name) & rates["rate"].notna()]
        drawn.add_scatter(
            x=rows["generation"].tolist(), y=rows["rate"].round(3).tolist(), mode="lines+markers",
            name=literal(name, 32), line={"color": colour, "width": 2},
            marker={"color": colour, "symbol": symbol, "size": 6}, customdata=rows[["kept", "made"]].values.tolist(),
            hovertemplate="%{y:.1f} %: %{customdata[0]} of %{customdata[1]} kept<extra>%{fullData.name}</extra>",
        )  # fmt: skip
    drawn.update_xaxes(title_text="generation", rangemode="tozero")
    drawn.update_yaxes(title_text="kept, % of children made", rangemode="tozero")
    return drawn.update_layout(
        hovermode="x", legend={"orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom"}
    )
