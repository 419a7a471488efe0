"""A plugin that raises: the terminal says which one, by which method and why; files keep no message of it."""

import json

import pytest

PLUGIN = """
import os
from evosdc.model import Fitted, Measure, MeasureSpec, Scale, hookimpl


class FittedFragile(Fitted):
    def score(self, masked):
        if os.environ["FAILS"] == "score" and (masked.codes != self.codes).any():
            raise ValueError("Jane Doe, born 1950")
        return 1.0


class Fragile(Measure):
    supports = frozenset(Scale)

    def fit(self, original):
        if os.environ["FAILS"] == "fit":
            raise KeyError("Jane Doe, born 1950")
        fitted = FittedFragile()
        fitted.codes = original.codes
        return fitted


@hookimpl
def evosdc_measures():
    yield MeasureSpec(name="fragile", implementation="fragile_measure:Fragile", summary="Raises.", kind="dr")
"""
EXPERIMENT = """data = { name = "housing", first = 60, protect = ["degree", "grade1"] }
start = { random = 4 }
measures = { il = ["dbil"], dr = ["fragile"] }
executor = "serial"
stop = { generations = 2 }
"""


@pytest.fixture
def fragile(evosdc, tmp_path, forgotten):
    (tmp_path / "fragile_measure.py").write_text(PLUGIN)
    (tmp_path / "e.toml").write_text(EXPERIMENT)
    return lambda *words: evosdc("--plugin", "fragile_measure.py", *words)


def test_what_a_measure_raises_in_a_run_is_told(fragile, tmp_path, monkeypatch):
    monkeypatch.setenv("FAILS", "score")
    answer = fragile("run", "e.toml", "-o", "r", "--quiet")
    assert answer.status == 1
    assert "Error: measure fragile: score raised ValueError: Jane Doe, born 1950" in answer.err.splitlines()
    status = json.loads((tmp_path / "r" / "status.json").read_text())
    assert status["message"] == "PluginRaisedError: measure fragile: score raised ValueError"
    assert all(b"Jane Doe" not in path.read_bytes() for path in (tmp_path / "r").iterdir())


@pytest.mark.parametrize(("fails", "told"), [("score", "score raised ValueError"), ("fit", "KeyError")])
def test_what_a_measure_raises_by_itself_is_told(fragile, monkeypatch, fails, told):
    monkeypatch.setenv("FAILS", "")
    assert fragile("mask", "rank-swapping", "housing", "--protect", "degree", "-o", "m.csv").status == 0
    monkeypatch.setenv("FAILS", fails)
    words = [("measure", "housing", "m.csv", "--measures", "fragile", "--protect", "degree")]
    words += [("run", "e.toml", "-o", "r")] if fails == "fit" else []
    for command in words:
        answer = fragile(*command)
        assert answer.status == 1
        assert "Error: measure fragile: " in answer.err
        assert told in answer.err
        assert "Jane Doe, born 1950" in answer.err
