"""Studies: replicates and settings side by side, killed and gone on with, watched from outside."""

import csv
import json
import os
import re
import signal
import subprocess
import sys

import pytest

from evosdc.report.page import write_report
from tests.cluster.commands import completed, experiment_file, outcome, started, wait_for
from tests.executors.conftest import alive, descendants

pytestmark = [pytest.mark.cluster, pytest.mark.endurance]

SWEEP = {"genotype.mutations": [1, 40], "fitness.name": ["mean", "max"]}


def study_file(path, generations=8, **changes):
    return experiment_file(
        path, **({"stop": {"generations": generations}, "replicates": 2, "sweep": SWEEP, "title": "Trial"} | changes)
    )


@pytest.fixture(scope="module")
def serial(tmp_path_factory):
    """Return a study whose runs were carried out one after another."""
    path = tmp_path_factory.mktemp("serial")
    done = completed("run", study_file(path / "x.toml"), "-o", path / "study", "--quiet")
    assert done.returncode == 0, done.stderr
    return path / "study"


def figures(folder):
    """Return what a study found, without times."""
    document = outcome(folder)
    runs = [{key: value for key, value in run.items() if key != "seconds"} for run in document["replicates"]]
    return runs, document["settings"], document["comparison"], document["spread"], document["best"]


def test_runs_side_by_side_come_to_the_same_as_one_after_another(serial, tmp_path):
    file, folder = study_file(tmp_path / "x.toml"), tmp_path / "study"
    done = completed("run", file, "-o", folder, "--executor", "processes", "--workers", 2)
    assert done.returncode == 0, done.stderr
    assert "runs: 8 of 8 complete" in done.stderr
    assert figures(folder) == figures(serial)
    assert (folder / "summary.csv").read_bytes() == (serial / "summary.csv").read_bytes()
    assert not list(folder.rglob("context"))


