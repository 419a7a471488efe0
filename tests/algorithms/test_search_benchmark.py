"""The benchmark of searches in its smoke profile, and how it reads curves."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.search_runs import FITNESSES, Curve, Job

pytestmark = pytest.mark.studies

ROOT = Path(__file__).parents[2]


def test_the_smoke_profile_draws_every_search(tmp_path):
    algorithms = ("memetic", "parent-child")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "benchmarks.search",
            "--smoke",
            "--algorithms",
            ",".join(algorithms),
            "-o",
            str(tmp_path),
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    for section in ("equal processor time", "equal evaluations", "Mutants in one cell", "offspring a second"):
        assert section in done.stdout
    with (tmp_path / "curves.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    searches: dict[tuple[str, ...], list[tuple[float, int, float]]] = {}
    for row in rows:
        key = (row["fitness"], row["algorithm"], row["seed"])
        searches.setdefault(key, []).append((float(row["seconds"]), int(row["evaluations"]), float(row["best"])))
    assert set(searches) == {(f, a, s) for f in FITNESSES for a in algorithms for s in ("1", "2")}
    for points in searches.values():
        assert points == sorted(points, key=lambda point: point[0])
        best = [point[2] for point in points]
        assert best == sorted(best, reverse=True)
    page = (tmp_path / "curves.html").read_text(encoding="utf-8")
    assert "housing, max" in page
    assert "memetic" in page


def test_a_curve_is_a_staircase():
    curve = Curve(Job("housing", "max", "memetic", 1, 1.0), ((0.0, 0, 9.0), (0.5, 10, 8.0), (1.0, 30, 7.0)))
    assert [curve.best_at(moment, 0) for moment in (0.0, 0.49, 0.5, 2.0)] == [9.0, 9.0, 8.0, 7.0]
    assert [curve.best_at(moment, 1) for moment in (0, 9, 10, 29, 30)] == [9.0, 9.0, 8.0, 8.0, 7.0]
