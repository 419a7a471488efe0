"""The page: what it shows for runs of many shapes, and that it is self-contained, private and well formed."""

from __future__ import annotations

import json
import re
import stat
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest

from evosdc.errors import InputError
from evosdc.report import write_report
from evosdc.report.frames import history
from evosdc.report.wording import number
from evosdc.runs.reader import read_run_folders
from tests.report.parsing import Page, parsed
from tests.report.synthetic import write_run


def page_of(target: Path, *folders: Path) -> Page:
    page = parsed(write_report(folders, target).read_text(encoding="utf-8"))
    assert page.unclosed == []
    assert len(set(page.ids)) == len(page.ids)
    assert set(page.figures) <= set(page.ids)
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links)
    levels = [int(tag[1]) for tag, _ in page.headings]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    return page


SECTIONS = ["Verdict", "Loss and risk"]
BASIS, MADE = "What the verdict rests on", "How the file was made"
FOLDED = [
    BASIS, MADE, "The best files", "Categories before and after", "Evolution", "What to bear in mind",
    "Settings and versions",
]  # fmt: skip


def test_a_finished_run_has_every_section(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run")
    page = page_of(tmp_path / "page.html", folder)
    result = json.loads((folder / "result.json").read_text())
    assert page.sections == SECTIONS
    assert page.folded == FOLDED
    assert "How the operators did" in page.text
    assert page.title == "Cells of German Credit"
    assert "The attributes savings, presemploy and district of german-credit were protected" in page.text
    assert f"has a score of {number(result['best']['fitness'][0])}" in page.text
    gain = result["portfolio"]["best"]["fitness"][0] - result["best"]["fitness"][0]
    assert f"That is {number(gain)} points" in page.text
    assert "A missing value counted as a category of its own" in page.text
    assert "left out of the published file: name." in page.text
    assert result["digest"] in page.text
    assert {"run-1-map", "run-1-evolution", "run-1-operators", "run-1-frequencies-3"} <= set(page.figures)


def test_the_page_loads_nothing_and_says_so_to_the_browser(tmp_path: Path) -> None:
    target = write_report([write_run(tmp_path / "run", generations=2)], tmp_path / "page.html")
    html = target.read_text(encoding="utf-8")
    page = parsed(html)
    assert not {"link", "img", "iframe", "object", "embed", "base", "form"} & set(page.tags)
    assert all(link.startswith("#") for link in page.links)
    assert "default-src 'none'" in html
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)
    assert style is not None
    assert not re.search(r"url\(|@import", style[1])


def test_the_file_is_private_and_replaces_the_old_one_whole(tmp_path: Path) -> None:
    target = tmp_path / "out" / "report.html"
    target.parent.mkdir()
    target.write_text("old")
    target.chmod(0o644)
    assert write_report([write_run(tmp_path / "run", generations=1)], target) == target
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert parsed(target.read_text(encoding="utf-8")).title == "Cells of German Credit"
    assert [path.name for path in target.parent.iterdir()] == ["report.html"]