def test_a_study_has_a_folder_for_each_run_and_tables_of_all(serial):
    folders = [f"setting-0{s}/replicate-00{r}" for s in (1, 2, 3, 4) for r in (1, 2)]
    assert [run["folder"] for run in outcome(serial)["replicates"]] == folders
    with (serial / "runs.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["folder"] for row in rows] == folders
    assert [(row["genotype.mutations"], row["fitness.name"]) for row in rows[::2]] == [
        ("1", "mean"),
        ("1", "max"),
        ("40", "mean"),
        ("40", "max"),
    ]
    assert len({row["seed"] for row in rows}) == 8
    for row in rows:
        result = outcome(serial / row["folder"])
        assert float(row["fitness"]) == result["best"]["fitness"][0]
        assert (row["digest"], int(row["seed"])) == (result["digest"], result["seed"])
    with (serial / "summary.csv").open() as file:
        summary = list(csv.DictReader(file))
    for position, row in enumerate(summary):
        own = [float(entry["il"]) for entry in rows[2 * position : 2 * position + 2]]
        assert float(row["il_mean"]) == pytest.approx(sum(own) / 2)
        assert (float(row["il_min"]), float(row["il_max"]), row["runs"]) == (min(own), max(own), "2")


def test_a_run_of_a_study_is_the_run_of_its_own_experiment_file(serial, tmp_path):
    own = serial / "setting-03" / "replicate-002"
    done = completed("run", own / "experiment.toml", "-o", tmp_path / "alone", "--quiet")
    assert done.returncode == 0, done.stderr
    assert outcome(tmp_path / "alone") == outcome(own)


def test_the_tests_say_what_they_cannot_tell(serial):
    comparison = outcome(serial)["comparison"]
    assert comparison["fitness"] is None, "mean and max are no two values of one figure"
    assert comparison["il"]["can_be_told"] is False
    assert {pair["verdict"] for pair in comparison["il"]["pairs"]} == {"too few runs to tell"}


def test_the_page_has_boxes_of_all_settings_and_shows_one_run_of_each(serial, tmp_path, monkeypatch):
    # As large as it gets: how many runs there is room for on a page hangs on plotly's own size.
    monkeypatch.setattr("evosdc.report.page.LARGEST", 10_000_000)
    page = write_report([serial], tmp_path / "page.html").read_text()
    assert len(re.findall("<article", page)) == 4
    for title in ("IL", "DR"):
        assert f"{title}: too few runs to tell the settings apart" in page
    drawn = json.loads(re.search(r'data-figure="sweep-il">(.*?)</script>', page, re.DOTALL)[1])
    assert [trace["type"] for trace in drawn["data"]] == ["box"] * 4
    assert [len(trace["x"]) for trace in drawn["data"]] == [2] * 4
    assert "genotype.mutations = 40, fitness.name = max" in drawn["data"][3]["name"]


def finished_runs(folder):
    """Return the results of the runs that have said that they are complete."""
    found = folder.glob("*/*/result.json")
    return [path for path in found if json.loads(path.with_name("status.json").read_text())["state"] == "done"]


def test_a_killed_study_goes_on_and_leaves_no_worker_behind(tmp_path):
    file, folder = study_file(tmp_path / "x.toml", generations=120), tmp_path / "study"
    process = started("run", file, "-o", folder, "--quiet", "--executor", "processes", "--workers", 2)
    wait_for(lambda: len(finished_runs(folder)) >= 2, process)
    process.send_signal(signal.SIGSTOP)  # it hands out no further run while it is looked at
    told = json.loads(completed("status", folder, "--json").stdout)
    assert (told["state"], told["process"]["pid"], told["runs"]["total"]) == ("running", process.pid, 8)
    assert told["runs"]["finished"] >= 2
    workers = descendants(process.pid)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    wait_for(lambda: not any(map(alive, workers)))
    told = json.loads(completed("status", folder, "--json").stdout)
    assert told["state"] == "killed"
    finished = {path: path.stat().st_mtime_ns for path in finished_runs(folder)}
    assert 2 <= len(finished) < 8, "the study was killed in the middle"
    done = completed("resume", folder, "--quiet")
    assert done.returncode == 0, done.stderr
    assert all(path.stat().st_mtime_ns == before for path, before in finished.items()), "what was done is not repeated"
    whole = completed("run", file, "-o", tmp_path / "whole", "--quiet")
    assert whole.returncode == 0
    assert figures(folder) == figures(tmp_path / "whole")
    assert json.loads(completed("status", folder, "--json").stdout)["state"] == "finished"


def test_a_worker_that_is_killed_is_replaced_and_its_run_goes_on(serial, tmp_path):
    file, folder = study_file(tmp_path / "x.toml"), tmp_path / "study"
    process = started("run", file, "-o", folder, "--quiet", "--executor", "processes", "--workers", 2)
    wait_for(lambda: any(folder.glob("*/*/checkpoint-*.npz")), process)
    os.kill(max(descendants(process.pid)), signal.SIGKILL)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert figures(folder) == figures(serial)


def test_a_run_that_fails_is_named_at_the_end_and_the_others_are_done(tmp_path):
    file, folder = study_file(tmp_path / "x.toml", replicates=3, sweep={}), tmp_path / "study"
    assert completed("run", file, "-o", folder, "--quiet").returncode == 0
    for name in ("replicate-001", "replicate-003"):
        (folder / name / "result.json").unlink()
    for path in (folder / "replicate-001").glob("checkpoint-*.npz"):
        path.write_bytes(b"")
    (folder / "result.json").unlink()
    for workers in (1, 2):
        words = ("resume", folder, "--quiet")
        document = json.loads((folder / "resolved.json").read_text())
        document["executor"] = {"name": "processes", "workers": workers}
        (folder / "resolved.json").write_text(json.dumps(document))
        done = completed(*words)
        assert done.returncode == 1
        assert "given no checkpoint that can be read" in done.stderr
        assert "Error: 1 of 3 runs failed, replicate-001: CheckpointError" in done.stderr
        assert (folder / "replicate-003" / "result.json").exists()


def test_two_studies_cannot_share_a_folder(tmp_path):
    file, folder = study_file(tmp_path / "x.toml", generations=100_000), tmp_path / "study"
    process = started("run", file, "-o", folder, "--quiet")
    try:
        wait_for(lambda: any(folder.glob("*/*/journal.jsonl")), process)
        second = completed("resume", folder, "--quiet")
        assert second.returncode == 2
        assert f"process {process.pid} on" in second.stderr
    finally:
        process.kill()
        process.communicate()


def test_watch_follows_a_study_to_its_end_in_plain_lines(tmp_path):
    file, folder = study_file(tmp_path / "x.toml", generations=500, sweep={}, replicates=3), tmp_path / "study"
    process = started("run", file, "-o", folder, "--quiet")
    wait_for(lambda: (folder / "resolved.json").exists(), process)
    watched = completed("watch", folder, "--interval", "0.1")
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert watched.returncode == 0
    lines = watched.stdout.splitlines()
    assert lines[-1].startswith("finished: 3 finished, best ")
    assert any(line.startswith("running: ") for line in lines)
    assert "\x1b" not in watched.stdout


def test_watch_leaves_on_ctrl_c_and_the_run_goes_on(tmp_path):
    file, folder = experiment_file(tmp_path / "x.toml", stop={"generations": 100_000}), tmp_path / "run"
    process = started("run", file, "-o", folder, "--quiet")
    try:
        wait_for(lambda: (folder / "status.json").exists(), process)
        watcher = subprocess.Popen(
            [sys.executable, "-m", "evosdc", "watch", str(folder), "--interval", "0.1"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert watcher.stdout is not None
        assert watcher.stdout.readline().startswith("running: ")
        watcher.send_signal(signal.SIGINT)
        _, err = watcher.communicate(timeout=300)
        assert (watcher.returncode, err) == (0, "")
        assert process.poll() is None
    finally:
        process.kill()
        process.communicate()
    assert completed("watch", folder).returncode == 1


def test_status_does_not_touch_a_run(serial):
    before = {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in serial.rglob("*")}
    assert "8 finished" in completed("status", serial).stdout
    assert completed("watch", serial).returncode == 0
    assert {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in serial.rglob("*")} == before


def test_a_path_without_a_run_is_bad_input(tmp_path):
    for command in ("status", "watch"):
        done = completed(command, tmp_path / "nothing")
        assert (done.returncode, "no such folder" in done.stderr) == (2, True)


def test_a_resumed_study_with_nothing_missing_gives_its_result(serial):
    before = figures(serial)
    done = completed("resume", serial, "--json")
    assert done.returncode == 0
    assert figures(serial) == before
