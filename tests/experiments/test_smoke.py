"""The experiments of the repository run as they stand, a few generations only."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.studies

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "experiments" / "mean_and_max.py"
EMBEDDED = ("housing/cells.toml",)
"""Experiments whose data come with evosdc."""
PUBLISHED = pytest.mark.data("german-credit", "solar-flare", "adult")
"""What all of them ask for."""


def smoke(folder, *experiments):
    paths = [str(SCRIPT.parent / name) for name in experiments]
    # Wide enough for the table, whatever terminal there is or is not.
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--smoke", "-o", str(folder), *paths],
        capture_output=True,
        text=True,
        cwd=folder.parent,
        env={**os.environ, "COLUMNS": "160"},
    )
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done


def assert_no_worse_than_the_portfolio(done, folder, count):
    runs = sorted(path.parent for path in folder.glob("*/result.json"))
    assert len(runs) == 2 * count
    gained = []
    for run in runs:
        result = json.loads((run / "result.json").read_text())
        best, start = result["best"]["fitness"][0], result["portfolio"]["best"]["fitness"][0]
        assert 0.0 <= best <= start <= 100.0, run.name
        assert result["generations"] == 5
        assert result["fitness"] == run.name.rpartition("-")[2]
        il, dr = (result["best"]["scores"][name] for name in ("il", "dr"))
        expected = max(il, dr) if result["fitness"] == "max" else (il + dr) / 2
        assert best == pytest.approx(expected, abs=1e-9)
        gained.append(start - best)
        with (run / "best.csv").open(newline="") as file:
            assert len(list(csv.reader(file))) == result["records"] + 1
        for figure in (start, best, start - best):
            assert f"{figure:.3f}" in done.stdout, f"the table lacks {run.name}"
    assert done.returncode == (0 if min(gained) > 0.0 else 1)
    assert "best of portfolio" in done.stdout
    report = folder / "report.html"
    assert str(report) in done.stdout.replace("\n", "")
    page = report.read_text(encoding="utf-8")
    assert page.lstrip().lower().startswith("<!doctype html")
    titles = {json.loads((run / "result.json").read_text())["title"] for run in runs}
    assert all(title in page for title in titles)


@pytest.mark.parametrize("named", [pytest.param((), marks=PUBLISHED, id="all"), pytest.param(EMBEDDED, id="embedded")])
def test_searches_end_no_worse_than_their_portfolios(named, tmp_path):
    done = smoke(tmp_path / "runs", *named)
    assert_no_worse_than_the_portfolio(done, tmp_path / "runs", len(named) or 5)
