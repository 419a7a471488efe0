"""What must never happen to people's files, and what a user must be told."""

import json
import os
import signal
import stat
import subprocess
import sys

import pytest

from evosdc.cli.display import display
from evosdc.cli.run import resumable
from evosdc.errors import CheckpointError, RunError
from tests.cli.conftest import SHORT
from tests.cluster.commands import wait_for

SCHEMA = """
[attributes]
number = { role = "identifier" }
sex = { role = "quasi-identifier", scale = "nominal" }
age = { role = "quasi-identifier", scale = "ordinal" }
"""


@pytest.fixture
def survey(tmp_path):
    lines = [f"{900 + i},{'mf'[i % 2]},{20 + i % 7},{i * i % 11}" for i in range(60)]
    (tmp_path / "survey.csv").write_text("number,sex,age,note\n" + "\n".join(lines) + "\n")
    (tmp_path / "schema.toml").write_text(SCHEMA)
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ("mask", "mdav", "survey.csv", "--schema", "schema.toml", "-o", "survey.csv"),
        ("mask", "mdav", "survey.csv", "--schema", "schema.toml", "-o", "schema.toml"),
        ("mask", "mdav", "survey.csv", "--schema", "schema.toml", "-o", "link.csv"),
        ("init", "survey.csv", "-o", "survey.csv", "--force"),
        ("report", "run", "-o", "survey.csv"),
    ],
)
def test_no_command_writes_over_what_it_reads(evosdc, survey, words):
    (survey / "link.csv").symlink_to(survey / "survey.csv")
    before = {name: (survey / name).read_bytes() for name in ("survey.csv", "schema.toml")}
    if words[0] == "report":
        evosdc(*SHORT, "--quiet", "-o", "run")
    answer = evosdc(*words)
    assert answer.status == 2, answer
    assert {name: (survey / name).read_bytes() for name in before} == before


def test_nothing_is_masked_where_nothing_is_declared(evosdc, survey):
    (survey / "empty.toml").write_text("")
    for words in (("mask", "mdav", "survey.csv"), ("measure", "survey.csv", "survey.csv")):
        more = ("-o", "m.csv") if words[0] == "mask" else ()
        answer = evosdc(*words, "--schema", "empty.toml", *more)
        assert answer.status == 2
        assert "quasi-identifier" in answer.err
    assert not (survey / "m.csv").exists()


@pytest.mark.parametrize("names", ["number", ""])
def test_identifiers_and_nothing_are_no_attributes_to_mask(evosdc, survey, names):
    answer = evosdc("mask", "mdav", "survey.csv", "--schema", "schema.toml", "--protect", names, "-o", "m.csv")
    assert answer.status == 2
    assert not (survey / "m.csv").exists()


def test_missing_values_that_the_schema_forbids_are_refused_by_every_command(evosdc, survey):
    (survey / "schema.toml").write_text('na = "error"\n' + SCHEMA)
    text = (survey / "survey.csv").read_text().replace("901,f,", "901,,")
    (survey / "survey.csv").write_text(text)
    for words in (
        ("mask", "mdav", "survey.csv", "-o", "m.csv"),
        ("measure", "survey.csv", "survey.csv"),
        ("protect", "survey.csv", "-o", "run"),
    ):
        answer = evosdc(*words, "--schema", "schema.toml")
        assert answer.status == 2, words
        assert "1 missing values" in answer.err


def test_all_faults_of_a_request_are_told_at_once(evosdc, survey):
    err = evosdc("mask", "nope", "none.csv", "--schema", "none.toml", "--set", "zz", "-o", "no/where.csv").err
    assert all(word in err for word in ("'nope'", "none.toml", "'zz'", "no/where.csv"))
    err = evosdc("measure", "none.csv", "survey.csv", "--measures", "dbill,prll").err
    assert all(word in err for word in ("none.csv", "'dbill'", "'prll'"))
    (survey / "x.toml").write_text(
        'sed = 1\ndata = { name = "nope" }\nfitness = "mx"\nmeasures = { il = ["zz"], dr = ["yy"] }\n'
        'algorithm = { name = "parent-child", generations = -5 }\n'
        'executor = "gpu"\ngenotype = "trees"\nstart = { portfolio = "zzz" }\n'
    )
    err = evosdc("check", "x.toml").err
    for word in ("sed", "nope", "mx", "zz", "yy", "-5", "gpu", "trees", "zzz"):
        assert word in err, (word, err)


def test_parameters_that_do_not_fit_the_data_are_told_before_anything_is_written(evosdc, survey):
    (survey / "x.toml").write_text(
        'data = { file = "survey.csv", schema = "schema.toml" }\n'
        'start = [{ method = "mdav", k = 5000 }, { method = "mdav", k = 6000 }, '
        '{ method = "global-recoding", q = 77 }]\n'
    )
    for words in (("check", "x.toml"), ("run", "x.toml", "-o", "run")):
        answer = evosdc(*words)
        assert answer.status == 2
        assert all(word in answer.err for word in ("5000", "6000", "77"))
    assert not (survey / "run").exists()


