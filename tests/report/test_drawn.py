"""Figures of the pages are what plotly's own package makes of the same calls."""

from __future__ import annotations

import json
from pathlib import Path

import plotly.graph_objects as go
import pytest
from plotly.subplots import make_subplots

from evosdc.report.drawn import Drawing, drawing, merged, nested
from evosdc.report.elbow import elbow_figure
from evosdc.report.figures import heat_map
from evosdc.report.opinion import risk_picture
from evosdc.report.page import render
from evosdc.runs.reader import read_run_folders
from tests.report.synthetic import write_run
from tests.report.test_sweep_page import sweep_folder


class Plotly:
    """Makes plotly's figures in the place of ours."""

    made = 0

    def __new__(cls, height: int) -> go.Figure:
        cls.made += 1
        return go.Figure(layout={"template": "none", "height": height})

    @staticmethod
    def side_by_side(height, titles=(), columns=None, widths=(), spacing=None, shared=False):
        options = {"subplot_titles": titles} if titles else {}
        drawn = make_subplots(
            rows=1, cols=columns or len(titles), horizontal_spacing=spacing, shared_yaxes=shared,
            column_widths=list(widths) or None, **options,
        )  # fmt: skip
        Plotly.made += 1
        return drawn.update_layout(template="none", height=height)


def figures_of(monkeypatch: pytest.MonkeyPatch, make) -> tuple[list, list]:
    """Return the figures that are drawn, ours and plotly's, as plotly.js reads them."""
    found = []
    for kind in (Drawing, Plotly):
        texts: list[str] = []
        with monkeypatch.context() as patched:
            patched.setattr("evosdc.report.drawn.Drawing", kind)
            patched.setattr("evosdc.report.resources.drawing", lambda drawn, texts=texts: keep(drawn, texts))
            make(texts)
        found.append([json.loads(text) for text in texts])
    return found[0], found[1]


def keep(drawn, texts: list[str]) -> str:
    texts.append(drawing(drawn))
    return texts[-1]


@pytest.mark.endurance
@pytest.mark.parametrize("runs", [1, 3])
def test_pages_of_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: int) -> None:
    folders = [write_run(tmp_path / f"run-{number}", generations=6 + number) for number in range(runs)]
    ours, theirs = figures_of(monkeypatch, lambda texts: render(read_run_folders(folders)))
    assert len(ours) > 4
    assert Plotly.made >= len(theirs)
    assert ours == theirs


def test_pages_of_sweeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = sweep_folder(tmp_path / "study")
    ours, theirs = figures_of(monkeypatch, lambda texts: render(read_run_folders([folder])))
    assert any(trace["type"] == "box" for figure in ours for trace in figure["data"])
    assert ours == theirs


def test_risks_that_judges_found(monkeypatch: pytest.MonkeyPatch) -> None:
    own = {"kind": "dr", "value": 9.0, "low": 7.0, "high": 12.0, "original": 80.0, "chance": 1.5, "claim": 8.0}
    judges = {"linkage": own, "other": {"kind": "dr", "value": 3.0, "original": 4.0}}

    def make(texts: list[str]) -> None:
        for rival in ({}, {"linkage": own}):
            drawn = risk_picture(judges, rival, tuned=True)
            assert drawn is not None
            keep(drawn, texts)

    ours, theirs = figures_of(monkeypatch, make)
    assert ours == theirs
    assert "error_x" in ours[0]["data"][-1]


def test_a_heat_map_and_an_elbow(monkeypatch: pytest.MonkeyPatch) -> None:
    curve = [{"clusters": number, "distance": 9.0 / number} for number in range(2, 7)]
    entry = {
        "categories": ["low", "<high>"], "matrix": [[0.75, 0.25], [0.001, 0.999]], "frequencies": [3, 5],
        "published": [2, 6],
    }  # fmt: skip

    def make(texts: list[str]) -> None:
        keep(heat_map(entry), texts)
        keep(elbow_figure({"curve": curve, "suggested": 3}, 4), texts)

    ours, theirs = figures_of(monkeypatch, make)
    assert ours == theirs
    assert ours[0]["layout"]["yaxis2"]["matches"] == "y"


def test_settings_are_nested_and_merged() -> None:
    given = {"title_text": "a", "title": {"font": {"size": 3}}, "margin_r": 4, "error_x": {"width": 1}, "dtick": None}
    assert nested(given) == {
        "title": {"text": "a", "font": {"size": 3}}, "margin": {"r": 4}, "error_x": {"width": 1},
    }  # fmt: skip
    assert merged({"a": {"b": 1, "c": 2}}, {"a": {"b": 3}}) == {"a": {"b": 3, "c": 2}}


def test_what_is_no_number_is_null() -> None:
    drawn = Drawing(100)
    drawn.add_scatter(x=[1.0, float("nan"), float("inf")], y=[1, 2, 3])
    assert json.loads(drawing(drawn))["data"][0]["x"] == [1.0, None, None]
