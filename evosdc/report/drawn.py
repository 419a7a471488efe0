"""Figures for plotly.js as plain dictionaries, by the few methods of plotly's figures that the pages use.

Plotly's own package looks at each setting of each figure, which took more than half of the time of a page.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_WHOLE = ("error_x", "error_y", "paper_bgcolor", "plot_bgcolor")
"""Names with an underscore that is no dot."""

_TITLE = {"size": 16}
_PLAIN = {"data": {"scatter": [{"type": "scatter"}]}}
"""Plotly's template ``none``."""


class Drawing:
    """A figure: traces, and a layout.

    Settings may be written as ``title_text`` in place of ``title={"text": ...}``, as in plotly; those that are None are
    left out.

    Parameters
    ----------
    height : int
        In pixels.
    """

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
        """Return a figure of several panels, whose axes are numbered from the left.

        Parameters
        ----------
        titles : sequence of str
            Above the panels; as many panels unless `columns` says otherwise.
        columns : int, optional
        widths : sequence of float, optional
            Of the panels, as shares; by default they are as wide as each other.
        spacing : float, optional
            Between two panels, as a share of the width; by default a fifth by the number of panels.
        shared : bool
            Whether all panels have the vertical axis of the first.
        """
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
        for name in list(self._axes(axis)):
            if col is None or name == (f"{axis}{col}" if col > 1 else axis):
                self.layout[name] = merged(self.layout.get(name, {}), nested(settings))

    def _axes(self, axis: str) -> Iterator[str]:
        yield axis
        yield from (name for name in self.layout if name.startswith(axis) and name != axis)


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