@pytest.mark.parametrize(
    ("setting", "word"),
    [
        ("stop.target=nan", "finite"),
        ("stop.seconds=inf", "finite"),
        ("seed=true", "a number, not true or false"),
        ("measures.il=['dbrl']", "of kind dr"),
        ("data.protect=age", 'a list such as ["age"]'),
        ("data=housing", "a table such as"),
    ],
)
def test_values_of_the_wrong_kind(evosdc, survey, setting, word):
    (survey / "x.toml").write_text('data = { file = "survey.csv", schema = "schema.toml" }\n')
    answer = evosdc("check", "x.toml", "--set", setting)
    assert answer.status == 2
    assert word in answer.err
    assert "pydantic" not in answer.err


def test_a_file_that_is_hardly_protected_comes_with_a_warning(evosdc, survey):
    (survey / "x.toml").write_text(
        'data = { file = "survey.csv", schema = "schema.toml" }\nfitness = "mean"\nstop = { generations = 0 }\n'
        'start = [{ method = "pram", p = 1.0 }]\nconstraints = ["exact-linkage <= 100"]\n'
    )
    answer = evosdc("run", "x.toml", "-o", "run", "--quiet")
    assert answer.status == 0
    assert (
        "Only 0 of 120 protected values differ from the original"
        in json.loads((survey / "run" / "result.json").read_text())["warnings"][1]
    )
    assert "report.html (3 warnings)" in answer.out
    result = json.loads((survey / "run" / "result.json").read_text())
    assert len(result["warnings"]) == 3
    assert result["warnings"][-1].startswith("The rows are in the order of number, left out of the file")
    assert result["changed"] == {"sex": 0, "age": 0}
    assert "hardly protected" in (survey / "run" / "report.html").read_text()


def test_the_run_folder_repeats_the_run(evosdc, survey, monkeypatch):
    # However slow the computer, all starting files are made: the time limit ends the search alone.
    monkeypatch.setattr("evosdc.experiment.start.FOR_SEARCH", -10_000.0)
    first = json.loads(evosdc(*SHORT, "--json", "-o", "run").out)
    words = ("--set", "stop.seconds=6000", "--set", f"stop.generations={first['generations']}", "-o", "again", "--json")
    again = json.loads(evosdc("run", survey / "run" / "experiment.toml", "--key", "run/key", *words).out)
    assert again["digest"] == first["digest"]
    resolved = json.loads((survey / "run" / "resolved.json").read_text())
    assert resolved["algorithm"]["probes"] == 60
    assert resolved["data"]["protect"] == ["sex", "age"]
    assert (resolved["start"]["portfolio"], resolved["start"]["tuned"]["share"]) == ("categorical", 0.2)


def test_folders_are_private_all_the_way(evosdc, survey):
    (survey / "open").mkdir(mode=0o755)
    for target in ("deep/er/run", "open"):
        evosdc(*SHORT, "--quiet", "-o", target)
    for name in ("deep", "deep/er", "deep/er/run", "open"):
        assert stat.S_IMODE((survey / name).stat().st_mode) == 0o700


def test_export_writes_any_member_of_the_front(evosdc, survey):
    evosdc(*SHORT, "--bound", "90", "--quiet", "-o", "run")
    front = json.loads((survey / "run" / "result.json").read_text())["front"]
    answer = evosdc("export", "run", len(front) - 1, "-o", "last.csv")
    assert answer.status == 0, answer.err
    matched = ("--schema", "schema.toml", "--crosswalk", "run/crosswalk-last.csv")
    measured = json.loads(evosdc("measure", "survey.csv", "last.csv", *matched, "--json").out)
    assert {n: measured[n] for n in ("ctbil", "dbrl")} == {n: front[-1]["scores"][n] for n in ("ctbil", "dbrl")}
    answer = evosdc("export", "run", len(front), "-o", "x.csv")
    assert (answer.status, f"0..{len(front) - 1}" in answer.err) == (2, True)


@pytest.mark.parametrize(
    "words", [("export", "no", "0", "-o", "x.csv"), ("status", "no"), ("resume", "no"), ("finish", "no")]
)
def test_a_path_that_holds_no_run_is_told_of_in_one_way(evosdc, survey, words):
    answer = evosdc(*words)
    assert (answer.status, answer.err.startswith("Error: no: given no such folder; wanted a run folder.")) == (
        2,
        True,
    ), answer


