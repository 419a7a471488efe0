"""The benchmark runs in its smoke profile; figures are for people to read."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.studies

ROOT = Path(__file__).parents[2]


def test_the_smoke_profile_times_searches_and_evaluations():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.engine", "--smoke"],
        capture_output=True, text=True, check=True, cwd=ROOT, env={**os.environ, "EVOSDC_DATA": ""},
    )  # fmt: skip
    tables = {"parent-child": 2, "hill-climbing": 2, "islands": 2, "prl": 1, "measures": 1, "all": 1}
    for row, count in tables.items():
        figures = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith(f"{row} ")]
        assert len(figures) == count
        assert all(float(figure.rstrip("%")) > 0.0 for own in figures for figure in own)


def test_the_smoke_profile_times_a_large_file():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.growth", "--smoke"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines() if line[:12].strip().isdigit()]
    assert done.stdout.count("candidates a second") == len(rows) == 3
    assert all(float(figure) > 0 for row in rows for figure in row[:3])


def test_the_smoke_profile_measures_commands():
    words = [sys.executable, "-m", "benchmarks.million", "--smoke", "--only", "measure"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    head, *rows = done.stdout.splitlines()
    assert head.split()[:2] == ["command", "records"]
    assert [row.split()[0] for row in rows] == ["mask", "measure"]
    assert all(float(figure) > 0 for row in rows for figure in row.split()[-4:])
