"""The files of a run stay as the run wrote them; where they do not, every command says so."""

import errno
import json
import shutil

import pytest

from evosdc.cli.run import conclude, outcome
from evosdc.cli.signals import Stopped
from evosdc.report import write_pages


def test_no_command_writes_over_a_file_of_a_run(evosdc, home):
    before = {path.name: path.read_bytes() for path in (home / "r").iterdir()}
    (home / "link.csv").symlink_to(home / "r" / "best.csv")
    masking = ("mask", "mdav", "survey.csv", "--schema", "schema.toml", "-o")
    for words in (
        (*masking, "r/best.csv"),
        (*masking, "link.csv"),
        ("export", "r", 0, "-o", "r/front.csv"),
        ("init", "survey.csv", "--force", "-o", "r/experiment.toml"),
    ):
        answer = evosdc(*words)
        assert answer.status == 2, words
        assert "a file" in answer.err
    assert {path.name: path.read_bytes() for path in (home / "r").iterdir()} == before
    assert evosdc(*masking, "r/other.csv").status == 0
    assert evosdc("report", "r", "-o", "r/report.html").status == 0, "a page that evosdc wrote"
    assert evosdc("report", "r", "-o", "r/best.csv", "--force").status == 2


def test_a_published_file_that_was_changed_is_told_of(evosdc, home):
    best = home / "r" / "best.csv"
    published = best.read_bytes()
    assert evosdc("status", "r").status == 0
    best.write_bytes(published + b"m,20,a\n")
    for words in (("resume", "r"), ("finish", "r"), ("report", "r", "-o", "page.html"), ("status", "r")):
        answer = evosdc(*words)
        assert answer.status == 2, words
        assert "not the one that the run wrote" in answer.err + answer.out
        assert "PUBLISHABLE" not in answer.out
    assert "warnings" in json.loads(evosdc("status", "r", "--json").out)
    exported = evosdc("export", "r", 0, "-o", "member.csv")
    assert exported.status == 0
    assert "not the one that the run wrote" in exported.err
    best.unlink()
    assert "no file, though the run published one" in evosdc("resume", "r").err
    (home / "r" / "result.json").unlink()
    assert evosdc("resume", "r", "--quiet", "--executor", "serial", "--workers", 1).status == 0
    assert best.read_bytes() == published


def test_a_stopped_run_says_that_its_file_was_changed_and_writes_it_anew(evosdc, home):
    best, status = home / "r" / "best.csv", home / "r" / "status.json"
    published = best.read_bytes()
    status.write_text(json.dumps(json.loads(status.read_text()) | {"state": "interrupted"}))
    best.write_text("other\n")
    answer = evosdc("resume", "r", "--executor", "processes", "--workers", 2)
    assert answer.status == 0
    assert "not the one that the run wrote" in answer.err
    assert best.read_bytes() == published


@pytest.mark.endurance
def test_a_study_goes_on_with_another_executor(evosdc, home):
    text = (
        'data = { file = "survey.csv", schema = "schema.toml" }\nmeasures = { il = ["dbil"], dr = ["id"] }\n'
        "replicates = 2\nstop = { generations = 2 }\n"
    )
    (home / "two.toml").write_text(text)
    assert evosdc("run", "two.toml", "-o", "s", "--executor", "processes", "--workers", 2, "--quiet").status == 0
    before = {run: (home / "s" / run / "best.csv").read_bytes() for run in ("replicate-001", "replicate-002")}
    shutil.rmtree(home / "s" / "replicate-001")
    (home / "s" / "replicate-002" / "result.json").unlink()
    assert evosdc("resume", "s", "--executor", "serial", "--quiet").status == 0
    assert {run: (home / "s" / run / "best.csv").read_bytes() for run in before} == before
    (home / "s" / "replicate-002" / "best.csv").write_text("other\n")
    assert evosdc("resume", "s").status == 2
    assert evosdc("status", "s").status == 2


def test_an_executor_that_is_none_is_refused(evosdc, home):
    (home / "r" / "result.json").unlink()
    answer = evosdc("resume", "r", "--executor", "sreial")
    assert answer.status == 2
    assert "serial" in answer.err
    assert evosdc("resume", "r", "--executor", "serial", "--hosts", "x").status == 2


