"""Studies of many runs: one figure, one table, and the best run alone in full."""

import json
import re

import pytest

from evosdc.report.page import render
from evosdc.report.standings import standings
from evosdc.report.sweep import MOST_IN_FULL, REPLICATES, evolution, groups_of, run_rows, shown_in_full
from evosdc.runs.reader import read_run_folders
from tests.report.synthetic import write_run
from tests.report.test_sweep_page import sweep_folder


def replicates(path, count):
    path.mkdir()
    for number in range(1, count + 1):
        write_run(path / f"replicate-{number:03d}", generations=2 + number % 3)
    return path


def grouped(path):
    runs = read_run_folders([path])
    return groups_of(runs, [standings(run) for run in runs])


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return render(read_run_folders([replicates(tmp_path_factory.mktemp("many") / "study", 30)]))


def test_of_thirty_replicates_one_is_shown_in_full(page):
    assert len(re.findall("<article", page)) == 1
    assert "30 runs of one experiment" in page
    assert "from 30 runs" in page
    assert len(page) < 6_000_000


def test_all_runs_are_in_one_figure_and_in_one_table_that_is_folded(page):
    drawn = json.loads(re.search(r'data-figure="sweep-evolution">(.*?)</script>', page, re.DOTALL)[1])
    assert len(drawn["data"]) == 30
    assert drawn["layout"]["showlegend"] is False
    table = re.search(r'<details id="runs">.*?</details>', page, re.DOTALL)[0]
    assert len(re.findall(r"<bdi>study/replicate-\d{3}</bdi>", table)) == 30


def test_warnings_of_all_runs_are_told_once(tmp_path):
    path = replicates(tmp_path / "study", 6)
    for own in path.glob("*/result.json"):
        result = json.loads(own.read_text())
        result["warnings"] = ["Mind the gap."] if own.parent.name != "replicate-003" else []
        own.write_text(json.dumps(result))
    section = re.search(r'<section id="warnings".*?</section>', render(read_run_folders([path])), re.DOTALL)[0]
    assert section.count("Mind the gap.") == 1


def test_a_few_replicates_are_compared_as_single_runs_are(tmp_path):
    path = replicates(tmp_path / "study", 3)
    assert grouped(path) == ()
    assert len(re.findall("<article", render(read_run_folders([path])))) == 3


def test_replicates_of_two_studies_are_no_group(tmp_path):
    runs = read_run_folders([replicates(tmp_path / "a", 5), replicates(tmp_path / "b", 5)])
    assert groups_of(runs, [standings(run) for run in runs]) == ()


def test_of_many_settings_the_best_run_of_all_is_shown_in_full(tmp_path):
    groups = grouped(sweep_folder(tmp_path / "few", settings=MOST_IN_FULL))
    assert shown_in_full(groups) == [group.leader for group in groups]
    groups = grouped(sweep_folder(tmp_path / "many", settings=MOST_IN_FULL + 1))
    (best,) = shown_in_full(groups)
    assert best in [group.leader for group in groups]


def test_rows_of_a_setting_go_from_best_to_worst(tmp_path):
    (group,) = grouped(replicates(tmp_path / "study", 6))
    assert group.label == REPLICATES
    scores = [float(row["best"]) for row in run_rows([group])]
    assert len(scores) == 6
    assert scores == sorted(scores)


def test_runs_without_a_journal_are_left_out_of_the_figure(tmp_path):
    path = replicates(tmp_path / "study", 6)
    groups = grouped(path)
    assert len(evolution(groups).data) == 6
    for own in path.glob("*/journal.jsonl"):
        own.write_text("")
    assert evolution(grouped(path)) is None
