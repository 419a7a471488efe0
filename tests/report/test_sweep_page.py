"""The settings of a sweep on the page."""

import json
import shutil

import pytest

from evosdc.report.page import render
from evosdc.report.standings import standings
from evosdc.report.sweep import boxes, findings, groups_of, rows
from evosdc.runs.reader import read_run_folders
from tests.report.synthetic import write_run


def sweep_folder(path, settings=2, runs=2):
    """Write a study whose settings differ by a value."""
    for setting in range(settings):
        for run in range(runs):
            own = path / f"setting-{setting + 1:02d}" / f"replicate-{run + 1:03d}"
            own.parent.mkdir(parents=True, exist_ok=True)
            write_run(own, generations=2 + run)
            values = {"genotype.mutations": setting + 1, "fitness.name": "mean"}
            (own / "setting.json").write_text(json.dumps({"position": setting, "values": values}))
    return path


@pytest.fixture
def grouped(tmp_path):
    runs = read_run_folders([sweep_folder(tmp_path / "study")])
    return groups_of(runs, [standings(run) for run in runs])


def test_runs_are_read_by_setting_and_named_by_their_place(tmp_path):
    runs = read_run_folders([sweep_folder(tmp_path / "study", settings=11, runs=1)])
    assert [run.name for run in runs] == [f"study/setting-{n:02d}/replicate-001" for n in range(1, 12)]


def test_groups_have_the_values_in_words_and_all_their_runs(grouped):
    assert [group.label for group in grouped] == [f"genotype.mutations = {n}, fitness.name = mean" for n in (1, 2)]
    assert [len(group.members) for group in grouped] == [2, 2]
    assert [row["runs"] for row in rows(grouped)] == [2, 2]


def test_each_setting_has_a_box_with_a_point_for_each_run(grouped):
    drawn = boxes(grouped, "il")
    assert [trace["type"] for trace in drawn.data] == ["box", "box"]
    assert [tuple(trace["x"]) for trace in drawn.data] == [group.figures["il"] for group in grouped]


def test_few_runs_are_said_to_tell_nothing(grouped):
    assert findings(grouped, comparable=True)[0].startswith("score: too few runs to tell the settings apart")
    assert findings(grouped, comparable=False)[0].startswith("The settings differ in fitness or data")


def test_runs_without_a_setting_make_no_groups(tmp_path):
    path = sweep_folder(tmp_path / "study")
    lone = write_run(tmp_path / "lone")
    runs = read_run_folders([path, lone])
    assert groups_of(runs, [standings(run) for run in runs]) == ()
    shutil.rmtree(path / "setting-02")
    assert len(read_run_folders([path])) == 2


def test_labels_cannot_bring_in_markup(tmp_path):
    path = sweep_folder(tmp_path / "study")
    for own in path.glob("*/*/setting.json"):
        document = json.loads(own.read_text())
        document["values"]["title"] = "<script>alert(1)</script>"
        own.write_text(json.dumps(document))
    page = render(read_run_folders([path]))
    assert "alert(1)" in page
    assert "<script>alert" not in page