def test_a_failed_call_leaves_the_old_page_alone(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    target.write_text("old")
    with pytest.raises(InputError) as caught:
        write_report([tmp_path / "absent"], tmp_path / "no" / "such.html")
    assert len(caught.value.faults) == 2
    with pytest.raises(InputError):
        write_report([tmp_path / "absent"], target)
    with pytest.raises(InputError, match="it is a folder"):
        write_report([write_run(tmp_path / "run", generations=1)], tmp_path)
    assert target.read_text() == "old"


def test_the_table_ranks_files_and_tells_where_the_portfolio_stands(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run")
    page = page_of(tmp_path / "page.html", folder)
    (table,) = [t for t in page.tables if t[0][0] == "rank"]
    assert table[0] == ["rank", "file", "score", "dbil", "ctbil", "ebil", "id", "dbrl", "prl", "IL", "DR"]
    scores = [float(row[2]) for row in table[1:11]]
    assert scores == sorted(scores)
    assert [row[0] for row in table[1:3]] == ["1", "2"]
    assert table[11] == ["The best portfolio files further down"]
    result = json.loads((folder / "result.json").read_text())
    assert table[12][1] == result["portfolio"]["best"]["label"]
    assert int(table[12][0]) > 10
    assert table[-1][1:3] == ["unprotected original", number(result["identity"]["fitness"][0])]


def test_frequencies_are_drawn_and_listed_in_order(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", generations=2)
    page = page_of(tmp_path / "page.html", folder)
    document = json.loads((folder / "frequencies.json").read_text())
    listed = [t for t in page.tables if t[0][0] == "category"]
    for position, (entry, table) in enumerate(zip(document.values(), listed, strict=True), 1):
        assert [row[0] for row in table[1 : len(entry["categories"]) + 1]] == entry["categories"]
        assert [int(row[1]) for row in table[1 : len(entry["categories"]) + 1]] == entry["before"]
        before, after = page.figures[f"run-1-frequencies-{position}"]["data"]
        upright = before["orientation"] == "v"
        assert before["y" if upright else "x"] == entry["before"]
        assert after["y" if upright else "x"] == entry["after"]
    assert listed[1][-1] == ["missing", "3", "0", "\N{MINUS SIGN}3"]
    ticks = page.figures["run-1-frequencies-3"]["layout"]["xaxis"]["ticktext"]
    assert len(ticks) <= 36
    assert ticks[0].startswith("district &lt;0&gt;")
    assert ticks[-1].startswith("district &lt;49&gt;")
    assert "Not every category is labelled" in page.text
    assert "this page is as confidential as the file itself" in page.text


def test_the_map_shows_every_set(tmp_path: Path) -> None:
    page = page_of(tmp_path / "page.html", write_run(tmp_path / "run", generations=2))
    traces = {trace["name"]: trace for trace in page.figures["run-1-map"]["data"]}
    assert {"mdav", "pram", "final population", "front", "unprotected original", "best file found"} <= set(traces)
    assert len(traces["final population"]["x"]) == 40
    assert traces["front"]["x"] == sorted(traces["front"]["x"])
    assert traces["front"]["mode"] == "lines+markers"
    assert traces["unprotected original"]["y"] == [91.5]
    assert "mdav k=2 (savings)" in traces["mdav"]["text"][0]
    assert "dbrl" in traces["mdav"]["text"][0]


def test_the_map_crosses_out_files_outside_the_bounds_and_draws_the_bound(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", generations=2)
    resolved = json.loads((folder / "resolved.json").read_text())
    limits = ["id <= 9", "dbrl <= 9", "prl <= 12.5", "il <= 60", "dbil of savings <= 3", "k-anonymity >= 3"]
    (folder / "resolved.json").write_text(json.dumps(resolved | {"limits": limits}))
    frame = pd.read_csv(folder / "scores.csv")
    frame["infeasibility"] = (frame["dr"] > 9.0) * 1.0
    frame.to_csv(folder / "scores.csv", index=False)
    page = page_of(tmp_path / "page.html", folder)
    traces = {trace["name"]: trace for trace in page.figures["run-1-map"]["data"]}
    assert traces["bound: DR 12.5"]["y"] == [12.5, 12.5], "above it one of three measures breaks its own"
    assert traces["bound: IL 60"]["x"] == [60.0, 60.0]
    inside, outside = (frame[(frame["dr"] > 9.0) == way] for way in (False, True))
    drawn = outside[outside["set"].isin(["portfolio", "population"])]
    assert sorted(traces["outside the bounds"]["y"]) == pytest.approx(sorted(drawn["dr"].round(4)))
    assert traces["outside the bounds"]["marker"]["symbol"] == "x-thin"
    shown = [y for name in ("mdav", "pram", "final population") for y in traces.get(name, {"y": []})["y"]]
    assert max(shown, default=0.0) <= 9.0
    assert len(inside) + len(outside) == len(frame)
    assert "Crosses break a bound of the search" in page.text
    assert "breaks the bounds" in page.text


def test_thousands_of_generations_are_thinned_with_both_ends(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", generations=3000)
    page = page_of(tmp_path / "page.html", folder)
    (run,) = read_run_folders([folder])
    rows = history(run)
    traces = [t for t in page.figures["run-1-evolution"]["data"] if t["name"] == "best file so far"]
    assert len(traces) == 3
    for trace, key in zip(traces, ("fitness", "il", "dr"), strict=True):
        assert len(trace["x"]) <= 400
        assert trace["x"][0] == rows["evaluations"].iloc[0]
        assert trace["x"][-1] == rows["evaluations"].iloc[-1]
        assert trace["y"][-1] == pytest.approx(rows[f"champion_{key}"].iloc[-1], abs=1e-4)


def test_one_generation_without_front_or_operators(tmp_path: Path) -> None:
    page = page_of(tmp_path / "page.html", write_run(tmp_path / "run", generations=0, front=0))
    assert page.sections == SECTIONS
    assert "How the operators did" not in page.text
    assert "front" not in [trace["name"] for trace in page.figures["run-1-map"]["data"]]
    best = next(t for t in page.figures["run-1-evolution"]["data"] if t["name"] == "best file so far")
    assert best["mode"] == "lines+markers"


def test_a_search_that_started_without_a_portfolio(tmp_path: Path) -> None:
    page = page_of(tmp_path / "page.html", write_run(tmp_path / "run", portfolio=0, generations=2))
    assert "portfolio of" not in page.text
    assert "Best portfolio file" not in [text for _, text in page.headings]
    assert "The best portfolio files further down" not in page.text


def test_a_running_run_shows_what_there_is(tmp_path: Path) -> None:
    page = page_of(tmp_path / "page.html", write_run(tmp_path / "run", state="running", finished=False))
    assert "The run had not ended" in page.text
    assert page.sections == []
    assert page.folded == [MADE, "Evolution", "What to bear in mind", "Settings and versions"]
    assert "The best file so far has a score of" in page.text


def test_a_run_that_failed_at_once_says_why(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", state="failed", finished=False, generations=-1, message="worker <3> was lost")
    page = page_of(tmp_path / "page.html", folder)
    assert "The run says: worker <3> was lost" in page.text
    assert "No file has been evaluated yet." in page.text
    assert page.figures == {}
    assert page.sections == []
    assert page.folded == [MADE, "What to bear in mind", "Settings and versions"]


def test_without_il_and_dr_the_fitness_takes_their_place(tmp_path: Path) -> None:
    page = page_of(tmp_path / "page.html", write_run(tmp_path / "run", fitness="dm", il_dr=False))
    assert "Loss and risk" not in page.sections
    assert "discernibility" in page.text
    assert "IL" not in [cell for table in page.tables for cell in table[0]]
    assert [a["text"] for a in page.figures["run-1-evolution"]["layout"]["annotations"]] == ["fitness (dm)"]


def test_several_objectives_are_ranked_by_score_and_the_written_file_is_told_apart(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", fitness="pareto")
    page = page_of(tmp_path / "page.html", folder)
    assert "has 2 objectives that are not combined" in page.text
    assert "the file that the run wrote is another one" in page.text
    written = json.loads((folder / "result.json").read_text())["best"]["scores"]
    assert f"(IL {number(written['il'])}, DR {number(written['dr'])})" in page.text
    titles = [a["text"] for a in page.figures["run-1-evolution"]["layout"]["annotations"]]
    assert titles == ["IL", "DR", "size of the front"]


@pytest.mark.parametrize(
    "title", ['</title><script>alert(1)</script> & "co"', "日本語のデータ", "بيانات سرية", "{{ 7 * 7 }}"]
)
def test_names_in_any_script_and_with_any_characters(tmp_path: Path, title: str) -> None:
    attributes = {f"{title} {n}": ("ordinal", [title, "<b>bold</b>", "", "%{x}", "é"]) for n in range(2)}
    folder = write_run(tmp_path / "run", title=title, attributes=attributes, generations=2)
    page = page_of(tmp_path / "page.html", folder)
    assert page.title == title
    assert ("h1", title) in page.headings
    assert page.tags.count("script") == 3 + len(page.figures)
    listed = [t for t in page.tables if t[0][0] == "category"]
    assert [row[0] for row in listed[0][1:6]] == [title, "<b>bold</b>", "", "%{x}", "é"]


def test_no_record_reaches_the_page(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", generations=2)
    secret = "record-value-4711"
    (folder / "best.csv").write_text(f"savings\n{secret}\n")
    result = json.loads((folder / "result.json").read_text())
    result["best"]["genome"] = {"rows": [[secret]], "cells": secret}
    (folder / "result.json").write_text(json.dumps(result))
    assert secret not in write_report([folder], tmp_path / "page.html").read_text(encoding="utf-8")


def test_rules_that_make_the_file_are_shown(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", fitness="dm", il_dr=False, generations=2)
    result = json.loads((folder / "result.json").read_text())
    levels = {"levels": {"age": 2, "sex": 0}, "heights": {"age": 4}, "suppressed": 1400}
    result["best"]["genome"] = levels | {"equations": {"age": "p / t"}, "equation": "1 - p", "decoding": "raw"}
    (folder / "result.json").write_text(json.dumps(result))
    page = page_of(tmp_path / "page.html", folder)
    assert [
        ["level of age", "2 of 4"],
        ["level of sex", "0"],
        ["records suppressed", "1\N{NARROW NO-BREAK SPACE}400"],
        ["formula", "1 - p"],
        ["formula of age", "p / t"],
    ] in page.tables


def test_an_original_that_may_not_be_published_is_nothing_to_compare_with(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run")
    assert "Unprotected original" in (before := write_report([folder], tmp_path / "a.html").read_text(encoding="utf-8"))
    result = json.loads((folder / "result.json").read_text())
    result["identity"] = None
    (folder / "result.json").write_text(json.dumps(result))
    after = write_report([folder], tmp_path / "b.html").read_text(encoding="utf-8")
    assert "Unprotected original" not in after
    assert len(after) < len(before)