def test_a_signal_after_the_end_leaves_the_status_of_the_run(evosdc, home, monkeypatch, capsys):
    def late():
        raise Stopped(2)

    class Quiet:
        def message(self, text):
            raise AssertionError(text)

    result = outcome(home / "r", Quiet(), late)
    assert result.to_json() == json.loads((home / "r" / "result.json").read_text())
    calls = []

    def pages(path):
        calls.append(path)
        if len(calls) == 1:
            raise Stopped(2)
        return write_pages(path)

    monkeypatch.setattr("evosdc.cli.run.write_pages", pages)
    assert evosdc("resume", "r").status == 0
    assert len(calls) == 2
    conclude(home / "r", result, home / "r" / "report.html", as_json=True)
    assert json.loads(capsys.readouterr().out) == result.to_json()


def test_an_empty_setting_is_refused(evosdc, home):
    (home / "e.toml").write_text('data = { file = "survey.csv", schema = "schema.toml" }\n')
    answer = evosdc("check", "e.toml", "--set", "stop.seconds=")
    assert answer.status == 2
    assert "'stop.seconds=', which has no value" in answer.err


@pytest.mark.parametrize("words", [(), ("--no-report",)])
def test_a_report_of_the_state_before_goes_when_the_run_goes_on(evosdc, home, words):
    status = home / "r" / "status.json"
    status.write_text(json.dumps(json.loads(status.read_text()) | {"state": "interrupted"}))
    (home / "r" / "report.html").write_text("of another file")
    answer = evosdc("resume", "r", *words)
    assert answer.status == 0
    assert "report.html described the previous best file, and is removed" in answer.err
    if words:
        assert not (home / "r" / "report.html").exists()
        assert "evosdc report r writes it" in answer.out
    else:
        assert (home / "r" / "report.html").read_text() != "of another file"
    assert evosdc("resume", "r", "--no-report").status == 0
    assert (home / "r" / "report.html").exists() is not bool(words), "a run that had ended keeps its report"


def test_both_pages_of_a_run_are_written_into_its_folder(evosdc, home):
    result = json.loads((home / "r" / "result.json").read_text())
    result["verdict"]["publishable"] = True
    (home / "r" / "result.json").write_text(json.dumps(result))
    write_pages(home / "r")
    pages = {name: (home / "r" / name).read_bytes() for name in ("report.html", "for-users.html")}
    for name in pages:
        (home / "r" / name).unlink()
    answer = evosdc("report", "r", "--json")
    assert json.loads(answer.out) == {"report": "r/report.html", "runs": ["r"], "for_users": "r/for-users.html"}
    assert {name: (home / "r" / name).read_bytes() for name in pages} == pages
    assert not (home / "report.html").exists()
    (home / "r" / "for-users.html").unlink()
    assert evosdc("report", "r", "--for-users").out == "Report: r/for-users.html\n"
    assert (home / "r" / "for-users.html").read_bytes() == pages["for-users.html"]
    for name in pages:
        (home / "r" / name).write_text("<!doctype html>precious")
        assert f"r/{name}: given a file that exists" in evosdc("report", "r").err
        (home / "r" / name).write_bytes(pages[name])
    assert evosdc("report", "r", "r").out == "Report: report.html\n", "of several, in the current folder"


def test_the_status_tells_of_a_report_that_could_not_be_written(evosdc, finished, tmp_path, monkeypatch):
    def full(*args):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("evosdc.report.write_report", full)
        answer = evosdc("run", finished / "e.toml", "-o", tmp_path / "r")
    assert answer.status == 1
    assert "The run is done and its files are there, save the report; evosdc report" in answer.err
    assert "the disk is full" in answer.err
    status = json.loads((tmp_path / "r" / "status.json").read_text())
    assert (status["state"], status["no_report"]) == ("done", "No space left on device")
    assert f"none, it could not be written (No space left on device); evosdc report {tmp_path / 'r'} writes it" in (
        evosdc("status", tmp_path / "r").out
    )
    found = json.loads(evosdc("status", tmp_path / "r", "--json").out)
    assert (found["state"], found["report"]) == ("finished", None)
    assert evosdc("report", tmp_path / "r").status == 0
    assert "no_report" not in json.loads((tmp_path / "r" / "status.json").read_text())
    assert json.loads(evosdc("status", tmp_path / "r", "--json").out)["report"] == str(tmp_path / "r" / "report.html")


def test_whole_numbers_that_get_medians_are_announced(evosdc, tmp_path):
    (tmp_path / "a.csv").write_text("age,sex\n" + "".join(f"{20 + n % 30},{'mf'[n % 2]}\n" for n in range(60)))
    said = evosdc("mask", "mdav", "a.csv", "--protect", "age", "-o", "m.csv").out
    assert "age: whole numbers that are read as ordered categories, so that groups publish their median" in said
    said = evosdc("mask", "mdav", "a.csv", "--protect", "age", "--set", "average=mode", "-o", "n.csv").out
    assert "median" not in said
