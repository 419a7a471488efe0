"""What the page says of the file that is published: verdict, columns, analyses, records at risk; and for its users."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest

import evosdc
from evosdc.errors import InputError
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.single_run import run_once
from evosdc.plugins.registry import default_registry
from evosdc.report import write_for_users, write_pages, write_report
from evosdc.report.page import render
from evosdc.report.release import Definitions, analyses, cross_tables, records_at_risk, verdict
from evosdc.runs.reader import RecordedRun, read_run_folders
from evosdc.runs.result import RiskLine
from tests.report.parsing import Page, parsed
from tests.report.synthetic import write_run

GIVEN = {
    "title": "A tiny survey",
    "data": {"name": "housing", "first": 150, "protect": ["degree", "built"]},
    "measures": {"il": ["ctbil"], "dr": ["dbrl", "informed-linkage"]},
    "fitness": "max",
    "start": [{"method": "rank-swapping", "p": 20}, {"method": "pram", "p": 0.5}],
    "stop": {"generations": 2},
    "constraints": ["informed-linkage <= 90"],
    "second_opinion": True,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("release") / "run"
    run_once(Experiment.model_validate(GIVEN), path, default_registry(), 1)
    return path


@pytest.fixture(scope="module")
def publishable(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run as if nothing forbade to publish its file, which a search of two generations does not see to."""
    path = tmp_path_factory.mktemp("publishable") / "run"
    shutil.copytree(folder, path)
    result = json.loads((path / "result.json").read_text())
    result["verdict"] |= {"publishable": True, "headline": "publishable"}
    (path / "result.json").write_text(json.dumps(result))
    return path


@pytest.fixture(scope="module")
def run(folder: Path) -> RecordedRun:
    return read_run_folders([folder])[0]


@pytest.fixture(scope="module")
def html(run: RecordedRun) -> str:
    return render([run])


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return parsed(html)


def test_the_page_opens_with_the_verdict(run: RecordedRun, page: Page) -> None:
    assert page.unclosed == []
    assert page.sections[0] == "Verdict"
    told = run.result.verdict
    for text in [*told.reasons, *told.conditions, *told.trust.yes, *told.trust.no]:
        assert text in page.text
    assert "informed-linkage <= 90: met" in page.text
    found = told.intruder
    assert found is not None
    assert f"{found['expected']:.0f} of 150" in page.text
    assert "Columns published unchanged" in page.text
    assert "grade1" in told.published_unchanged


def test_every_file_found_by_the_intruder_is_as_the_search_measured_it(run: RecordedRun) -> None:
    scores, found = run.result.best.scores, run.result.verdict.intruder
    assert found is not None
    assert found["percent"] >= max(scores["dbrl"], scores["informed-linkage"]) - 1e-9
    assert found["expected"] == pytest.approx(found["percent"] * 1.5)


def test_each_column_has_its_cross_table(run: RecordedRun, page: Page) -> None:
    entries = cross_tables(run)
    assert [entry["attribute"] for entry in entries] == ["degree", "built"]
    changed = run.result.changed
    for entry, raw in zip(entries, run.release["cross_tables"], strict=True):
        assert sum(map(sum, raw["counts"])) == 150
        assert raw["kept"] == pytest.approx(100 - changed[entry["attribute"]] / 1.5)
        heat = [table for table in page.tables if table[0][1:-1] == entry["columns"]]
        assert len(heat) == 1
        assert [row[0] for row in heat[0][1:]] == [row["label"] for row in entry["rows"]]
        assert sum(int(row[-1]) for row in heat[0][1:]) == 150


def test_analyses_are_shown_worst_first_with_unmasked_columns(run: RecordedRun, page: Page) -> None:
    sections = {section["title"]: section for section in analyses(run)}
    assert set(sections) == {"Tables", "Rank correlations"}
    names = [row["name"] for section in sections.values() for row in section["rows"] + section["more"]]
    assert any("metro" in name for name in names)
    assert all(name in page.text for name in names)
    held = [row["holds"] for row in sections["Tables"]["rows"] + sections["Tables"]["more"]]
    assert held == sorted(held)


def test_records_at_risk_are_told_by_position_alone(run: RecordedRun, html: str) -> None:
    told = records_at_risk(run)
    assert told is not None
    positions = [int(text) for _, listed in told["groups"] for text in listed.split(", ")]
    assert len(positions) == len(set(positions))
    assert all(1 <= position <= 150 for position in positions)
    chances = [entry["chance"] for entry in run.release["records"]["at_risk"]]
    assert chances == sorted(chances, reverse=True)
    assert min(chances) >= 0.5


