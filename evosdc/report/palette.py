"""Colours and the common look of the figures, safe for colour-blind readers and for print."""

import json
from collections.abc import Mapping, Sequence
from html import escape
from itertools import cycle, islice
from typing import Any

from evosdc.report.drawn import Drawing
from evosdc.report.wording import shortened

INK = "#1f2933"
GREY = "#6b7785"
FAINT = "#d5dae0"
BLUE = "#0072b2"
VERMILION = "#d55e00"
LIGHT_BLUE = "rgba(0, 114, 178, 0.13)"
BEFORE = "#b3bcc7"

# Paul Tol's muted scheme; told apart under all common forms of colour blindness, and by the symbols besides.
SERIES = ("#332288", "#44aa99", "#cc6677", "#999933", "#aa4499", "#117733", "#88ccee", "#882255", "#ddcc77")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down", "pentagon", "hexagon")
DASHES = ("solid", "dash", "dot", "dashdot")

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif"
AXIS: dict[str, Any] = {
    "gridcolor": "#edf0f3",
    "linecolor": GREY,
    "showline": True,
    "ticks": "outside",
    "tickcolor": GREY,
    "ticklen": 4,
    "zeroline": False,
    "automargin": True,
    "title": {"standoff": 8, "font": {"size": 13, "color": INK}},
}
LOOK: dict[str, Any] = {
    "autosize": True,
    "font": {"family": FONT, "size": 13, "color": INK},
    "paper_bgcolor": "white",
    "plot_bgcolor": "white",
    "margin": {"l": 56, "r": 16, "t": 32, "b": 48},
    "hoverlabel": {"bgcolor": "white", "bordercolor": GREY, "font": {"color": INK, "size": 12}, "align": "left"},
    "legend": {"font": {"size": 12}, "itemsizing": "constant", "bgcolor": "rgba(0,0,0,0)"},
}

DARK = {
    INK: "#e4e8ec",
    GREY: "#9aa6b2",
    FAINT: "#3a434d",
    BLUE: "#5ab4ee",
    VERMILION: "#ff8a3d",
    BEFORE: "#5b6774",
    "#edf0f3": "#2a323a",
    "white": "#14181d",
    "#332288": "#a99cf0",
    "#117733": "#5fc27e",
    "#882255": "#e07fae",
    "#aa4499": "#d989cb",
    "#999933": "#cfcf6a",
}
"""What takes the place of a colour where the reader's system is set to dark."""


def stacked(panels: int, height: int) -> dict[str, Any]:
    """Return the changes of a layout that put panels side by side below each other, for narrow windows.

    Parameters
    ----------
    panels : int
    height : int
        Of each, in pixels.
    """
    changes: dict[str, Any] = {"height": 90 + panels * height}
    room = 0.3 / max(panels, 1)
    for panel in range(panels):
        suffix = str(panel + 1) if panel else ""
        top = 1.0 - panel / panels
        changes[f"xaxis{suffix}.domain"] = [0.0, 1.0]
        changes[f"yaxis{suffix}.domain"] = [top - 1.0 / panels + room * (panel < panels - 1), top]
        changes[f"annotations[{panel}].x"] = 0.5
        changes[f"annotations[{panel}].y"] = top
    return changes


def colours(size: int) -> list[str]:
    """Return as many colours, repeated when there are more series than the scheme has."""
    return list(islice(cycle(SERIES), size))


def symbols(size: int) -> list[str]:
    """Return as many marker symbols."""
    return list(islice(cycle(SYMBOLS), size))


def dashes(size: int) -> list[str]:
    """Return as many line styles; they change when the colours begin again."""
    return [DASHES[position // len(SERIES) % len(DASHES)] for position in range(size)]


def literal(text: str, most: int = 0) -> str:
    """Return a text that plotly shows as it is, not as mark-up, shortened to `most` characters unless that is 0."""
    return escape(shortened(text, most) if most else text, quote=False)


def figure(height: int) -> Drawing:
    """Return an empty figure; `drawing` gives it the common look."""
    return Drawing(height)


def panelled(height: int, titles: Sequence[str] = (), **options: Any) -> Drawing:
    """Return an empty figure of several panels, as of `Drawing.side_by_side`."""
    drawn = Drawing.side_by_side(height, titles, **options)
    drawn.update_annotations(font={"size": 13, "color": INK})
    return drawn


def drawing(drawn: Drawing) -> str:
    """Return a figure as JSON for plotly.js, in the common look wherever it says nothing else.

    What is no finite number is null.
    """
    plain = drawn.to_plotly_json()
    layout = plain["layout"] = {"xaxis": {}, "yaxis": {}} | plain["layout"]
    for key in layout:
        if key.startswith(("xaxis", "yaxis")):
            layout[key] = _filled(layout[key], AXIS)
    plain["layout"] = _filled(layout, LOOK)
    try:
        return _compact(plain)
    except ValueError:
        return _compact(json.loads(json.dumps(plain, default=_without_numpy), parse_constant=lambda _: None))


def _compact(plain: Any) -> str:
    return json.dumps(plain, allow_nan=False, separators=(",", ":"), default=_without_numpy)


def _without_numpy(value: Any) -> Any:
    return value.tolist()


def _filled(given: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with the usual ones in every place where none is given."""
    filled = dict(given)
    for key, value in usual.items():
        if key not in filled:
            filled[key] = value
        elif isinstance(value, Mapping):
            filled[key] = _filled(filled[key], value)
    return filled
