"""Frames against the files that they come from."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evosdc.report import frames
from evosdc.runs.reader import RecordedRun, read_run_folders
from tests.report.synthetic import MEASURES, write_run


def read(folder: Path) -> RecordedRun:
    (run,) = read_run_folders([folder])
    return run


@pytest.fixture
def run(tmp_path: Path) -> RecordedRun:
    return read(write_run(tmp_path / "run"))


def records(run: RecordedRun) -> list[dict]:
    return [json.loads(line) for line in (run.path / "journal.jsonl").read_text().splitlines()]


def test_history_holds_every_line_of_the_journal(run: RecordedRun) -> None:
    history, lines = frames.history(run), records(run)
    assert history["generation"].tolist() == list(range(61))
    assert history["evaluations"].tolist() == [line["evaluations"] for line in lines]
    assert history["fitness_mean"].tolist() == [line["fitness"]["mean"] for line in lines]
    assert history["dr_max"].tolist() == [line["dr"]["max"] for line in lines]
    assert history["best_il"].tolist() == [line["best"]["il"] for line in lines]


def test_the_champion_never_gets_worse_and_keeps_its_own_il(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", generations=3)
    lines = [
        {"generation": g, "evaluations": g, "best": {"fitness": [f], "il": i, "dr": 2 * f - i}}
        for g, (f, i) in enumerate([(30.0, 10.0), (20.0, 5.0), (25.0, 1.0), (15.0, 9.0)])
    ]
    (folder / "journal.jsonl").write_text("\n".join(map(json.dumps, lines)))
    history = frames.history(read(folder))
    assert history["best_fitness"].tolist() == [30, 20, 25, 15]
    assert history["champion_fitness"].tolist() == [30, 20, 20, 15]
    assert history["champion_il"].tolist() == [10, 5, 5, 9]
    assert history["il_mean"].isna().all()


def test_several_objectives_have_no_champion(tmp_path: Path) -> None:
    history = frames.history(read(write_run(tmp_path / "run", fitness="pareto")))
    assert history["champion_fitness"].isna().all()
    assert history["il_mean"].notna().all()


def test_thinning_keeps_both_ends_and_order() -> None:
    frame = pd.DataFrame({"generation": range(12_345)})
    kept = frames.thinned(frame, 400)["generation"]
    assert len(kept) == 400
    assert (kept.iloc[0], kept.iloc[-1]) == (0, 12_344)
    assert kept.is_monotonic_increasing
    assert kept.diff().max() <= 32
    assert frames.thinned(frame.head(400), 400)["generation"].tolist() == list(range(400))


def test_files_are_the_rows_of_the_scores(run: RecordedRun) -> None:
    table = frames.files(run)
    with (run.path / "scores.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(table) == len(rows) == 1 + 40 + 40 + 9
    assert frames.measure_names(run) == [*MEASURES, "il", "dr"]
    for name in frames.measure_names(run):
        assert table[name].tolist() == [float(row[name]) for row in rows]
    assert table["score"].tolist() == [float(row["fitness"]) for row in rows]
    assert set(table.loc[table["set"] == "portfolio", "method"]) == {
        row["origin"] for row in rows if row["set"] == "portfolio"
    }
    assert set(table.loc[table["set"] != "portfolio", "method"]) == {""}


def test_the_first_of_several_objectives_is_not_taken_for_the_score(tmp_path: Path) -> None:
    table = frames.files(read(write_run(tmp_path / "run", fitness="pareto")))
    np.testing.assert_array_equal(table["score"], table[["il", "dr"]].max(axis=1))


def test_labels_like_missing_values_stay_labels(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run")
    text = (folder / "scores.csv").read_text().splitlines()
    text[1] = text[1].replace(",original,original,", ",original,NA,")
    (folder / "scores.csv").write_text("\n".join(text) + "\n")
    assert frames.files(read(folder))["label"].iloc[0] == "NA"


def scored(rows: list[tuple[str, str, float, float]]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"set": s, "slot": "0", "origin": "", "label": n, "method": "", "fitness": (f,), "score": f, "il": i}
            | {"outside": 0.0}
            for s, n, f, i in rows
        ]
    )


def test_ranking_merges_what_scores_alike_and_shares_ranks() -> None:
    table = scored([
        ("identity", "original", 1.0, 0.0),
        ("population", "population 0", 30.0, 8.0), ("population", "population 1", 30.0, 8.0),
        ("population", "population 2", 20.0, 5.0), ("portfolio", "mdav k=3", 20.0, 5.0),
        ("front", "front 0", 20.0, 5.0), ("front", "front 1", 20.0, 4.0), ("population", "gone", math.nan, 1.0),
    ])  # fmt: skip
    ranked = frames.ranking(table)
    assert ranked["label"].tolist() == ["mdav k=3", "front 1", "population 0"]
    assert ranked["rank"].tolist() == [1, 1, 3]
    assert ranked["alike"].tolist() == [1, 1, 2]


def test_operators_add_up_to_the_journal(run: RecordedRun) -> None:
    made = frames.operators(run)
    totals = frames.operator_totals(made).set_index("operator")
    rates = frames.operator_rates(made, spans=7)
    for name in ("mutation", "crossover"):
        expected = {
            key: sum(line["operators"].get(name, {}).get(key, 0) for line in records(run)) for key in ("made", "kept")
        }
        assert totals.loc[name, ["made", "kept"]].to_dict() == expected
        own = rates[rates["operator"] == name]
        assert own[["made", "kept"]].sum().to_dict() == expected
        assert own["generation"].iloc[-1] == 60
    assert rates["generation"].nunique() <= 7
    assert totals.loc["crossover", "rate"] == 0


def test_an_operator_that_made_nothing_has_no_rate() -> None:
    made = pd.DataFrame([{"generation": 1, "operator": "idle", "made": 0, "kept": 0}])
    assert frames.operator_totals(made)["rate"].isna().all()


def test_frequencies_keep_the_order_of_categories(run: RecordedRun) -> None:
    document = json.loads((run.path / "frequencies.json").read_text())
    entries = frames.frequencies(run)
    assert [entry["attribute"] for entry in entries] == list(document)
    for own, entry in zip(entries, document.values(), strict=True):
        assert all(own[key] == entry[key] for key in ("categories", "before", "after"))
    assert [entry["missing_before"] for entry in entries] == [0, 3, 6]


def test_frames_of_an_unfinished_run_are_empty(tmp_path: Path) -> None:
    run = read(write_run(tmp_path / "run", finished=False, generations=-1, state="failed"))
    assert frames.history(run).empty
    assert frames.files(run).empty
    assert frames.ranking(frames.files(run)).empty
    assert frames.frequencies(run) == []
    assert frames.operators(run).empty


@pytest.mark.parametrize(
    ("value", "expected"),
    [(31.5, (31.5,)), ([1, 2.5], (1.0, 2.5)), ("31.5", (31.5,)), ("(1e-3, 2)", (0.001, 2.0)), ("", ()), (None, ())],
)
def test_objectives_are_read_in_any_notation(value: object, expected: tuple[float, ...]) -> None:
    assert frames.objectives(value) == expected
