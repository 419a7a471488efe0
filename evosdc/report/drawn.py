"""Figures for plotly.js as plain dictionaries, by the few methods of plotly's figures that the pages use.

Plotly's own package looks at each setting of each figure, which took more than half of the time of a page.
"""

import json
from collections.abc import Mapping, Sequence
from html import escape
from itertools import cycle, islice
from typing import Any

from evosdc.report.wording import shortened

_WHOLE = ("error_x", "error_y", "paper_bgcolor", "plot_bgcolor")  # names with an underscore that is no dot

_TITLE = {"size": 16}
_PLAIN = {"data": {"scatter": [{"type": "scatter"}]}}  # plotly's template `none`


class Drawing:
    """A figure: traces, and a layout."""

    def __init__(self, height: int) -> None:
        self.data: list[dict[str, Any]] = []
        self.layout: dict[str, Any] = {"template": _PLAIN, "height": height}

    @classmethod
    def side_by_side(
        cls,
        height: int,
        titles: Sequence[str] = (),
        columns: int | None = None,
        widths: Sequence[float] = (),
        spacing: float | None = None,
        shared: bool = False,
    ) -> "Drawing":
        """Return a figure of several panels, whose axes are numbered from the left."""
        drawn, number = cls(height), columns or len(titles)
        between = 0.2 / number if spacing is None else spacing
        room = 1.0 - between * (number - 1)
        rooms = [room * (width / sum(widths)) for width in widths] or [room / number] * number
        for place in range(number):
            begin = sum(rooms[:place]) + place * between
            end = begin + rooms[place]
            suffix = str(place + 1) if place else ""
            drawn.layout[f"xaxis{suffix}"] = {"anchor": f"y{suffix}", "domain": [begin, end]}
            drawn.layout[f"yaxis{suffix}"] = {"anchor": f"x{suffix}", "domain": [0.0, 1.0]}
            if shared and place:
                drawn.layout[f"yaxis{suffix}"] |= {"matches": "y", "showticklabels": False}
            if place < len(titles):
                at = {"x": (begin + end) / 2, "y": 1.0, "xref": "paper", "yref": "paper"}
                drawn.add_annotation(
                    text=titles[place], showarrow=False, xanchor="center", yanchor="bottom", font=_TITLE, **at
                )
        return drawn

    def add_scatter(self, **settings: Any) -> None:
        """Add points or lines."""
        self._add("scatter", settings)

    def add_bar(self, **settings: Any) -> None:
        """Add bars."""
        self._add("bar", settings)

    def add_box(self, **settings: Any) -> None:
        """Add boxes."""
        self._add("box", settings)

    def add_heatmap(self, **settings: Any) -> None:
        """Add a heat map."""
        self._add("heatmap", settings)

    def add_shape(self, **settings: Any) -> None:
        """Add a shape."""
        self.layout.setdefault("shapes", []).append(nested(settings))

    def add_annotation(self, **settings: Any) -> None:
        """Add a text."""
        self.layout.setdefault("annotations", []).append(nested(settings))

    def update_annotations(self, **settings: Any) -> None:
        """Change all texts that there are."""
        if "annotations" in self.layout:
            self.layout["annotations"] = [merged(one, nested(settings)) for one in self.layout["annotations"]]

    def update_layout(self, **settings: Any) -> "Drawing":
        """Change the layout, and return the figure."""
        self.layout = merged(self.layout, nested(settings))
        return self

    def update_xaxes(self, col: int | None = None, **settings: Any) -> None:
        """Change all horizontal axes, or that of one panel."""
        self._update("xaxis", col, settings)

    def update_yaxes(self, col: int | None = None, **settings: Any) -> None:
        """Change all vertical axes, or that of one panel."""
        self._update("yaxis", col, settings)

    def to_plotly_json(self) -> dict[str, Any]:
        """Return the figure as plotly.js takes it."""
        return {"data": self.data, "layout": self.layout}

    def _add(self, kind: str, settings: Mapping[str, Any]) -> None:
        given = {name: value for name, value in settings.items() if name not in ("row", "col")}
        trace = nested(given)
        if "col" in settings:
            suffix = str(settings["col"]) if settings["col"] > 1 else ""
            trace |= {"xaxis": f"x{suffix}", "yaxis": f"y{suffix}"}
        self.data.append(trace | {"type": kind})

    def _update(self, axis: str, col: int | None, settings: Mapping[str, Any]) -> None:
        for name in dict.fromkeys([axis, *(name for name in self.layout if name.startswith(axis))]):
            if col is None or name == (f"{axis}{col}" if col > 1 else axis):
                self.layout[name] = merged(self.layout.get(name, {}), nested(settings))