def test_no_record_of_either_file_is_on_a_page(publishable: Path, html: str, tmp_path: Path) -> None:
    users = write_for_users(publishable, tmp_path / "users.html").read_text(encoding="utf-8")
    frame = pd.read_csv(publishable / "best.csv", dtype=str)
    for values in frame.to_numpy().tolist():
        for text in (html, users):
            assert ",".join(values) not in text
            assert json.dumps(values) not in text


def test_measures_are_told_in_one_sentence_each_and_once(run: RecordedRun, page: Page) -> None:
    meanings = run.release["meanings"]
    assert {"ctbil", "dbrl", "informed-linkage", "learned-linkage", "il", "dr"} <= set(meanings)
    for text in meanings.values():
        assert page.text.count(" ".join(text.split())) == 1
    told = Definitions({"a": "An a.", "b": "A b."})
    assert told.first(["a", "c", "a"]) == [("a", "An a.")]
    assert told.first(["b", "a"]) == [("b", "A b.")]


def test_a_page_about_one_run_is_under_two_megabytes(html: str, tmp_path: Path) -> None:
    assert len(html.encode()) < 1_900_000
    large = write_run(tmp_path / "large", generations=2000, portfolio=200, population=2000, front=100)
    assert len(render(read_run_folders([large])).encode()) < 2_000_000


def test_the_page_follows_the_readers_colours_and_keeps_off_the_network(html: str) -> None:
    assert "prefers-color-scheme: dark" in html
    assert "@page { size: A4" in html
    assert "default-src 'none'" in html
    assert "<link" not in html
    assert 'src="http' not in html


def test_jargon_is_folded_away(page: Page) -> None:
    assert page.sections == [
        "Verdict", "Warning", "Loss and risk", "Columns before and after", "What analyses give", "Who is at risk"
    ]  # fmt: skip
    assert {"Independent attacks", "The best files", "Evolution", "Settings and versions"} <= set(page.folded)


def unfolded(html: str) -> int:
    """Return how many words of a page can be read before anything is unfolded."""
    plain = re.sub(r"<(script|style|nav)\b.*?</\1>", " ", html, flags=re.DOTALL)
    plain = re.sub(r"<details[^>]*>\s*(<summary>.*?</summary>).*?</details>", r" \1 ", plain, flags=re.DOTALL)
    return len(re.sub(r"<[^>]+>", " ", plain).split())


def test_both_pages_say_it_in_1200_words(publishable: Path, html: str, tmp_path: Path) -> None:
    users = write_for_users(publishable, tmp_path / "users.html").read_text(encoding="utf-8")
    assert 100 < unfolded(html) <= 1200
    assert 100 < unfolded(users) <= 1200


def test_a_result_of_another_version_is_refused_and_a_run_without_one_has_no_verdict(tmp_path: Path) -> None:
    (old,) = read_run_folders([write_run(tmp_path / "on", finished=False)])
    assert verdict(old, Definitions({})) is None
    folder = write_run(tmp_path / "run", generations=1)
    result = json.loads((folder / "result.json").read_text())
    (folder / "result.json").write_text(json.dumps(result | {"version": 1}))
    with pytest.raises(InputError, match="a result of version 1"):
        read_run_folders([folder])
    (folder / "result.json").write_text(json.dumps(result))
    assert cross_tables(old) == []
    assert analyses(old) == []
    assert records_at_risk(old) is None
    with pytest.raises(InputError, match="has not ended"):
        write_for_users(tmp_path / "run", tmp_path / "users.html")


def test_the_page_for_users_has_codebook_care_and_corrections(
    publishable: Path, run: RecordedRun, tmp_path: Path
) -> None:
    html = write_for_users(publishable, tmp_path / "users.html").read_text(encoding="utf-8")
    page = parsed(html)
    assert page.unclosed == []
    assert "script" not in page.tags
    titles = [text for tag, text in page.headings if tag == "h2"]
    assert titles == ["What this file is", "Rules", "What you can use"]
    assert page.folded == [
        "How to use each masked column", "Codebook", "Settings", "Where the figures of this page come from"
    ]  # fmt: skip
    assert "Re-identification is prohibited." in page.text
    assert [text for tag, text in page.headings if tag == "h3"] == ["degree", "built"]
    assert "evosdc" in page.text
    (codebook,) = (table for table in page.tables if table[0][:2] == ["column", "masked"])
    assert [row[0] for row in codebook[1:]] == [entry["attribute"] for entry in run.release["codebook"]]
    told = {row[0]: row[1] for row in codebook[1:]}
    shares = {name: 100 * cells / run.result.records for name, cells in run.result.changed.items()}
    for name, share in shares.items():
        assert told.pop(name) == f"yes; about {share:.0f} % of its values differ"
        assert f"About {share:.0f} % of its values differ from those collected." in " ".join(page.text.split())
    assert set(told.values()) == {"no: published as it was"}


