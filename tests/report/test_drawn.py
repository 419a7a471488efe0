"""Figures of the pages are such as plotly's own package takes and makes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import plotly.graph_objects as go
import pytest
from plotly.subplots import make_subplots

from evosdc.report.drawn import Drawing, merged
from evosdc.report.elbow import elbow_figure
from evosdc.report.figures import heat_map
from evosdc.report.opinion import risk_picture
from evosdc.report.page import render
from evosdc.runs.reader import read_run_folders
from tests.report.synthetic import write_run
from tests.report.test_sweep_page import sweep_folder


def read_by_plotly(text: str) -> go.Figure:
    """Return a figure as plotly reads it, which refuses unknown traces and settings."""
    assert not set(text) & set("&<>")
    found = go.Figure(json.loads(text))
    assert json.loads(found.to_json()) == json.loads(text)
    return found


def figures_of(folders: list[Path]) -> list[go.Figure]:
    """Return the figures of a page."""
    texts = re.findall(r'data-figure="[^"]+">(.*?)</script>', render(read_run_folders(folders)), re.DOTALL)
    return list(map(read_by_plotly, texts))


@pytest.mark.endurance
@pytest.mark.parametrize("runs", [1, 3])
def test_pages_of_runs(tmp_path: Path, runs: int) -> None:
    folders = [write_run(tmp_path / f"run-{number}", generations=6 + number) for number in range(runs)]
    assert len(figures_of(folders)) > 4


def test_pages_of_sweeps(tmp_path: Path) -> None:
    found = figures_of([sweep_folder(tmp_path / "study")])
    assert any(trace.type == "box" for figure in found for trace in figure.data)


def test_risks_that_judges_found() -> None:
    own = {"kind": "dr", "value": 9.0, "low": 7.0, "high": 12.0, "original": 80.0, "chance": 1.5, "claim": 8.0}
    judges = {"linkage": own, "other": {"kind": "dr", "value": 3.0, "original": 4.0}}
    for rival in ({}, {"linkage": own}):
        drawn = risk_picture(judges, rival, tuned=True)
        assert drawn is not None
        assert read_by_plotly(drawn.json).data[-1].error_x.arrayminus[0] == 2.0


def test_a_heat_map_and_an_elbow() -> None:
    curve = [{"clusters": number, "distance": 9.0 / number} for number in range(2, 7)]
    entry = {
        "categories": ["low", "<high>"], "matrix": [[0.75, 0.25], [0.001, 0.999]], "frequencies": [3, 5],
        "published": [2, 6],
    }  # fmt: skip
    assert read_by_plotly(heat_map(entry).json).layout.yaxis2.matches == "y"
    assert len(read_by_plotly(elbow_figure({"curve": curve, "suggested": 3}, 4).json).data) == 4


@pytest.mark.parametrize("widths", [[1.0, 1.0, 1.0], [0.5, 0.3, 0.2]])
def test_panels_stand_where_plotly_puts_them(widths: list[float]) -> None:
    titles = ["a", "b", "c"]
    theirs = make_subplots(rows=1, cols=3, subplot_titles=titles, column_widths=widths, horizontal_spacing=0.07)
    ours = read_by_plotly(Drawing(100, titles, widths, 0.07).json)
    for panel in ("", "2", "3"):
        assert ours.layout[f"xaxis{panel}"].domain == pytest.approx(theirs.layout[f"xaxis{panel}"].domain)
        assert ours.layout[f"xaxis{panel}"].anchor == f"y{panel}"
    assert [one.x for one in ours.layout.annotations] == pytest.approx([one.x for one in theirs.layout.annotations])


def test_settings_are_merged_and_those_of_none_left_out() -> None:
    drawn = Drawing(100)
    drawn.add("scatter", x=[1], y=[2], error_x=None)
    assert drawn.data == [{"x": [1], "y": [2], "type": "scatter"}]
    assert merged({"a": {"b": 1, "c": 2}}, {"a": {"b": 3}}) == {"a": {"b": 3, "c": 2}}


def test_what_is_no_number_is_null() -> None:
    drawn = Drawing(100)
    drawn.add("scatter", x=[1.0, float("nan"), float("inf")], y=[1, 2, 3])
    assert json.loads(drawn.json)["data"][0]["x"] == [1.0, None, None]
