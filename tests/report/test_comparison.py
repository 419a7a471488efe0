"""Several runs on one page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evosdc.report import write_report
from evosdc.report.comparison import comparison, spread
from evosdc.report.folders import read_run_folders
from evosdc.report.standings import standings
from evosdc.report.wording import number
from tests.report.parsing import parsed
from tests.report.synthetic import write_run


@pytest.fixture
def study(tmp_path: Path) -> Path:
    for number_of_replicate in (1, 2, 3):
        write_run(tmp_path / "study" / f"replicate-00{number_of_replicate}", seed=number_of_replicate, generations=5)
    return tmp_path / "study"


def test_the_table_holds_a_run_a_row_and_their_spread(study: Path) -> None:
    runs = read_run_folders([study])
    table = comparison(runs, [standings(run) for run in runs])
    results = [json.loads((run.path / "result.json").read_text()) for run in runs]
    assert table["best"].tolist() == [result["best"]["fitness"][0] for result in results]
    assert table["il"].tolist() == [result["best"]["scores"]["il"] for result in results]
    assert table["seed"].tolist() == ["1", "2", "3"]
    assert (table["improvement"] == table["portfolio"] - table["best"]).all()
    summary = spread(table)
    assert summary.loc["mean", "portfolio"] == pytest.approx(sum(table["portfolio"]) / 3)
    assert summary.loc["least", "portfolio"] == min(table["portfolio"])


def test_replicates_share_a_page(study: Path, tmp_path: Path) -> None:
    page = parsed(write_report([study], tmp_path / "page.html").read_text(encoding="utf-8"))
    assert page.unclosed == []
    assert len(set(page.ids)) == len(page.ids)
    assert next(text for tag, text in page.headings if tag == "h2") == "The runs compared"
    assert page.links == ["#run-1", "#run-2", "#run-3"]
    table = page.tables[0]
    assert [row[0] for row in table[1:]] == [
        "study/replicate-001", "study/replicate-002", "study/replicate-003",
        "mean", "standard deviation", "least", "greatest",
    ]  # fmt: skip
    assert len(page.figures["comparison-evolution"]["data"]) == 3
    assert len(page.figures["comparison-map"]["data"]) == 6
    assert {"run-1-map", "run-2-map", "run-3-map"} <= set(page.figures)


def test_runs_with_different_fitness_are_not_set_against_each_other(tmp_path: Path) -> None:
    folders = [write_run(tmp_path / name, fitness=name, generations=3) for name in ("mean", "max")]
    page = parsed(write_report(folders, tmp_path / "page.html").read_text(encoding="utf-8"))
    assert "must not be set against each other" in page.text
    assert "comparison-evolution" not in page.figures
    assert len(page.tables[0]) == 3
    assert [row[3] for row in page.tables[0][1:]] == ["mean", "max"]


def test_a_failed_run_beside_a_finished_one(tmp_path: Path) -> None:
    done = write_run(tmp_path / "done", generations=3)
    failed = write_run(tmp_path / "failed", generations=-1, finished=False, state="failed")
    page = parsed(write_report([done, failed], tmp_path / "page.html").read_text(encoding="utf-8"))
    rows = page.tables[0]
    assert rows[2][4] == "failed"
    assert rows[2][5] == number(None)
    best = json.loads((done / "result.json").read_text())["best"]["fitness"][0]
    assert rows[1][5] == number(best)
    # The name of a line of the spread reaches over the first five columns.
    assert rows[3][:2] == ["mean", number(best)]


def test_runs_without_il_and_dr_leave_their_columns_out(tmp_path: Path) -> None:
    folders = [write_run(tmp_path / f"run{n}", seed=n, fitness="dm", il_dr=False, generations=3) for n in (1, 2)]
    page = parsed(write_report(folders, tmp_path / "page.html").read_text(encoding="utf-8"))
    assert "IL" not in page.tables[0][0]
    assert {len(row) for row in page.tables[0][:3]} == {10}
    assert "comparison-map" not in page.figures
