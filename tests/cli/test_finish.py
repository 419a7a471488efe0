"""A run that is stopped leaves its best file so far, and `evosdc finish` does the same from elsewhere."""

import json
import threading
from pathlib import Path

import pytest

import evosdc as evosdc_api
from evosdc.cli.signals import Stopped
from evosdc.errors import ExperimentError
from evosdc.experiment.display import Display
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.single_run import resume_once, run_once
from evosdc.experiment.study import run_study
from evosdc.plugins.registry import default_registry
from evosdc.runs.status import EndRequested, request_end

FILES = ("best.csv", "front.csv", "scores.csv", "result.json")


def experiment(**more):
    return Experiment(
        data={"name": "housing", "first": 50},
        start={"random": 3, "methods": [{"method": "mdav"}]},
        measures={"il": ["ctbil"], "dr": ["id"]},
        stop={"generations": 12},
        executor="serial",
        **more,
    )


class Interrupting(Display):
    """Ends a run at some generation."""

    def __init__(self, at, end):
        self.at, self.end = at, end

    def generation(self, record, limit):
        if record["generation"] == self.at:
            self.end()


def press():
    raise Stopped(2)


@pytest.fixture(autouse=True)
def attentive(monkeypatch):
    """Runs look for a request after every generation, however fast."""
    monkeypatch.setattr("evosdc.experiment.recorder.FLUSH", 0.0)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "run"


@pytest.mark.parametrize("how", ["key", "request"])
def test_a_stopped_run_has_its_best_file_so_far_and_goes_on_as_if_never_stopped(folder, tmp_path, how):
    registry = default_registry()
    whole = run_once(experiment(), tmp_path / "whole", registry, 1).result
    end = press if how == "key" else lambda: request_end(folder)
    with pytest.raises(KeyboardInterrupt) as caught:
        run_once(experiment(), folder, registry, 1, Interrupting(5, end))
    assert isinstance(caught.value, Stopped if how == "key" else EndRequested)
    assert not (folder / ".finish").exists()
    assert all((folder / name).exists() for name in FILES)
    so_far = json.loads((folder / "result.json").read_text())
    assert (so_far["so_far"], so_far["generations"], so_far["stopped"]) == (True, 5, "stopped by the user")
    assert "evosdc resume goes on" in so_far["notes"][0]
    status = json.loads((folder / "status.json").read_text())
    assert status["state"] == "interrupted"
    assert status["message"] == ("stopped by the user" if how == "key" else "stopped by evosdc finish")
    result = resume_once(folder, registry).result
    assert not result.so_far
    assert result.digest == whole.digest
    assert (folder / "best.csv").read_bytes() == (tmp_path / "whole" / "best.csv").read_bytes()


def test_the_result_so_far_goes_when_the_run_goes_on(folder):
    with pytest.raises(Stopped):
        run_once(experiment(), folder, default_registry(), 1, Interrupting(5, press))

    def look():
        assert not (folder / "result.json").exists()
        assert (folder / "best.csv").exists()

    resume_once(folder, default_registry(), Interrupting(8, look))


def stopped(folder, at=5):
    with pytest.raises(Stopped):
        run_once(experiment(), folder, default_registry(), 1, Interrupting(at, press))


def test_finish_writes_what_a_killed_run_had(evosdc, folder):
    stopped(folder)
    kept = {name: (folder / name).read_bytes() for name in FILES}
    for name in FILES:
        (folder / name).unlink()
    status = json.loads((folder / "status.json").read_text())
    (folder / "status.json").write_text(json.dumps(status | {"state": "running"}))
    answer = evosdc("finish", "run", "--json")
    assert answer.status == 0, answer.err
    said = json.loads(answer.out)
    assert said["files"] == ["run/best.csv"]
    assert said["state"] == "stopped"
    assert json.loads((folder / "status.json").read_text())["message"] == "stopped by evosdc finish"
    assert (folder / "report.html").exists()
    assert {name: (folder / name).read_bytes() for name in FILES} == kept
    assert "Best file so far: run/best.csv" in evosdc("finish", "run").out
    assert evosdc("resume", "run", "--quiet").status == 0
    assert evosdc("finish", "run").out.startswith("finished")


def test_a_program_finishes_runs_too(folder):
    stopped(folder)
    (folder / "result.json").unlink()
    found = evosdc_api.finish(folder)
    assert (found["state"], found["files"]) == ("stopped", [str(folder / "best.csv")])
    assert found["report"] == str(folder / "report.html")


def test_finish_needs_a_run_whose_search_had_begun(evosdc, folder):
    class Early(Display):
        def starting(self, done, total):
            raise Stopped(2)

    answer = evosdc("finish", "nowhere")
    assert (answer.status, "a run folder" in answer.err) == (2, True)
    with pytest.raises(Stopped):
        run_once(experiment(), folder, default_registry(), 1, Early())
    answer = evosdc("finish", "run")
    assert (answer.status, "whose search had not begun" in answer.err) == (2, True), answer


class Before(Display):
    """Ends a run before its search, in tuning or among the starting files."""

    def __init__(self, phase, at, end):
        self.phase, self.at, self.end = phase, at, end

    def tuning(self, done):
        if self.phase == "tuning" and done >= self.at:
            self.end()

    def starting(self, done, total):
        if self.phase == "starting" and done >= self.at:
            self.end()


