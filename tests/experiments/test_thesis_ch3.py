"""The experiments of thesis chapter 3 in their smoke profile."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.studies

STUDY = Path(__file__).parents[2] / "experiments" / "thesis-ch3"
NUMERIC = ("tarragona", "census", "eia")
VARIANTS = ("mean", "max", "max-without-the-best-5", "max-without-the-best-10")


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    output = tmp_path_factory.mktemp("ch3") / "runs"
    command = [sys.executable, str(STUDY / "study.py"), "--smoke", "-o", str(output)]
    return subprocess.run(command, capture_output=True, text=True, cwd=output.parent), output


def test_every_search_gains_over_its_whole_portfolio(study):
    done, output = study
    assert done.returncode == 0, done.stderr
    with (output / "scores.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    assert len(rows) == len(VARIANTS)
    for variant, row in zip(VARIANTS, rows, strict=True):
        folder = output / f"housing-{variant}"
        result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
        entries = json.loads((folder / "portfolio.json").read_text(encoding="utf-8"))
        least = min(entry["fitness"][0] for entry in entries if entry["masking"])
        best = result["best"]["fitness"][0]
        assert best < least
        assert row[8:11] == [f"{least:.3f}", f"{best:.3f}", f"{least - best:.3f}"]
        assert row[10] in done.stdout
        assert ("left_out" in result["portfolio"]) == ("without" in variant)
        initial, final = [float(cell) for cell in row[2:5]], [float(cell) for cell in row[5:8]]
        assert all(b <= a for a, b in zip(initial, final, strict=True))


def test_the_front_grows(study):
    done, output = study
    with (output / "fronts.csv").open(newline="", encoding="utf-8") as file:
        (row,) = list(csv.DictReader(file))
    assert float(row["final front"]) > float(row["portfolio's front"])
    assert row["final front"] in done.stdout


def test_dispersion_and_evolution_of_every_run_are_drawn(study):
    _, output = study
    page = (output / "figures.html").read_text(encoding="utf-8")
    assert "Initial and final populations" in page
    assert "Evolution of the least, mean and greatest score" in page
    assert page.count("housing, max without the best 10 %") == 2
    assert (output / "report.html").exists()


def test_an_unknown_file_is_refused(tmp_path):
    command = [sys.executable, str(STUDY / "study.py"), "--files", "nowhere", "-o", str(tmp_path / "runs")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    assert "nowhere" in done.stderr


def test_all_files_of_the_chapter_have_an_experiment():
    documents = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in STUDY.glob("*.toml")}
    assert set(documents) == {"housing", "german", "flare", "adult-1000", "adult", "tarragona", "census", "eia"}
    for name, document in documents.items():
        assert document["genotype"]["name"] == "cells"
        assert document["start"]["portfolio"] == ("numeric" if name in NUMERIC else "categorical")