def nested(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with ``title_text`` as ``{"title": {"text": ...}}``, without those that are None."""
    found: dict[str, Any] = {}
    for name, value in settings.items():
        if value is None:
            continue
        inner = nested(value) if isinstance(value, Mapping) and name != "meta" else value
        first, _, rest = name.partition("_")
        if rest and name not in _WHOLE:
            inner = nested({rest: value})
            name = first
        known = found.get(name)
        found[name] = merged(known, inner) if isinstance(known, dict) and isinstance(inner, dict) else inner
    return found


def merged(settings: Mapping[str, Any], further: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with further ones, which count where both say something."""
    found = dict(settings)
    for name, value in further.items():
        known = found.get(name)
        found[name] = merged(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
    return found


INK = "#1f2933"
GREY = "#6b7785"
FAINT = "#d5dae0"
BLUE = "#0072b2"
VERMILION = "#d55e00"
LIGHT_BLUE = "rgba(0, 114, 178, 0.13)"
BEFORE = "#b3bcc7"

# Paul Tol's muted scheme: distinct under all common forms of colour blindness, and by the symbols besides.
SERIES = ("#332288", "#44aa99", "#cc6677", "#999933", "#aa4499", "#117733", "#88ccee", "#882255", "#ddcc77")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down", "pentagon", "hexagon")
DASHES = ("solid", "dash", "dot", "dashdot")

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif"
AXIS: dict[str, Any] = {
    "gridcolor": "#edf0f3", "linecolor": GREY, "showline": True, "ticks": "outside", "tickcolor": GREY, "ticklen": 4,
    "zeroline": False, "automargin": True, "title": {"standoff": 8, "font": {"size": 13, "color": INK}},
}  # fmt: skip
LOOK: dict[str, Any] = {
    "autosize": True,
    "font": {"family": FONT, "size": 13, "color": INK},
    "paper_bgcolor": "white",
    "plot_bgcolor": "white",
    "margin": {"l": 56, "r": 16, "t": 32, "b": 48},
    "hoverlabel": {"bgcolor": "white", "bordercolor": GREY, "font": {"color": INK, "size": 12}, "align": "left"},
    "legend": {"font": {"size": 12}, "itemsizing": "constant", "bgcolor": "rgba(0,0,0,0)"},
}
# what takes the place of a colour where the reader's system is set to dark
DARK = {
    INK: "#e4e8ec", GREY: "#9aa6b2", FAINT: "#3a434d", BLUE: "#5ab4ee", VERMILION: "#ff8a3d", BEFORE: "#5b6774",
    "#edf0f3": "#2a323a", "white": "#14181d", "#332288": "#a99cf0", "#117733": "#5fc27e", "#882255": "#e07fae",
    "#aa4499": "#d989cb", "#999933": "#cfcf6a",
}  # fmt: skip


def stacked(panels: int, height: int) -> dict[str, Any]:
    """Return the changes of a layout that put panels side by side below each other, for narrow windows."""
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
    """Return a figure as JSON for plotly.js, in the common style except for its own settings."""
    plain = drawn.to_plotly_json()
    layout = {"xaxis": {}, "yaxis": {}} | plain["layout"]
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
