"""The figures of counts: categories before and after, and how operators did."""

import re
from typing import Any

import pandas as pd

from evosdc.report.drawn import Drawing
from evosdc.report.palette import BEFORE, BLUE, colours, figure, literal, symbols
from evosdc.report.wording import count

FEW_CATEGORIES = 14
ROOM_FOR_LABELS = 380
"""Pixels for upright labels under a figure of half the width of the page."""
LONGEST_LABEL = 26
MOST_LABELS = 36
"""Slanted labels that the width of a printed page has room for."""
_POOLED = re.compile(r"[\d\s,.]+ rare categor(?:ies|y)")


def is_wide(rows: pd.DataFrame) -> bool:
    """Whether an attribute has so many categories that its figure needs the full width."""
    return len(rows) > FEW_CATEGORIES


def is_pooled(rows: pd.DataFrame) -> bool:
    """Whether the last category stands for many rare ones, which runs keep together where there are very many."""
    return len(rows) > 0 and _POOLED.fullmatch(str(rows["category"].iloc[-1])) is not None


def labelled(size: int) -> list[int]:
    """Return the positions of the categories whose labels stand on the axis: all, or evenly spread with both ends.

    The last is always among them, since it may stand for many rare categories.
    """
    step = max(1, -(-size // MOST_LABELS))
    kept = list(range(0, size, step))
    if size and kept[-1] != size - 1:
        # The last label takes the place of its neighbour where they would touch.
        kept = kept[:-1] if len(kept) > 1 else kept
        kept.append(size - 1)
    return kept


def frequency_bars(rows: pd.DataFrame) -> Drawing:
    """Return the records of each category of one attribute, before and after, in the order of the categories.

    Few categories with long labels lie on their side; many stand upright, with slanted labels, not all of them written.

    Parameters
    ----------
    rows : pandas.DataFrame
        The rows of `frames.frequencies` of one attribute.
    """
    labels = [literal(text) for text in rows["category"]]
    widest = max((len(text) for text in rows["category"]), default=0)
    upright = is_wide(rows) or len(rows) * (8 * widest + 8) <= ROOM_FOR_LABELS
    positions = list(range(len(rows)))
    # By position, not by label: plotly would take labels for numbers or dates, and merge those that are shortened.
    ticked = labelled(len(rows)) if is_wide(rows) else positions
    texts = [str(rows["category"].iloc[position]) for position in ticked]
    most = 20 if upright and not is_wide(rows) else LONGEST_LABEL
    ticks: dict[str, Any] = {
        "tickmode": "array",
        "tickvals": ticked,
        "ticktext": [literal(text, most) or "\N{OPEN BOX}" for text in texts],
        "ticks": "",
        "showgrid": False,
        "range": [-0.6, len(rows) - 0.4] if upright else [len(rows) - 0.4, -0.6],
    }
    longest = min(most, max(map(len, texts), default=0))
    slanted = 6 * longest if is_wide(rows) else 0
    drawn = figure((290 + slanted) if upright else 110 + 34 * len(rows))
    for column, colour in (("before", BEFORE), ("after", BLUE)):
        values = rows[column].tolist()
        hovers = [f"<b>{label}</b><br>{column} {count(value)}" for label, value in zip(labels, values, strict=True)]
        drawn.add_bar(
            x=positions if upright else values, y=values if upright else positions,
            orientation="v" if upright else "h", name=column, marker={"color": colour, "line": {"width": 0}},
            hovertext=hovers, hovertemplate="%{hovertext}<extra></extra>",
        )  # fmt: skip
    if upright:
        slant: dict[str, Any] = {"tickangle": -60, "tickfont": {"size": 11}} if is_wide(rows) else {"tickangle": 0}
        drawn.update_xaxes(**ticks, **slant)
        drawn.update_yaxes(title_text="records", rangemode="tozero")
    else:
        drawn.update_yaxes(**ticks)
        drawn.update_xaxes(title_text="records", rangemode="tozero")
    return drawn.update_layout(
        barmode="group", bargap=0.25, bargroupgap=0.05,
        legend={"orientation": "h", "x": 1, "xanchor": "right", "y": 1, "yanchor": "bottom", "traceorder": "normal"},
    )  # fmt: skip


def operator_lines(rates: pd.DataFrame) -> Drawing | None:
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
