"""The benchmark runs in its smoke profile; figures are for people to read."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.studies

ROOT = Path(__file__).parents[2]


def test_the_smoke_profile_times_searches_and_evaluations():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.engine", "--smoke"],
        capture_output=True, text=True, check=True, cwd=ROOT, env={"PATH": ""},
    )  # fmt: skip
    for row in ("parent-child", "hill-climbing", "islands", "prl", "measures", "all"):
        figures = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith(f"{row} ")]
        assert len(figures) == 1
        assert all(float(figure.rstrip("%")) > 0.0 for figure in figures[0])


def test_the_smoke_profile_times_a_large_file():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.growth", "--smoke"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    head, row = done.stdout.splitlines()
    assert head.split()[0] == "records"
    assert [float(figure) > 0 for figure in row.split()[:3]] == [True] * 3


def test_the_smoke_profile_measures_commands():
    words = [sys.executable, "-m", "benchmarks.million", "--smoke", "--only", "measure"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    head, *rows = done.stdout.splitlines()
    assert head.split()[:2] == ["command", "records"]
    assert [row.split()[0] for row in rows] == ["mask", "measure"]
    assert all(float(figure) > 0 for row in rows for figure in row.split()[-4:])