def test_export_writes_over_no_file_of_the_run(evosdc, survey):
    evosdc(*SHORT, "--bound", "90", "--quiet", "-o", "run")
    (file,) = (survey / "run").glob("best*.csv")
    best = file.read_bytes()
    for name in (file.name, "front.csv", "scores.csv"):
        answer = evosdc("export", "run", 0, "-o", f"run/{name}")
        assert (answer.status, name in answer.err) == (2, True), answer
    assert file.read_bytes() == best


@pytest.mark.parametrize(("executor", "told"), [("serial", True), ("processes", False)])
def test_workers_that_the_executor_does_not_have_are_told_of(evosdc, survey, executor, told):
    answer = evosdc(*SHORT, "-o", "run", "--quiet", "--executor", executor, "--workers", 2)
    assert (answer.status in (0, 1), "executor serial" in answer.err) == (True, told), answer


@pytest.mark.parametrize(("error", "told"), [(RunError, True), (MemoryError, True), (CheckpointError, False)])
def test_who_is_refused_is_not_told_to_do_the_same_again(capsys, tmp_path, error, told):
    (tmp_path / "resolved.json").write_text("{}")
    with pytest.raises(error), resumable(tmp_path, display(True)):
        raise error("no")
    assert ("Go on with" in capsys.readouterr().err) is told


def test_names_with_commas_can_be_given_in_quotes(evosdc, tmp_path):
    (tmp_path / "x.csv").write_text('"place, of birth",age\n' + "".join(f"p{i % 3},{i % 5}\n" for i in range(20)))
    answer = evosdc("mask", "mdav", "x.csv", "--protect", '"place, of birth"', "-o", "m.csv", "--json")
    assert answer.status == 0, answer.err
    assert list(json.loads(answer.out)["changed"]) == ["place, of birth"]


def test_control_characters_of_a_file_are_shown_and_not_obeyed(evosdc, tmp_path):
    (tmp_path / "x.csv").write_text("age,b\x1b[31mRED\n" + "".join(f"{i % 5},{i % 4}\n" for i in range(20)))
    for answer in (evosdc("init", "x.csv", "-o", "s.toml"), evosdc("measure", "x.csv", "x.csv", "--protect", "q")):
        assert "\x1b" not in answer.out + answer.err


@pytest.mark.parametrize(
    "number",
    [signal.SIGTERM, *(pytest.param(one, marks=pytest.mark.endurance) for one in (signal.SIGINT, signal.SIGHUP))],
)
def test_signals_keep_what_was_reached(survey, number):
    program = (
        "import faulthandler, signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "signal.signal(signal.SIGHUP, signal.SIG_DFL); faulthandler.enable()\n"
        "from evosdc.cli import main; main()"
    )
    words = ["protect", "survey.csv", "--schema", "schema.toml", "--time", "600s", "--no-tune", "-o", "run", "--quiet"]
    process = subprocess.Popen(
        [sys.executable, "-c", program, *words], cwd=survey, stderr=subprocess.PIPE, text=True, env=os.environ
    )
    journal = survey / "run" / "journal.jsonl"
    wait_for(lambda: any((survey / "run").glob("checkpoint-*")) and journal.exists(), process)
    process.send_signal(number)
    _, err = process.communicate(timeout=300)
    assert process.returncode == (130 if number == signal.SIGINT else 128 + number)
    assert "evosdc resume run" in err
    assert json.loads((survey / "run" / "status.json").read_text())["state"] == "interrupted"
    generations = [json.loads(line)["generation"] for line in journal.read_text().splitlines()]
    assert generations == list(range(len(generations)))
    reached = json.loads((survey / "run" / "status.json").read_text())["generation"]
    assert reached == generations[-1]


def test_measures_of_protect_can_be_chosen(evosdc, tmp_path, caplog):
    names = [f"c{j}" for j in range(18)]
    rows = [",".join(str((i * (j + 3)) % 4) for j in range(18)) for i in range(30)]
    (tmp_path / "wide.csv").write_text("\n".join([",".join(names), *rows]) + "\n")
    words = (
        "protect",
        "wide.csv",
        "--protect",
        ",".join(names),
        "--time",
        "0.3s",
        "-o",
        "run",
        "--json",
        "--no-second-opinion",
    )
    answer = evosdc(*words)
    assert answer.status in (0, 1), answer.err
    assert caplog.messages == ["prl is left out: it judges at most 16 attributes, and these are 18"]
    assert {"dbrl", "two-way-linkage"} < set(json.loads(answer.out)["best"]["scores"])
    answer = evosdc(*words[:-4], "-o", "named", *words[-2:], "--dr", "id,dbrl")
    assert answer.status in (0, 1), answer.err
    assert len(caplog.messages) == 1
    scores = {"ctbil", "id", "dbrl", "il", "dr", "worst-relabelling", "exact-linkage", "infeasibility"}
    assert set(json.loads(answer.out)["best"]["scores"]) == scores
