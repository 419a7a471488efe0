"""Draw the pictures that a study declares from its tables: SVG of the same bytes for the same figures.

    python experiments/pictures.py STUDY [FOLDER]      # default: the stored tables, beside which pictures are put

``[[pictures]]`` of ``study.toml`` say what is drawn: ``file``, ``table``, ``kind`` (lines, points or bars), columns
``x`` and ``y``, the column ``by`` whose values have a colour each, the column ``panels`` whose values have a panel
each, and ``where``, values of columns that are drawn.
"""

from __future__ import annotations

import csv
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import click
import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

HERE = Path(__file__).parent
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#e69f00", "#56b4e9", "#cc79a7", "#6b7785", "#1f2933", "#b8a100")
MARKS = "os^Dv*xP+"
COLUMNS = 3
"""Panels side by side."""
PANEL = (3.6, 2.9)
"""Inches."""

# Set for all pictures at once: a script of its own, nobody else's figures are drawn beside.
mpl.rcParams.update(
    {
        "svg.hashsalt": "evosdc", "svg.fonttype": "none", "font.size": 9.5, "axes.spines.top": False,
        "axes.spines.right": False, "axes.grid": True, "grid.color": "#e6eaee", "axes.axisbelow": True,
        "axes.titlesize": 10, "axes.titlelocation": "left", "legend.frameon": False,
    }
)  # fmt: skip

Row = Mapping[str, str]


def number(cell: str) -> float:
    """Return the first number of a cell, nan where there is none."""
    found = re.search(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?", cell)
    return float(found[0]) if found else float("nan")


def series(rows: Sequence[Row], picture: Mapping[str, Any]) -> Iterator[tuple[str, str, list[Row]]]:
    """Yield label, column and rows of each line: one for every value of `by`, and for every column of `y`."""
    by, ys = picture.get("by"), picture["y"]
    for value in dict.fromkeys(row[by] for row in rows) if by else ("",):
        own = [row for row in rows if not by or row[by] == value]
        for y in ys:
            label = ", ".join(part for part in (value, y if len(ys) > 1 or not by else "") if part)
            yield label, y, own


def draw(axes: Axes, rows: Sequence[Row], picture: Mapping[str, Any], known: list[str]) -> None:
    """Draw one panel; `known` has the labels in the order of their colours."""
    kind, x = picture.get("kind", "lines"), picture["x"]
    found = list(series(rows, picture))
    categories = list(dict.fromkeys(row[x] for row in rows))
    width = 0.8 / max(len(found), 1)
    for place, (label, y, own) in enumerate(found):
        if label not in known:
            known.append(label)
        look = known.index(label)
        colour, mark = COLOURS[look % len(COLOURS)], MARKS[look % len(MARKS)]
        ys = [number(row[y]) for row in own]
        if kind == "bars":
            middle = [categories.index(row[x]) + (place - (len(found) - 1) / 2) * width for row in own]
            axes.bar(middle, ys, width, color=colour, label=label)
        else:
            line = {
                "linestyle": "-" if kind == "lines" else "none",
                "marker": mark if len(own) < 20 or kind != "lines" else "",
            }
            axes.plot(
                [number(row[x]) for row in own], ys, color=colour, markersize=4, linewidth=1.2, label=label, **line
            )
    if kind == "bars":
        slanted = {"rotation": 30, "ha": "right"} if sum(map(len, categories)) > 24 else {}
        axes.set_xticks(range(len(categories)), categories, **slanted)
    if picture.get("log"):
        axes.set_yscale("log")


def drawn(rows: Sequence[Row], picture: Mapping[str, Any]) -> Figure:
    """Return a picture of a table's rows."""
    chosen = picture.get("where", {})
    rows = [row for row in rows if all(row[name] in values for name, values in chosen.items())]
    panels = picture.get("panels")
    values = list(dict.fromkeys(row[panels] for row in rows)) if panels else [""]
    columns = min(COLUMNS, len(values))
    lines = -(-len(values) // columns)
    single = len(values) == 1
    size = (7.5, 4.2) if single else (PANEL[0] * columns, PANEL[1] * lines + 0.6)
    figure = Figure(figsize=size, layout="constrained")
    places = list(figure.subplots(lines, columns, squeeze=False).flat)
    known: list[str] = []
    for axes, value in zip(places, values, strict=False):
        draw(axes, [row for row in rows if not panels or row[panels] == value], picture, known)
        axes.set_title(value if panels else picture.get("title", ""))
    for place, axes in enumerate(places):
        axes.set_visible(place < len(values))
        axes.set_xlabel(picture["x"] if place + columns >= len(values) else "")
        axes.set_ylabel(picture["y"][0] if place % columns == 0 and len(picture["y"]) == 1 else "")
    if panels and picture.get("title"):
        figure.suptitle(picture["title"], fontsize=10, x=0.01, ha="left")
    handles = {
        label: handle for axes in places for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    if len(handles) > 1:
        figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=4, fontsize=8.5)
    return figure


def written(figure: Figure, path: Path) -> None:
    """Write an SVG without date and version, places to a hundredth of a point."""
    text = StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    path.write_text(styled_once(re.sub(r"(\.\d\d)\d+", r"\1", text.getvalue())), encoding="utf-8")


def styled_once(image: str) -> str:
    """Return an SVG whose marks have their style where they are defined, not at each place."""
    use = re.compile(r'(<use xlink:href="#([^"]+)"[^>]*?) style="([^"]*)"/>')
    styles: dict[str, set[str]] = {}
    for _, mark, style in use.findall(image):
        styles.setdefault(mark, set()).add(style)
    single = {mark: found.pop() for mark, found in styles.items() if len(found) == 1}
    image = re.sub(
        r'(<path id="([^"]+)" d="[^"]*" style=)"([^"]*)"',
        lambda found: f'{found[1]}"{single.get(found[2], found[3])}"',
        image,
    )
    return use.sub(lambda found: f"{found[1]}/>" if found[2] in single else found[0], image)


@click.command()
@click.argument("study", type=click.Choice(sorted(path.parent.name for path in HERE.glob("*/study.toml"))))
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False), required=False)
def main(study: str, folder: Path | None) -> None:
    """Draw the pictures of STUDY from the tables in FOLDER."""
    place = folder or HERE / study
    for picture in tomllib.loads((HERE / study / "study.toml").read_text(encoding="utf-8")).get("pictures", ()):
        if "table" not in picture:
            continue
        with (place / picture["table"]).open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        written(drawn(rows, picture), place / picture["file"])
        click.echo(f"{place / picture['file']}")


if __name__ == "__main__":
    main()
