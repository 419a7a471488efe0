"""Sentences that say what was gained, changed and warned of, and where it is nothing, that it is nothing."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from evosdc.printing import file_name, without_folders
from evosdc.report import figures, release, write_report
from evosdc.report.fresh_draws import fresh_measures, fresh_score, fresh_verdicts
from evosdc.report.standings import Standing, Standings, standings
from evosdc.report.summary import caveats, changed_text, changed_total, gain_text, sentences
from evosdc.report.wording import percent
from evosdc.runs.reader import RecordedRun, read_run_folders
from tests.report.parsing import Page, parsed
from tests.report.synthetic import amend, resolve, write_run


def read(folder: Path) -> RecordedRun:
    (run,) = read_run_folders([folder])
    return run


def page_of(folder: Path) -> Page:
    page = parsed(write_report([folder], folder.parent / "page.html").read_text(encoding="utf-8"))
    assert page.unclosed == []
    return page


def stand(best: float, portfolio: float | None, identity: float | None) -> Standings:
    def standing(label: str, score: float | None) -> Standing | None:
        return None if score is None else Standing(label, score)

    return Standings(standing("original", identity), standing("mdav", portfolio), standing("best", best), 3)


@pytest.mark.parametrize(
    ("best", "portfolio", "identity", "text"),
    [
        (20.0, 25.0, 50.0, "That is 5.00 points, or 20.0 %, less than the best portfolio file; less is better."),
        (25.0, 25.0, 50.0, "Nothing was gained: no file better than the best portfolio file was found."),
        (25 - 1e-12, 25.0, 50.0, "Nothing was gained: no file better than the best portfolio file was found."),
        (
            24.998, 25.0, 50.0,
            "Next to nothing was gained: it is better than the best portfolio file by less than 0.01 points.",
        ),
        (99999.0, 1e5, 2e5, "That is 1.00 points less than the best portfolio file; less is better."),
        (
            26.0, 25.0, 50.0,
            "Nothing was gained: the best file found is worse than the best portfolio file by 1.00 points.",
        ),
        (27.0, None, 27.0, "The best file does not score better than the unprotected original."),
        (
            28.0, 28.0, 27.0,
            "Nothing was gained: no file better than the best portfolio file was found. The best file does not score "
            "better than the unprotected original; it is worse by 1.00 points.",
        ),
        (20.0, None, None, ""),
        (math.nan, 20.0, 30.0, ""),
    ],
)  # fmt: skip
def test_what_was_gained(best: float, portfolio: float | None, identity: float | None, text: str) -> None:
    assert gain_text(stand(best, portfolio, identity)) == text


def test_an_original_beyond_the_bounds_is_no_rival() -> None:
    beyond = Standing("original", 0.0, {"infeasibility": 58.4})
    assert gain_text(replace(stand(28.0, 29.0, 0.0), identity=beyond)).startswith("That is 1.00 points")
    assert "unprotected" not in gain_text(replace(stand(28.0, 29.0, 0.0), identity=beyond))


def test_changed_cells_are_counted_and_shared_out(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", generations=1)
    assert changed_text(read(folder)) == ""
    assert all(map(math.isnan, changed_total(read(folder))))
    run = read(amend(folder, changed={"savings": 300, "presemploy": 0, "district": 600}))
    assert changed_total(run) == (900.0, 30.0)
    assert changed_text(run).replace("\u202f", " ") == (
        "In the published file, 900 of 3 000 protected cells (30.0 %) differ from the original: savings 300 (30.0 %), "
        "presemploy 0 (0.0 %) and district 600 (60.0 %)."
    )
    assert changed_text(run).replace("\u202f", " ") in page_of(folder).text.replace("\u202f", " ")
    told = {(15, 4): "15 records are published with all their protected values as in the original; 4 of them were like"}
    told |= {(1, 1): "1 record is published with all its protected values as in the original; 1 of them was like no"}
    told |= {(2, 0): "2 records are published with all their protected values as in the original."}
    for (records, alone), words in told.items():
        assert words in changed_text(read(amend(folder, untouched={"records": records, "alone": alone})))
    assert "published with" not in changed_text(read(amend(folder, untouched={"records": 0, "alone": 0})))
    assert "the file is not protected" in changed_text(read(amend(folder, changed={"savings": 0})))
    assert percent(0.01) == "less than 0.1\u202f%"


def test_a_time_that_was_over_is_told_as_that_of_all(tmp_path: Path) -> None:
    folder = amend(write_run(tmp_path / "run", generations=1), stopped="60 seconds")
    assert "It ended since the 60 seconds given for all of it were over." in page_of(folder).text
    assert "It ended because: 9 generations are done." in page_of(amend(folder, stopped="9 generations are done")).text


def test_warnings_follow_the_verdict(tmp_path: Path) -> None:
    folder = amend(write_run(tmp_path / "run", generations=1), warnings=["District <names> records.", "Few records."])
    page = page_of(folder)
    assert page.sections[:2] == ["Verdict", "Warnings"]
    assert page.text.index("District <names> records.") < page.text.index("Each point is a protected file")
    for nothing in ([], [""]):
        assert "Warning" not in page_of(amend(folder, warnings=nothing)).text


def test_the_score_to_beat_is_told_apart_only_where_it_differs(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", generations=1)

    def told() -> str:
        run = read(folder)
        return " ".join(caveats(run, standings(run)))

    assert "so the score to beat is 45.75, not 50." in told()
    amend(folder, identity={"scores": {"il": 0.0, "dr": 100.0}, "fitness": [50.0]})
    assert "IL 0.00 and DR 100.00 in this run, so the score to beat is 50.00." in told()
    assert "not 50" not in told()
    assert "need not have DR 100" not in told()


def test_the_greater_of_il_and_dr_is_never_set_against_50(tmp_path: Path) -> None:
    run = read(write_run(tmp_path / "run", fitness="max", generations=1))
    told = " ".join(caveats(run, standings(run)))
    assert "so the score to beat is 91.50." in told


def test_notes_of_the_genotype_are_told(tmp_path: Path) -> None:
    assert (
        "Three levels were left out."
        in page_of(amend(write_run(tmp_path / "run", generations=1), notes=["Three levels were left out."])).text
    )


def test_no_folder_of_the_data_reaches_the_page(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", state="failed", message="Cannot write /home/eve/out put/x.csv", generations=1)
    file = "/home/eve/secret project/patients of 2020.csv"
    resolve(folder, data={"name": None, "file": file, "schema": "../eve/patients.toml"})
    amend(folder, warnings=[f"{file} has few records."], stopped="/home/eve/stop.flag was found")
    html = write_report([folder], tmp_path / "page.html").read_text(encoding="utf-8")
    assert "secret project" not in html
    assert "home/eve" not in html
    assert "../eve" not in html
    page = parsed(html)
    assert "of patients of 2020.csv were protected" in page.text
    assert "patients of 2020.csv has few records." in page.text
    assert ["data.file", "patients of 2020.csv"] in page.tables[-2]
    assert ["data.schema", "patients.toml"] in page.tables[-2]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("read /tmp/nc/patients.csv, twice", "read patients.csv, twice"),
        (r"read 'C:\\data\\eve\\x.csv'.".replace("\\\\", "\\"), "read 'x.csv'."),
        ("either/or of a/b/c", "either/or of a/b/c"),
        ("3 / 4 and 5/6", "3 / 4 and 5/6"),
        ("~/data/x.csv: gone", "x.csv: gone"),
    ],
)
def test_paths_in_sentences(text: str, plain: str) -> None:
    assert without_folders(text) == plain


def test_file_names_of_any_system() -> None:
    assert [file_name(p) for p in ("x.csv", "/a/b c/x.csv", "C:\\a\\x.csv", "a/b/", "")] == ["x.csv"] * 3 + ["b", ""]


def fresh(gained: float, error: float) -> dict[str, Any]:
    best = {"scores": {"dbil": 3.0, "il": 10.0, "dr": 20.0}, "errors": {"dbil": 0.5, "il": 0.25, "dr": 0.75}}
    best |= {"fitness": [15.0], "fitness_errors": [0.4]}
    other = best | {"label": "pram theta=0.2", "advantage": gained, "advantage_error": error}
    return {"draws": 30, "best": best, "founder": other, "portfolio": None}


@pytest.mark.parametrize(
    ("gained", "error", "text"),
    [
        (2.0, 0.5, "by 2.00 ± 0.50: the gain is more than chance."),
        (0.9, 0.5, "is 0.90 ± 0.50, which cannot be distinguished from chance."),
        (-0.9, 0.5, "is \N{MINUS SIGN}0.90 ± 0.50, which cannot be distinguished from chance."),
        (-2.0, 0.5, "which is better by 2.00 ± 0.50."),
        (0.0, 0.0, "Nothing was gained over the best of what the search began with"),
    ],
)
def test_fresh_draws_tell_a_gain_from_chance(tmp_path: Path, gained: float, error: float, text: str) -> None:
    folder = amend(write_run(tmp_path / "run", generations=1), fresh=fresh(gained, error))
    run = read(folder)
    first, second = fresh_verdicts(run)
    assert first == "There the best file found has a score of 15.00 ± 0.40."
    assert text in second
    assert "pram theta=0.2" in second
    assert fresh_score(run) == (15.0, 0.4)
    shown = fresh_measures(run)
    assert shown["headings"] == ["IL", "DR", "dbil"]
    assert shown["rows"][0]["values"] == ["10.00 ± 0.25", "20.00 ± 0.75", "3.00 ± 0.50"]
    page = page_of(folder)
    assert "over 30 draws that it never saw" in page.text
    assert first in page.text
    assert second in page.text
    assert "10.00 ± 0.25" in page.text


def test_without_fresh_draws_nothing_is_said_of_them(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", generations=1)
    for nothing in (None, {}):
        run = read(amend(folder, fresh=nothing))
        assert fresh_verdicts(run) == []
        assert math.isnan(fresh_score(run)[0])
        assert "fresh draws" not in page_of(folder).text


@pytest.mark.parametrize("size", [1, 14, 36, 37, 71, 72, 73, 500, 5000])
def test_labels_are_thinned_evenly_with_both_ends(size: int) -> None:
    kept = figures.labelled(size)
    gaps = [b - a for a, b in pairwise(kept)]
    assert kept[0] == 0
    assert kept[-1] == size - 1
    assert len(kept) <= 36
    assert size > 36 or kept == list(range(size))
    assert len(set(gaps[:-1])) <= 1
    assert not gaps or gaps[-1] >= gaps[0]


def test_few_labels_stand_upright_only_where_there_is_room() -> None:
    def drawn(labels: list[str]) -> str:
        entry = {"categories": labels, "before": [1] * len(labels), "after": [1] * len(labels)}
        return str(figures.frequency_bars(entry).data[0]["orientation"])

    assert drawn([f"A7{n}" for n in range(5)]) == "v"
    assert drawn([f"{n}00000" for n in range(14)]) == "h"


@pytest.mark.parametrize(
    ("labels", "upright"),
    [
        (["primary", "secondary", "none"], True),
        (["missing", "low", "middle", "high"], True),
        (["missing", "low", "high"], False),
        (["unemployed", "employed"], False),
        (list("abcdefg"), False),
        (list("abcdefgh"), True),
    ],
)
def test_headings_of_cross_tables_stand_upright_where_a_word_would_be_broken(labels, upright) -> None:
    counts = [[1] * len(labels)] * len(labels)
    entry = {"attribute": "a", "scale": "ordinal", "published": labels, "original": labels, "counts": counts}
    assert release._cross_table(entry | {"same_labels": True, "kept": 50.0})["upright"] is upright


def test_rare_categories_are_drawn_as_any_and_explained(tmp_path: Path) -> None:
    labels = [f"town {n}" for n in range(70)] + ["284 rare categories"]
    folder = write_run(tmp_path / "run", generations=1, attributes={"town": ("nominal", labels)})
    page = page_of(folder)
    ticks = page.figures["run-1-frequencies-1"]["layout"]["xaxis"]
    assert ticks["tickvals"][-1] == 70
    assert ticks["ticktext"][-1] == "284 rare categories"
    assert len(page.figures["run-1-frequencies-1"]["data"][0]["y"]) == 71
    assert "fewer than 3 times both before and after are drawn as one" in page.text
    assert "differ by at least" in page.text


def test_a_run_without_categories_is_told_without_them(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", generations=2, attributes={})
    (folder / "frequencies.json").write_text("{}")
    resolve(amend(folder, protect=["income"], changed={"income": 17}), data={"protect": ["income"]})
    page = page_of(folder)
    assert "Categories before and after" not in [text for _, text in page.headings]
    assert "The attribute income of german-credit was protected" in page.text
    told = " ".join(sentences(read(folder), standings(read(folder)))).replace("\u202f", " ")
    assert "17 of 1 000 protected cells (1.7 %) differ from the original, all of income." in told


def test_of_several_objectives_the_written_file_is_the_one_whose_counts_are_shown(tmp_path: Path) -> None:
    page = page_of(amend(write_run(tmp_path / "run", fitness="pareto", generations=2), changed={"savings": 5}))
    assert "in the original and in the file that was written" in page.text
    assert json.dumps("NaN") not in page.text
    assert "In the published file, 5 of 1 000 protected cells" in page.text.replace("\u202f", " ")
