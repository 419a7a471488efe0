"""Figures for plotly.js as plain dictionaries, in one look.

Plotly's own package looks at each setting of each figure, which took more than half of the time of a page.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from html import escape
from itertools import cycle, islice
from typing import Any

from evosdc.report.wording import shortened

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

_PLAIN = {"data": {"scatter": [{"type": "scatter"}]}}  # plotly's template `none`
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
        top = 1.0 - panel / panels
        changes[f"{axis('x', panel + 1)}.domain"] = [0.0, 1.0]
        changes[f"{axis('y', panel + 1)}.domain"] = [top - 1.0 / panels + room * (panel < panels - 1), top]
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


class Drawing:
    """A figure: traces, and a layout. Its panels stand side by side, and their axes are numbered from the left."""

    def __init__(
        self, height: int, titles: Sequence[str] = (), widths: Sequence[float] = (), spacing: float | None = None
    ) -> None:
        self.data: list[dict[str, Any]] = []
        self.layout: dict[str, Any] = {"template": _PLAIN, "height": height, "xaxis": {}, "yaxis": {}}
        number = max(len(titles), len(widths))
        between = 0.2 / number if number and spacing is None else spacing or 0.0
        shares = widths or [1.0] * number
        end = -between
        for panel, share in enumerate(shares, 1):
            begin = end + between
            end = begin + (1.0 - between * (number - 1)) * share / sum(shares)
            self.layout[axis("x", panel)] = {"anchor": axis("y", panel, ""), "domain": [begin, end]}
            self.layout[axis("y", panel)] = {"anchor": axis("x", panel, ""), "domain": [0.0, 1.0]}
            for text in titles[panel - 1 : panel]:
                self.add_annotation(
                    text=text, showarrow=False, x=(begin + end) / 2, xref="paper", xanchor="center", y=1.0,
                    yref="paper", yanchor="bottom", font={"size": 13, "color": INK},
                )  # fmt: skip

    def add(self, kind: str, panel: int = 0, **settings: Any) -> None:
        """Add a trace, such as ``scatter`` or ``bar``; settings that are None are left out."""
        trace = {name: value for name, value in settings.items() if value is not None} | {"type": kind}
        self.data.append(trace | ({"xaxis": axis("x", panel, ""), "yaxis": axis("y", panel, "")} if panel else {}))

    def add_line(self, x: list[Any], y: list[Any], name: str, line: Mapping[str, Any], **settings: Any) -> None:
        """Add a line; one point, which a line does not show, as a mark."""
        mode = "lines+markers" if len(x) == 1 and line["width"] else "lines"
        self.add("scatter", x=x, y=y, mode=mode, name=name, line=line, **settings)

    def add_shape(self, **settings: Any) -> None:
        """Add a shape."""
        self.layout.setdefault("shapes", []).append(settings)

    def add_annotation(self, **settings: Any) -> None:
        """Add a text."""
        self.layout.setdefault("annotations", []).append(settings)

    def update(self, **settings: Any) -> "Drawing":
        """Change the layout, and return the figure."""
        self.layout = merged(self.layout, settings)
        return self

    def update_axes(self, letter: str, title: str = "", panel: int = 0, **settings: Any) -> None:
        """Change all horizontal (x) or vertical (y) axes, or that of one panel."""
        settings |= {"title": {"text": title}} if title else {}
        for name in [axis(letter, panel)] if panel else [one for one in self.layout if one.startswith(f"{letter}axis")]:
            self.layout[name] = merged(self.layout[name], settings)

    @cached_property
    def json(self) -> str:
        """The figure as JSON for plotly.js, in the common look except for its own settings."""
        layout = merged(LOOK, self.layout)
        layout |= {name: merged(AXIS, own) for name, own in layout.items() if name[1:5] == "axis"}
        plain = {"data": self.data, "layout": layout}
        try:
            text = _compact(plain)
        except ValueError:
            text = _compact(json.loads(json.dumps(plain, default=_without_numpy), parse_constant=lambda _: None))
        return text.translate(_ESCAPED)


def axis(letter: str, panel: int, word: str = "axis") -> str:
    """Return the name of an axis: the first one has no number."""
    return f"{letter}{word}{panel if panel > 1 else ''}"


def merged(settings: Mapping[str, Any], further: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with further ones, which count where both say something."""
    found = dict(settings)
    for name, value in further.items():
        known = found.get(name)
        found[name] = merged(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
    return found


# Inside a script element nothing may look like a tag.
_ESCAPED = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "&<>"})


def _compact(plain: Any) -> str:
    return json.dumps(plain, allow_nan=False, separators=(",", ":"), default=_without_numpy)


def _without_numpy(value: Any) -> Any:
    return value.tolist()
