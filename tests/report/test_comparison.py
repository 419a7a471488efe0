"""Several runs on one page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evosdc.report import write_report
from evosdc.report.comparison import comparison, differences, spread
from evosdc.report.page import render
from evosdc.report.standings import standings
from evosdc.report.wording import number
from evosdc.runs.reader import read_run_folders
from tests.report.parsing import Page, parsed
from tests.report.synthetic import amend, resolve, write_run


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
    assert page.links == ["#comparison", *["#run-1", "#run-2", "#run-3"] * 2]
    table = page.tables[0]
    assert [row[0] for row in table[1:]] == [
        "study/replicate-001", "study/replicate-002", "study/replicate-003",
        "mean", "standard deviation", "least", "greatest",
    ]  # fmt: skip
    assert len(page.figures["comparison-evolution"]["data"]) == 3
    results = [json.loads((study / f"replicate-00{n}" / "result.json").read_text()) for n in (1, 2, 3)]
    places = {
        (kind, round(scores["il"], 1), round(scores["dr"], 1))
        for result in results
        for kind, scores in (("best", result["best"]["scores"]), ("known", result["portfolio"]["best"]["scores"]))
    }
    assert len(page.figures["comparison-map"]["data"]) == len(places)
    assert {"run-1-map", "run-2-map", "run-3-map"} <= set(page.figures)


def test_runs_with_different_fitness_are_not_set_against_each_other(tmp_path: Path) -> None:
    folders = [write_run(tmp_path / name, fitness=name, generations=3) for name in ("mean", "max")]
    page = parsed(write_report(folders, tmp_path / "page.html").read_text(encoding="utf-8"))
    assert "must not be set against each other" in page.text
    assert "comparison-evolution" not in page.figures
    lines = page.figures["comparison-plane"]["data"]
    assert [line["name"] for line in lines] == ["mean", "mean", "max", "max"]
    bests = [json.loads((folder / "result.json").read_text())["best"]["scores"] for folder in folders]
    drawn = {(mark["x"][0], mark["y"][0]) for mark in page.figures["comparison-map"]["data"]}
    assert {(scores["il"], scores["dr"]) for scores in bests} <= drawn
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


def page_of(tmp_path: Path, *folders: Path) -> Page:
    page = parsed(write_report(folders, tmp_path / "page.html").read_text(encoding="utf-8"))
    assert page.unclosed == []
    assert all(link[1:] in page.ids for link in page.links)
    return page


def test_runs_on_other_data_or_attributes_are_not_averaged(tmp_path: Path) -> None:
    one = write_run(tmp_path / "one", generations=2)
    other = resolve(write_run(tmp_path / "other", generations=2), data={"name": "adult"})
    document = json.loads((other / "environment.json").read_text())
    (other / "environment.json").write_text(json.dumps(document | {"data": "cd" * 32}))
    page = page_of(tmp_path, one, other)
    assert "These runs cannot be compared: they have different data." in page.text
    assert [row[0] for row in page.tables[0]] == ["run", "one", "other"]
    assert [row[1] for row in page.tables[0]] == ["data", "german-credit", "adult"]
    assert not {"comparison-evolution", "comparison-map"} & set(page.figures)
    attributes = {"savings": ("ordinal", ["low", "high"])}
    fewer = write_run(tmp_path / "fewer", generations=2, attributes=attributes)
    page = page_of(tmp_path, one, fewer)
    assert "they have different protected attributes." in page.text
    assert len(page.tables[0]) == 3


def test_the_order_of_attributes_and_what_a_failed_run_does_not_tell_make_no_difference(tmp_path: Path) -> None:
    one = write_run(tmp_path / "one", generations=2)
    result = json.loads((one / "result.json").read_text())
    turned = amend(write_run(tmp_path / "turned", seed=8, generations=2), protect=result["protect"][::-1])
    failed = write_run(tmp_path / "failed", generations=-1, finished=False, state="failed")
    assert differences(read_run_folders([one, turned, failed])) == []
    wild = amend(write_run(tmp_path / "wild", seed=9, generations=2), missing_rule="wildcard")
    assert differences(read_run_folders([one, wild])) == ["rules for missing values"]


def test_equal_runs_share_a_mark_and_a_curve_that_name_them_all(tmp_path: Path) -> None:
    folders = [write_run(tmp_path / name, generations=3) for name in ("first", "second")]
    page = page_of(tmp_path, *folders)
    assert [trace["name"] for trace in page.figures["comparison-evolution"]["data"]] == ["first and second"]
    best, known = page.figures["comparison-map"]["data"]
    assert best["name"] == "first and second"
    assert known["name"] == "first and second: best of the portfolio"
    assert "first: score" in best["text"][0]
    assert "second: score" in best["text"][0]
    notes = [note["text"] for note in page.figures["comparison-map"]["layout"]["annotations"]]
    assert notes.count("2 runs") == 2
    assert "The runs first and second ended with the same population" in page.text


def test_a_portfolio_file_that_nothing_beat_is_a_ring_around_its_mark(tmp_path: Path) -> None:
    one, two = (write_run(tmp_path / f"run{seed}", seed=seed, generations=2) for seed in (1, 2))
    known = json.loads((one / "result.json").read_text())["portfolio"]["best"]
    amend(one, best={key: known[key] for key in ("scores", "fitness")}, digest="e" * 64)
    figure = page_of(tmp_path, one, two).figures["comparison-map"]
    best = next(trace for trace in figure["data"] if trace["name"] == "run1")
    ring = next(trace for trace in figure["data"] if trace["name"] == "run1: best of the portfolio")
    assert (best["x"], best["y"]) == (ring["x"], ring["y"])
    assert ring["marker"]["symbol"] == "circle-open"
    assert ring["marker"]["size"] > best["marker"]["size"]


def test_warnings_stand_above_the_comparison_and_name_their_runs(tmp_path: Path) -> None:
    one, two, three = (write_run(tmp_path / f"run{n}", seed=n, generations=2) for n in (1, 2, 3))
    amend(one, warnings=["Few <records>.", "Nothing changed."])
    amend(two, warnings=["Few <records>."])
    page = page_of(tmp_path, one, two, three)
    assert [text for tag, text in page.headings if tag == "h2"][:2] == ["Warnings", "The runs compared"]
    assert "Few <records>. (run1 and run2)" in page.text
    assert "Nothing changed. (run1)" in page.text
    assert "#run-1-warnings" in page.links
    assert "#run-3-warnings" not in page.links
    assert page.tables[0][1][0].endswith("2 warnings")
    assert page.tables[0][2][0].endswith("1 warning")


def test_changed_cells_and_fresh_scores_have_their_columns(tmp_path: Path) -> None:
    one, two = (write_run(tmp_path / f"run{n}", seed=n, generations=2) for n in (1, 2))
    fresh = {"draws": 30, "best": {"scores": {}, "errors": {}, "fitness": [31.5], "fitness_errors": [0.2]}}
    amend(one, changed={"savings": 300, "presemploy": 0, "district": 600}, fresh=fresh | {"founder": None})
    heading, first, second = page_of(tmp_path, one, two).tables[0][:3]
    assert first[heading.index("on fresh draws")] == "31.50"
    assert first[heading.index("cells changed")] == "30.0\u202f%"
    assert second[heading.index("cells changed")] == number(None)


def test_as_many_runs_are_shown_in_full_as_the_page_has_room_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [write_run(tmp_path / name, seed=place, generations=3) for place, name in enumerate("abc")]
    whole = render(read_run_folders(folders))
    monkeypatch.setattr("evosdc.report.page.LARGEST", len(whole.encode()) - 1)
    shorter = render(read_run_folders(folders))
    assert len(shorter.encode()) < len(whole.encode())
    shown = len(folders) - 1
    assert f"the first {shown} of {len(folders)} runs are shown in full" in shorter
    assert f'id="run-{shown}"' in shorter
    assert f"run-{shown + 1}" not in shorter
    assert "<bdi>c</bdi>" in shorter
    monkeypatch.setattr("evosdc.report.page.LARGEST", 1)
    assert f"the first of {len(folders)} runs is shown in full" in render(read_run_folders(folders))