@pytest.mark.parametrize("how", ["key", "request"])
@pytest.mark.parametrize(("phase", "at"), [("tuning", 4), ("starting", 16), ("starting", 0)])
def test_a_run_stopped_before_its_search_has_its_best_file_so_far_and_goes_on(evosdc, folder, phase, at, how):
    start = {"tuned": {"methods": ["mdav"], "evaluations": 12}, "random": 17 if at else 1}
    given = experiment().model_copy(update={"stop": experiment().stop.model_copy(update={"generations": 2})})
    given = Experiment.model_validate(given.model_dump() | {"start": start})
    end = press if how == "key" else lambda: request_end(folder)
    with pytest.raises(KeyboardInterrupt):
        run_once(given, folder, default_registry(), 1, Before(phase, at, end))
    assert not list(folder.glob("checkpoint-*"))
    assert all((folder / name).exists() for name in FILES)
    if how == "request":  # as if it had been killed
        for name in FILES if phase == "starting" else ():
            (folder / name).unlink()
    answer = evosdc("finish", "run", "--json")
    assert answer.status == 0, answer.err
    assert json.loads(answer.out)["files"] == ["run/best.csv"]
    assert (folder / "report.html").exists()
    so_far = json.loads((folder / "result.json").read_text())
    assert (so_far["so_far"], so_far["generations"]) == (True, 0)
    if phase == "tuning":
        assert so_far["evaluations"] >= 4
        assert so_far["best"]["origin"].startswith("mdav")
    answer = evosdc("export", "run", "best", "--keep-order", "-o", "exported.csv")
    assert answer.status == 0, answer.err
    assert Path("exported.csv").read_bytes() == (folder / "best.csv").read_bytes()
    assert evosdc_api.member(folder, "best")["scores"] == so_far["best"]["scores"]
    result = resume_once(folder, default_registry()).result
    whole = run_once(given, folder.with_name("whole"), default_registry(), 1).result
    assert not result.so_far
    assert result.digest == whole.digest


def test_finish_ends_a_run_that_goes_on(evosdc, folder):
    begun, ended = threading.Event(), []

    def go():
        try:
            long = experiment().model_copy(update={"stop": experiment().stop.model_copy(update={"generations": 10**6})})
            run_once(long, folder, default_registry(), 1, Interrupting(0, begun.set))
        except KeyboardInterrupt as error:
            ended.append(error)

    runner = threading.Thread(target=go)
    runner.start()
    assert begun.wait(120)
    answer = evosdc("finish", "run", "--wait", "60s", "--json")
    runner.join()
    assert answer.status == 0, answer.err
    assert isinstance(ended[0], EndRequested)
    assert json.loads(answer.out)["state"] == "stopped"
    assert json.loads((folder / "result.json").read_text())["so_far"]


def test_a_study_ends_with_the_best_file_so_far_of_the_run_that_was_going_on(evosdc, folder):
    study = experiment(replicates=3)
    with pytest.raises(EndRequested):
        run_study(study, folder, default_registry(), Interrupting(4, lambda: request_end(folder / "replicate-001")))
    assert (folder / "replicate-001" / "best.csv").exists()
    assert not (folder / "replicate-002").exists()
    answer = evosdc("finish", "run", "--json")
    assert answer.status == 0, answer.err
    assert json.loads(answer.out)["files"] == ["run/replicate-001/best.csv"]
    assert evosdc("resume", "run", "--quiet").status in (0, 1)
    with pytest.raises(ExperimentError, match="already holds a run"):
        run_study(study, folder, default_registry())


def test_a_run_of_a_study_ends_where_the_study_was_asked_to(folder):
    folder.mkdir()
    run = folder / "replicate-001"
    with pytest.raises(EndRequested):
        run_once(experiment(), run, default_registry(), 1, Interrupting(3, lambda: request_end(folder)))
    assert (run / "best.csv").exists()
    assert (folder / ".finish").exists()


def test_the_command_says_where_the_best_file_is(evosdc, tmp_path, monkeypatch):
    (tmp_path / "x.toml").write_text(
        'data = { name = "housing", first = 50 }\nstart = { random = 3 }\nmeasures = { il = ["ctbil"], dr = ["id"] }\n'
        'stop = { generations = 12 }\nexecutor = "serial"\n'
    )
    monkeypatch.setattr("evosdc.cli.display.Plain.generation", lambda self, record, limit: press())
    answer = evosdc("run", "x.toml", "-o", "run")
    assert answer.status == 130
    for words in (
        "Best file so far: run/best.csv",
        ", as far as it is judged.",
        "Report:           run/report.html",
        "evosdc resume run",
        "Stopped.",
    ):
        assert words in answer.err
    assert (tmp_path / "run" / "report.html").exists()
    answer = evosdc("run", "x.toml", "-o", "quiet", "--no-report")
    assert answer.status == 130
    assert "Best file so far: quiet/best.csv" in answer.err
    assert "evosdc resume quiet --no-report" in answer.err
    assert "Report" not in answer.err
    assert not (tmp_path / "quiet" / "report.html").exists()