@pytest.mark.parametrize(
    ("cells", "words"),
    [(0, "no: published as it was"), (1, "less than 1 %"), (-1, "more than 99 %")],
)
def test_a_column_without_a_changed_value_is_published_as_it_was(
    publishable: Path, tmp_path: Path, cells: int, words: str
) -> None:
    other = tmp_path / "other"
    shutil.copytree(publishable, other)
    result = json.loads((other / "result.json").read_text())
    result["changed"]["built"] = cells % result["records"]
    (other / "result.json").write_text(json.dumps(result))
    page = parsed(write_for_users(other, tmp_path / "users.html").read_text(encoding="utf-8"))
    (codebook,) = (table for table in page.tables if table[0][:2] == ["column", "masked"])
    (row,) = (row for row in codebook if row[0] == "built")
    assert words in row[1]
    titles = [text for tag, text in page.headings if tag == "h3"]
    assert titles == (["degree", "built"] if cells else ["degree"])
    text = " ".join(page.text.split())
    assert ("the column degree was masked; all others are published as they were collected" in text) == (cells == 0)


def test_the_page_for_users_has_the_labels_of_columns(publishable: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(publishable, other)
    release = json.loads((other / "release.json").read_text())
    release["codebook"][0]["label"] = "What the column is about"
    (other / "release.json").write_text(json.dumps(release))
    page = parsed(write_for_users(other, tmp_path / "users.html").read_text(encoding="utf-8"))
    (codebook,) = (table for table in page.tables if table[0][:2] == ["column", "masked"])
    names = [entry["attribute"] for entry in release["codebook"]]
    assert [row[0] for row in codebook[1:]] == [f"{names[0]}: What the column is about", *names[1:]]


def test_a_run_keeps_the_labels_of_its_file(tmp_path: Path) -> None:
    frame = pd.DataFrame({"v1": [k % 7 + 20.0 for k in range(40)], "v2": [k % 3 + 1.0 for k in range(40)]})
    pyreadstat.write_sav(frame, tmp_path / "s.sav", column_labels={"v1": "Age in years"})
    data = {"file": tmp_path / "s.sav", "protect": ["v1"]}
    given = {"data": data, "start": {"methods": [{"method": "mdav"}]}, "stop": {"generations": 1}}
    evosdc.run(given | {"executor": "serial", "measures": {"il": ["ctbil"], "dr": ["dbrl"]}}, tmp_path / "run")
    listed = json.loads((tmp_path / "run" / "release.json").read_text())["codebook"]
    assert {entry["attribute"]: entry.get("label") for entry in listed} == {"v1": "Age in years", "v2": None}


def test_the_page_for_users_tells_no_confidential_figure(publishable: Path, run: RecordedRun, tmp_path: Path) -> None:
    text = parsed(write_for_users(publishable, tmp_path / "users.html").read_text(encoding="utf-8")).text
    scores = run.result.best.scores
    for name in ("il", "dr", "ctbil", "informed-linkage"):
        assert f"{scores[name]:.2f}" not in text
    for entry in run.release["analyses"]["tables"]:
        assert not entry["moved"] or f"{entry['moved']:.1f} %" not in text
    for name in ("digest", "seed"):
        assert str(getattr(run.result, name)) not in text.split() or name == "seed"
    assert run.environment["data"] not in text
    assert "rank-swapping" not in text
    assert "at risk" in text
    assert "chance of the right link" not in text


def test_no_table_by_value_is_certified_that_holds_in_classes_alone(publishable: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(publishable, other)
    release = json.loads((other / "release.json").read_text())
    for entry in release["analyses"]["tables"]:
        built = entry["attributes"] == ["built"]
        entry |= {"holds": True, "by_value": {"holds": not built, "moved": 12.0}, "grouping": {}}
    (other / "release.json").write_text(json.dumps(release))
    text = " ".join(parsed(write_for_users(other, tmp_path / "users.html").read_text(encoding="utf-8")).text.split())
    assert "Do not use counts by single value" in text
    assert "built (in classes)" in text
    assert not re.search(r"(?<! x )degree \(in classes\)", text)


def test_shares_of_small_files_are_not_told(publishable: Path, tmp_path: Path) -> None:
    few = tmp_path / "few"
    shutil.copytree(publishable, few)
    result = json.loads((few / "result.json").read_text())
    (few / "result.json").write_text(json.dumps(result | {"records": 99}))
    text = parsed(write_for_users(few, tmp_path / "users.html").read_text(encoding="utf-8")).text
    assert "was kept beyond what agrees by chance" not in text
    assert "of the records stand at another one" not in text
    assert "one share of all records, rounded" not in text
    assert "yes; some of its values differ" in text


def test_coarser_numeric_and_randomised_columns_are_corrected_each_in_its_way(
    publishable: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    shutil.copytree(publishable, other)
    release = json.loads((other / "release.json").read_text())
    first, second = release["cross_tables"]
    first |= {"same_labels": False, "attribute": "age"}
    second |= {"scale": "numeric", "attribute": "income", "reliability": 0.8123}
    third = second | {"scale": "nominal", "attribute": "sex"}
    release["cross_tables"] = [first, second, third]
    (other / "release.json").write_text(json.dumps(release))
    entry = {"randomised": True, "categories": ["f", "m"], "matrix": [[0.9, 0.1], [0.2, 0.8]]}
    (other / "analyst.json").write_text(json.dumps({"attributes": {"sex": entry}}))
    page = parsed(write_for_users(other, tmp_path / "users.html").read_text(encoding="utf-8"))
    assert "interval-censored" in page.text
    assert "squared correlation of its published and true values is about 0.8" in page.text
    assert "0.8123" not in page.text
    assert ["f", "0.900", "0.100"] in [row for table in page.tables for row in table]


def test_a_run_has_both_pages_and_a_study_one(publishable: Path, tmp_path: Path) -> None:
    single = tmp_path / "single"
    shutil.copytree(publishable, single)
    assert write_pages(single) == single / "report.html"
    assert (single / "for-users.html").is_file()
    result = json.loads((single / "result.json").read_text())
    result["verdict"] |= {"publishable": False, "headline": "not publishable", "reasons": ["Too many are found."]}
    (single / "result.json").write_text(json.dumps(result))
    write_pages(single)
    assert not (single / "for-users.html").exists()
    with pytest.raises(InputError, match="Too many are found"):
        write_for_users(single, tmp_path / "users.html")
    study = tmp_path / "study"
    shutil.copytree(publishable, study / "replicate-001")
    write_pages(study)
    assert not (study / "for-users.html").exists()
    with pytest.raises(InputError):
        write_report([tmp_path / "absent"], tmp_path / "page.html")


def edited(publishable: Path, tmp_path: Path, corrections: list[dict[str, object]], **single: object) -> str:
    """Return the text of the page for users of a run with other corrections, and other figures of its first column."""
    other = tmp_path / "edited"
    shutil.copytree(publishable, other)
    release = json.loads((other / "release.json").read_text())
    release["corrections"] = corrections
    (degree,) = (entry for entry in release["analyses"]["tables"] if entry["attributes"] == ["degree"])
    degree |= single
    (other / "release.json").write_text(json.dumps(release))
    result = json.loads((other / "result.json").read_text())
    result["verdict"]["intruder"]["percent"] = 4.2
    (other / "result.json").write_text(json.dumps(result))
    text = parsed(write_for_users(other, tmp_path / "users.html").read_text(encoding="utf-8")).text
    return " ".join(text.split())


def test_a_correction_is_told_only_where_it_helps(publishable: Path, tmp_path: Path) -> None:
    given = {"attribute": "degree", "kept": 0.4, "poor": ["metro"], "helps": True, "nearer": 38.2}
    poor = {"attribute": "built", "kept": 0.9, "poor": ["grade1", "metro"], "helps": False, "nearer": -20.0}
    text = edited(publishable, tmp_path, [given, poor])
    assert "Its tables with metro do not hold. About 0.4 of its values" in text
    assert "p = m + (p' - m) / q" in text
    assert "about 30 % nearer" in text
    assert "no correction is known to help: do not use tables of built with these columns" in text
    assert "0.9" not in text


def test_the_page_for_users_says_what_was_checked_and_no_more(publishable: Path, tmp_path: Path) -> None:
    values = {"moved": 19.7, "sampling": 5.0, "holds": False}
    grouping = {"degree": "in 12 bands of about 6 values"}
    text = edited(publishable, tmp_path, [], holds=True, grouping=grouping, by_value=values)
    assert "of the people" not in text, "no risk is told in per cent"
    assert "hold in 12 bands of about 6 values: use them as they are, in such classes." in text
    assert "Do not use counts by single value: about 20 % of the records stand at another one." in text


def test_the_tile_of_singling_out_shows_the_figure_of_its_words(run: RecordedRun) -> None:
    line = RiskLine(
        risk="Singling out", measure="surest-matches", bound=33.0, worst_bound=33.0, worst_of="", reason="", kept=False,
        words="100 % of the 20 surest matches are right; at most 33 %", mean=None, worst=100.0,
    )  # fmt: skip
    judged = run.result.verdict.model_copy(update={"risks": [line]})
    shown = verdict(replace(run, result=run.result.model_copy(update={"verdict": judged})), Definitions({}))
    assert shown is not None
    assert shown["risks"][0]["figure"].startswith("100")
