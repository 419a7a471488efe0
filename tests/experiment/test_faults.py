"""Runs that fail, are interrupted or killed: what they leave, and that they go on as if nothing had happened."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evosdc.algorithms.parent_child import ParentChild
from evosdc.engine.checkpoint import checkpoints, load_checkpoint, newest_checkpoint, save_checkpoint
from evosdc.engine.digest import digest_of
from evosdc.errors import EvaluationError, PluginRaisedError
from evosdc.experiment import workers
from evosdc.experiment.assembly import assemble
from evosdc.experiment.display import Display
from evosdc.experiment.single_run import resume_once, run_once
from evosdc.model.algorithm import evaluate
from evosdc.plugins.registry import default_registry
from evosdc.runs.journal import Journal, read_journal
from tests.executors.conftest import alive, descendants
from tests.experiment.offers import TROUBLE, Failing, experiment, lasting, registry, slow, timeless

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def known():
    return registry()


@pytest.fixture(scope="module")
def plain(tmp_path_factory, known):
    return run_once(experiment(), tmp_path_factory.mktemp("plain") / "run", known, 7)


@pytest.fixture(autouse=True)
def no_trouble_left():
    TROUBLE.error = None
    yield
    assert TROUBLE.error is None, "the measure should have failed"


def genotype_of(known, **changes):
    return assemble(experiment(**changes), known).problem.genotype


def status(folder):
    return json.loads((folder / "status.json").read_text())


def journal(folder):
    return read_journal(folder / "journal.jsonl")


def broken_off(folder, known, error, after, itself=False, **changes):
    """Run until an error comes in the generation after the given one (or in the display at it)."""
    with pytest.raises((type(error), PluginRaisedError)) as caught:
        run_once(experiment(**changes), folder, known, 7, display=Failing(error, after, itself))
    raised = caught.value
    return raised.__cause__ if isinstance(raised, PluginRaisedError) else raised


def assert_goes_on_to_the_end(folder, known, plain):
    resumed = resume_once(folder, known)
    assert lasting(resumed.result) == lasting(plain.result)
    assert digest_of(resumed.state.population) == plain.result.digest
    assert timeless(journal(folder)) == timeless(journal(plain.folder))
    assert status(folder)["state"] == "done"
    assert (folder / "best.csv").read_bytes() == (plain.folder / "best.csv").read_bytes()
    for name in ("front.csv", "scores.csv", "portfolio.json", "frequencies.json"):
        assert (folder / name).read_text() == (plain.folder / name).read_text()


ERRORS = [
    (RuntimeError("a measure is broken"), "failed", "PluginRaisedError: measure share-changed: "),
    (ZeroDivisionError("division by zero"), "failed", "PluginRaisedError: measure share-changed: "),
    (EvaluationError("share-changed gave a value that is not finite"), "failed", "EvaluationError: share-changed gave"),
    (MemoryError(), "failed", "MemoryError"),
    (KeyboardInterrupt(), "interrupted", "stopped by the user"),
]


@pytest.mark.parametrize(("error", "state", "message"), ERRORS, ids=[type(error).__name__ for error, _, _ in ERRORS])
def test_a_failure_in_the_third_generation_leaves_all_that_was_reached(tmp_path, known, plain, error, state, message):
    folder = tmp_path / "run"
    assert broken_off(folder, known, error, after=2) is error
    found = status(folder)
    assert (found["state"], found["generation"]) == (state, 2)
    assert found["evaluations"] == journal(folder)[-1]["evaluations"]
    assert found["message"].startswith(message)
    assert "\n" not in found["message"]
    newest, complaints = newest_checkpoint(folder, genotype_of(known))
    assert (newest.population.generation, complaints) == (2, [])
    assert [record["generation"] for record in journal(folder)] == [0, 1, 2]
    # Who stops a run gets the best file so far, and so does whose memory is full; other failures may lie in the result.
    assert (folder / "result.json").exists() is isinstance(error, KeyboardInterrupt | MemoryError)
    assert_goes_on_to_the_end(folder, known, plain)


def test_what_a_measure_raises_is_told_and_its_text_is_not_kept(tmp_path, known):
    with pytest.raises(PluginRaisedError, match=r"^measure share-changed: \w+ raised ValueError: Jane Doe, born 1950$"):
        run_once(experiment(), tmp_path / "run", known, 7, display=Failing(ValueError("Jane Doe, born 1950"), 1))
    assert_kept_without(b"Jane Doe", tmp_path / "run", "measure share-changed: ")


def assert_kept_without(text, folder, begins):
    found = status(folder)
    assert found["state"] == "failed"
    assert found["message"].startswith(f"PluginRaisedError: {begins}")
    assert found["message"].endswith(" raised ValueError")
    for path in folder.iterdir():
        assert text not in path.read_bytes()


def test_what_a_measure_raises_on_a_worker_is_told_and_its_text_is_not_kept(tmp_path, known, monkeypatch):
    lend(known, monkeypatch)
    display = Failing(ValueError("Jane Doe, born 1950"), 1)
    with pytest.raises(EvaluationError, match=r"item \d+ failed: .*: measure share-changed: .*: Jane Doe, born 1950"):
        run_once(experiment(executor="lent"), tmp_path / "run", known, 7, display=display)
    assert_kept_without(b"Jane Doe", tmp_path / "run", "item ")
    workers.problem_of.cache_clear()


def lend(known, monkeypatch):
    """Let workers in this process know the plugin, and send them everything."""
    monkeypatch.setattr("evosdc.experiment.workers.default_registry", lambda: known)
    monkeypatch.setattr("evosdc.engine.evaluation.worth_sending", lambda seconds: True)
    monkeypatch.setattr("evosdc.engine.dispatch.worth_sending", lambda seconds: True)
    workers.problem_of.cache_clear()


@pytest.mark.parametrize("error", [RuntimeError("broken"), KeyboardInterrupt()], ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("itself", [False, True], ids=["measure", "display"])
def test_a_run_that_was_stopped_before_its_first_generation(tmp_path, known, plain, error, itself):
    folder = tmp_path / "run"
    broken_off(folder, known, error, after=0, itself=itself)
    assert [record["generation"] for record in journal(folder)] == [0]
    assert newest_checkpoint(folder, genotype_of(known))[0].population.generation == 0
    assert_goes_on_to_the_end(folder, known, plain)
    assert [record["generation"] for record in journal(folder)] == list(range(9))


@pytest.mark.parametrize("error", [RuntimeError("broken"), KeyboardInterrupt()], ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("itself", [False, True], ids=["measure", "display"])
def test_a_run_that_was_stopped_while_it_evaluated_its_start(tmp_path, known, plain, error, itself, monkeypatch):
    monkeypatch.setattr("evosdc.experiment.start.BATCH", 2)
    folder = tmp_path / "run"
    broken_off(folder, known, error, after=-1, itself=itself)
    assert status(folder)["state"] == ("interrupted" if isinstance(error, KeyboardInterrupt) else "failed")
    assert (checkpoints(folder), journal(folder)) == ([], [])
    assert_goes_on_to_the_end(folder, known, plain)


def test_a_run_can_be_stopped_again_and_again(tmp_path, known, plain):
    folder = tmp_path / "run"
    broken_off(folder, known, KeyboardInterrupt(), after=0)
    for after in (0, 1, 2, 5, 7):
        with pytest.raises(KeyboardInterrupt):
            resume_once(folder, known, Failing(KeyboardInterrupt(), after, itself=True))
        assert [record["generation"] for record in journal(folder)] == list(range(after + 1))
        assert status(folder)["generation"] == after
    assert_goes_on_to_the_end(folder, known, plain)


def test_a_failure_that_lasts_can_be_met_again_and_does_no_harm(tmp_path, known, plain):
    folder = tmp_path / "run"
    broken_off(folder, known, RuntimeError("broken"), after=3)
    for _ in range(2):
        TROUBLE.error = RuntimeError("still broken")
        with pytest.raises(PluginRaisedError, match="still broken"):
            resume_once(folder, known)
        assert (status(folder)["state"], status(folder)["generation"]) == ("failed", 3)
    assert_goes_on_to_the_end(folder, known, plain)


def test_a_failure_while_the_results_are_written_loses_nothing(tmp_path, known, plain, monkeypatch):
    folder = tmp_path / "run"

    def full(*args, **more):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("evosdc.experiment.single_run.write_outputs", full)
        with pytest.raises(OSError, match="No space"):
            run_once(experiment(), folder, known, 7)
    assert (status(folder)["state"], status(folder)["generation"]) == ("failed", 8)
    evaluated = []
    monkeypatch.setattr("evosdc.engine.evaluation.evaluate_or_penalise", lambda *given: evaluated.append(given))
    resumed = resume_once(folder, known)
    assert lasting(resumed.result) == lasting(plain.result)
    assert evaluated == [], "nothing has to be evaluated again"
    assert timeless(journal(folder)) == timeless(journal(plain.folder))


def test_a_full_disk_leaves_the_older_checkpoint(tmp_path, known, plain, monkeypatch):
    folder = tmp_path / "run"
    save = save_checkpoint

    def save_until_full(path, state, genotype):
        if state.population.generation >= 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        return save(path, state, genotype)

    with monkeypatch.context() as patch:
        patch.setattr("evosdc.experiment.recorder.save_checkpoint", save_until_full)
        patch.setattr("evosdc.experiment.recorder.INTERVAL", 0.0)
        with pytest.raises(OSError, match="No space"):
            run_once(experiment(stop={"generations": 8}), folder, known, 7)
    assert status(folder)["state"] == "failed"
    assert status(folder)["message"] == "OSError: No space left on device"
    assert newest_checkpoint(folder, genotype_of(known))[0].population.generation <= 2
    assert_goes_on_to_the_end(folder, known, plain)


def test_a_stop_before_a_line_of_the_journal_leaves_one_line_a_generation(tmp_path, known, plain, monkeypatch):
    folder = tmp_path / "run"
    write = Journal.write

    def stopped(self, record):
        if record["generation"] == 3:
            raise KeyboardInterrupt
        write(self, record)

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "write", stopped)
        with pytest.raises(KeyboardInterrupt):
            run_once(experiment(), folder, known, 7)
    assert_goes_on_to_the_end(folder, known, plain)


def test_lines_beyond_the_checkpoint_and_a_torn_one_are_written_again(tmp_path, known, plain):
    folder = tmp_path / "run"
    broken_off(folder, known, KeyboardInterrupt(), after=4)
    lines = (plain.folder / "journal.jsonl").read_bytes().splitlines(keepends=True)
    # Killed two generations after its checkpoint, in the middle of a line.
    with (folder / "journal.jsonl").open("ab") as file:
        file.write(lines[5] + lines[6] + lines[7][:40])
    assert_goes_on_to_the_end(folder, known, plain)


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-100], lambda data: b"", lambda data: b"not a checkpoint at all"]
)
def test_a_damaged_checkpoint_is_told_of_and_the_one_before_it_goes_on(tmp_path, known, plain, damage):
    folder = tmp_path / "run"
    broken_off(folder, known, KeyboardInterrupt(), after=4)
    older, newest = checkpoints(folder)
    assert load_checkpoint(older, genotype_of(known)).population.generation == 0
    newest.write_bytes(damage(newest.read_bytes()))
    display = Failing(KeyboardInterrupt(), after=99)
    resumed = resume_once(folder, known, display)
    assert len(display.messages) == 1
    assert newest.name in display.messages[0]
    assert (folder / f"{newest.name}.damaged").exists()
    assert lasting(resumed.result) == lasting(plain.result)
    assert timeless(journal(folder)) == timeless(journal(plain.folder))


def test_origins_survive_a_stop(tmp_path, known):
    """An individual that was evaluated twice has the origin of its own place in population, front and best."""
    folder = tmp_path / "run"
    chosen = {"algorithm": {"name": "parent-child", "duplicates": True}, "stop": {"generations": 12}}
    whole = run_once(experiment(**chosen), tmp_path / "whole", known, 7)
    broken_off(folder, known, KeyboardInterrupt(), after=6, **chosen)
    resumed = resume_once(folder, known)
    for ours, theirs in (
        (resumed.state.population, whole.state.population),
        (resumed.state.front, whole.state.front),
        ([resumed.state.best], [whole.state.best]),
    ):
        assert [(i.key, i.origin) for i in ours] == [(i.key, i.origin) for i in theirs]
    assert (folder / "scores.csv").read_text() == (tmp_path / "whole" / "scores.csv").read_text()


def test_the_algorithm_memory_survives_a_stop(tmp_path, known, monkeypatch):
    """What an algorithm remembers from its first generation on still steers the last one after a stop."""
    step = ParentChild.step

    def counted(self, population):
        turns = population.memory.get("turns", np.zeros(1))
        assert int(turns[0]) == population.generation
        return step(self, population).following(memory={"turns": turns + 1})

    monkeypatch.setattr(ParentChild, "step", counted)
    folder = tmp_path / "run"
    broken_off(folder, known, KeyboardInterrupt(), after=3)
    assert resume_once(folder, known).state.population.memory["turns"][0] == 8


def test_a_failure_on_a_worker_is_one_line_and_the_run_goes_on(tmp_path, known, plain, monkeypatch):
    lend(known, monkeypatch)
    calls = []
    evaluate = workers.evaluate

    def failing(context, seed, payload):
        calls.append(payload)
        if len(calls) == 5:
            raise ArithmeticError("overflow in a worker")
        return evaluate(context, seed, payload)

    folder = tmp_path / "run"
    with monkeypatch.context() as patch:
        patch.setattr(workers, "evaluate", failing)
        with pytest.raises(EvaluationError, match="ArithmeticError: overflow in a worker") as caught:
            run_once(experiment(executor="lent"), folder, known, 7)
    assert "Traceback" not in str(caught.value)
    found = status(folder)
    assert found["state"] == "failed"
    assert "Traceback" not in found["message"]
    assert str(ROOT) not in found["message"]
    assert not list(folder.glob("context/*"))
    assert_goes_on_to_the_end(folder, known, plain)
    workers.problem_of.cache_clear()


def test_what_a_checkpoint_holds_is_not_evaluated_again(tmp_path, known, monkeypatch):
    folder = tmp_path / "run"
    broken_off(folder, known, KeyboardInterrupt(), after=3)
    evaluated = []
    monkeypatch.setattr("evosdc.engine.evaluation.evaluate_or_penalise", lambda *given: evaluated.append(given))
    state, _ = newest_checkpoint(folder, genotype_of(known))

    def copied(self, population):  # asks for what population and front of the checkpoint hold, and nothing else
        evaluate(
            [individual.child(individual.genome, "copy") for individual in (*state.population, *state.front)],
            self.toolbox,
        )
        return population

    monkeypatch.setattr(ParentChild, "step", copied)
    assert resume_once(folder, known).result.generations == 8
    assert evaluated == []


def test_the_journal_on_the_disk_reaches_as_far_as_the_newest_checkpoint(tmp_path, known, monkeypatch):
    monkeypatch.setattr("evosdc.experiment.recorder.INTERVAL", 0.0)
    folder, genotype = tmp_path / "run", genotype_of(known)
    reached = []

    class Looking(Display):
        def generation(self, record, limit):
            state, _ = newest_checkpoint(folder, genotype)
            lines = [line["generation"] for line in journal(folder)]
            assert state.population.generation in lines
            reached.append(state.population.generation)

    run_once(experiment(), folder, known, 7, display=Looking())
    assert reached[0] == 0
    assert len(reached) == 9


def test_the_seconds_of_the_start_count(tmp_path, known):
    with slow(0.05):
        result = run_once(experiment(stop={"generations": 0}), tmp_path / "run", known, 7).result
    assert result.seconds >= 8 * 0.05
    assert journal(tmp_path / "run")[0]["seconds"] >= 8 * 0.05


@pytest.mark.endurance
def test_the_seconds_before_a_stop_count(tmp_path, known):
    folder = tmp_path / "run"
    broken_off(folder, known, KeyboardInterrupt(), after=2, stop={"seconds": 500.0}, executor="serial")
    genotype = genotype_of(known)
    state, _ = newest_checkpoint(folder, genotype)
    save_checkpoint(folder, replace(state, progress=replace(state.progress, seconds=499.8)), genotype)
    result = resume_once(folder, known).result
    assert result.stopped == "500 seconds"
    assert 499.8 <= result.seconds < 999.0
    records = journal(folder)
    assert [record["generation"] for record in records] == list(range(len(records)))
    assert all(record["seconds"] >= 499.8 for record in records[3:])


KILLED = """
import sys
from pathlib import Path
import evosdc.engine.evaluation as evaluation, evosdc.experiment.recorder as observers
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.single_run import run_once
from evosdc.experiment.display import Display
from evosdc.plugins.registry import default_registry
observers.INTERVAL = 0.05
assert hasattr(evaluation.Evaluator, "better_sent")
evaluation.Evaluator.better_sent = lambda self, count: count > 0
run_once(Experiment.model_validate_json(sys.argv[1]), Path(sys.argv[2]), default_registry(), 11)
"""


def test_a_killed_run_with_worker_processes_goes_on_and_leaves_none_behind(tmp_path, monkeypatch):
    chosen = experiment(
        seed=11,
        genotype="cells",
        measures={"il": ["dbil", "ctbil"], "dr": ["id", "dbrl"]},
        executor={"name": "processes", "workers": 2, "grain": "evaluations"},
        stop={"generations": 1_000_000},
    )
    folder = tmp_path / "killed"
    arguments = [chosen.model_dump_json(by_alias=True), str(folder)]
    process = subprocess.Popen([sys.executable, "-c", KILLED, *arguments], cwd=ROOT)
    deadline = time.monotonic() + 3000
    while len(checkpoints(folder)) < 2 or checkpoints(folder)[-1].name < "checkpoint-00000005":
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.02)
    workers = descendants(process.pid)
    assert len(workers) == 2
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    deadline = time.monotonic() + 300
    while any(map(alive, workers)):
        assert time.monotonic() < deadline, "workers outlive the run that they worked for"
        time.sleep(0.05)
    assert status(folder)["state"] == "running"
    assert list(folder.glob("context/*")), "a killed run cannot clear up"

    end = journal(folder)[-1]["generation"] + 12
    document = json.loads((folder / "resolved.json").read_text())
    document["stop"]["generations"] = end
    (folder / "resolved.json").write_text(json.dumps(document))
    monkeypatch.setattr("evosdc.engine.evaluation.Evaluator.better_sent", lambda self, count: count > 0)
    resumed = resume_once(folder, default_registry())
    monkeypatch.undo()
    short = chosen.model_copy(
        update={
            "stop": chosen.stop.model_copy(update={"generations": end}),
            "executor": type(chosen.executor)(name="serial"),
        }
    )
    whole = run_once(short, tmp_path / "whole", default_registry(), 11)
    assert lasting(resumed.result) == lasting(whole.result)
    assert timeless(journal(folder)) == timeless(journal(whole.folder))
    assert not list(folder.glob("context/*"))
    assert descendants(os.getpid()) & workers == set()
