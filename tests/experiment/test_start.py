"""Starts from a user's own masked files, and without the best files of a portfolio."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from evosdc.cli import main
from evosdc.engine.digest import digest_of
from evosdc.errors import CheckpointError, InputError
from evosdc.experiment.reader import parse_experiment
from evosdc.experiment.single_run import resume_once, run_once
from evosdc.experiment.start import StartEntry, StartingPlan
from evosdc.model import Individual, Masking
from evosdc.plugins.registry import default_registry
from evosdc.testing.tables import sample_table

FILE = sample_table("ordinary")
PROTECT = ["built", "degree", "grade1"]


def cli(*words: object) -> None:
    with pytest.raises(SystemExit) as status:
        main([str(word) for word in words])
    assert status.value.code == 0


@pytest.fixture
def masked(tmp_path: Path) -> list[Path]:
    """Return two masked versions of the embedded survey, as the command writes them."""
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for seed, path in enumerate(paths, start=1):
        settings = ("--set", "p=20", "--seed", seed, "--protect", ",".join(PROTECT))
        cli("mask", "rank-swapping", "housing", *settings, "-o", path)
    return paths


def experiment(base: Path, start: object, **further: object):
    document = {"seed": 5, "data": {"name": "housing", "protect": PROTECT}, "start": start, "stop": {"generations": 3}}
    return parse_experiment(document | further, base)


def run(base: Path, name: str, start: object, **further: object):
    return run_once(experiment(base, start, **further), base / name, default_registry(), 5)


def entries(folder: Path) -> list[dict[str, object]]:
    return json.loads((folder / "portfolio.json").read_text(encoding="utf-8"))


def test_own_files_start_the_search_and_are_scored_as_the_measure_command_scores_them(tmp_path, masked, capsys):
    done = run(tmp_path, "run", {"files": ["a.csv", "b.csv"]})
    listed = entries(done.folder)
    assert [entry["label"] for entry in listed] == ["original", "file path=a.csv", "file path=b.csv"]
    assert done.result.portfolio.size == 2
    assert done.result.best.fitness <= done.result.portfolio.best.fitness
    assert len(done.state.population) == 2
    for path, entry in zip(masked, listed[1:], strict=True):
        capsys.readouterr()
        cli("measure", "housing", path, "--protect", ",".join(PROTECT), "--json")
        judged = json.loads(capsys.readouterr().out)
        for name, score in entry["scores"].items():
            assert judged[name] == score


def test_own_files_stand_beside_a_portfolio_and_methods(tmp_path, masked):
    start = {"files": ["a.csv"], "methods": [{"method": "rank-swapping", "p": 5}], "random": 1}
    done = run(tmp_path, "run", start)
    assert [entry["label"] for entry in entries(done.folder)] == ["original", "rank-swapping p=5", "file path=a.csv"]
    assert len(done.state.population) == 3


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path, masked):
    for place, path in (("first", masked[0]), ("second", masked[1])):
        (tmp_path / place).mkdir()
        path.rename(tmp_path / place / "m.csv")
    done = run(tmp_path, "run", {"files": ["first/m.csv", "second/m.csv"]})
    assert [e["label"] for e in entries(done.folder)[1:]] == ["file path=first/m.csv", "file path=second/m.csv"]


def test_workers_start_from_the_same_files(tmp_path, masked):
    here = run(tmp_path, "here", {"files": ["a.csv", "b.csv"], "without_best": 50})
    executor = {"name": "processes", "workers": 2}
    there = run(tmp_path, "there", {"files": ["a.csv", "b.csv"], "without_best": 50}, executor=executor)
    assert digest_of(here.state.population) == digest_of(there.state.population)


def test_all_faults_of_own_files_are_told_at_once(tmp_path, masked):
    short = tmp_path / "short.csv"
    short.write_text("\n".join(masked[0].read_text(encoding="utf-8").splitlines()[:5]) + "\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        run(tmp_path, "run", {"files": ["nowhere.csv", "short.csv", "a.csv"]}, algorithm={"name": "nothing"})
    told = str(caught.value)
    assert "nowhere.csv" in told
    assert "4 records" in told
    assert "nothing" in told
    assert not (tmp_path / "run" / "resolved.json").exists()


def test_a_resume_notices_that_a_file_has_changed(tmp_path, masked):
    run(tmp_path, "run", {"files": ["a.csv", "b.csv"]})
    resume_once(tmp_path / "run", default_registry())
    masked[0].write_bytes(masked[1].read_bytes())
    with pytest.raises(CheckpointError, match="masked files that have changed since the run began"):
        resume_once(tmp_path / "run", default_registry())


def test_the_best_files_are_left_out_and_the_result_says_so(tmp_path):
    whole = run(tmp_path, "whole", {"portfolio": "categorical"}, fitness="max")
    done = run(tmp_path, "run", {"portfolio": "categorical", "without_best": 5}, fitness="max")
    listed = [entry for entry in entries(done.folder) if entry["masking"] is not None]
    count = -(-5 * len(listed) // 100)
    worst_first = sorted(listed, key=lambda entry: entry["fitness"], reverse=True)
    assert all(entry["left_out"] for entry in worst_first[-count:])
    assert not any(entry["left_out"] for entry in worst_first[:-count])
    portfolio = done.result.portfolio
    assert portfolio.size == len(listed) - count
    assert portfolio.best.fitness == worst_first[-count - 1]["fitness"]
    assert portfolio.left_out["size"] == count
    assert portfolio.left_out["best"]["label"] == whole.result.portfolio.best.label
    assert any(f"{count} of {len(listed)}, were left out" in note for note in done.result.notes)
    assert not hasattr(whole.result.portfolio, "left_out")
    cli("report", done.folder, "-o", tmp_path / "report.html")
    assert f"{count} of {len(listed)}, were left out" in (tmp_path / "report.html").read_text(encoding="utf-8")
    # The search has not seen them: without generations its best is the best that is left.
    still = run(
        tmp_path, "still", {"portfolio": "categorical", "without_best": 5}, fitness="max", stop={"generations": 0}
    )
    assert still.result.best.fitness == portfolio.best.fitness


def test_something_to_start_from_always_stays():
    maskings = tuple(StartEntry(Masking("noise", {"number": number}), FILE) for number in range(3))
    individuals = [SimpleNamespace(precedence=(0.0, (float(score),))) for score in (2, 1, 3)]
    plan = StartingPlan(maskings, (), 0, (), 99.0)
    assert plan.left_out(individuals) == {0, 1}
    assert plan.left_out(individuals[:1]) == frozenset()
    assert StartingPlan(maskings, (), 1, (), 99.0).left_out([*individuals, individuals[0]]) == {0, 1, 2}
    assert StartingPlan(maskings, (), 0, (), 34.0).left_out(individuals) == {0, 1}
    assert StartingPlan(maskings, (), 0, ()).left_out(individuals) == frozenset()


def test_of_equal_files_the_first_is_left_out():
    same = Individual(None, b"", {}, (1.0,), "file")
    plan = StartingPlan((StartEntry(Masking("a"), FILE), StartEntry(Masking("b"), FILE)), (), 0, (), 10.0)
    assert plan.left_out([same, same]) == {0}


@pytest.mark.parametrize(
    ("start", "told"),
    [
        ({"random": 5, "without_best": 5}, "without_best together with"),
        ({"portfolio": "categorical", "without_best": 100}, "without_best"),
        ({"files": ["a.csv", "a.csv"]}, "each of the files once"),
    ],
)
def test_a_start_that_makes_no_sense_is_refused(tmp_path, start, told):
    with pytest.raises(InputError, match=told):
        experiment(tmp_path, start)


def test_the_best_cannot_be_left_out_where_files_do_not_start_the_search(tmp_path):
    start = {"portfolio": "categorical", "initial": True, "without_best": 5}
    with pytest.raises(InputError, match=r"start\.without_best"):
        run(tmp_path, "run", start, genotype="equations")


def test_an_entry_that_is_wrong_is_the_only_fault(tmp_path):
    with pytest.raises(InputError) as refused:
        run(tmp_path, "run", {"methods": [{"method": "nix"}]})
    assert len(refused.value.faults) == 1
