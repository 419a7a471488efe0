"""`evosdc reproduce` on a study that is made up: rerun, stored, checked, gone stale."""

import json
import sys

import pytest

import evosdc
from evosdc.cli import main
from evosdc.errors import InputError, RunError

STUDY = """
title = "Squares"
source = "nobody"
summary = "Squares of numbers."
reconstruction = ["all of it"]
quick = { commands = ["python {study}/squares.py 3 {output}"], time = "1 s" }
full = { commands = ["python {study}/squares.py 5 {output}"], time = "1 s", status = [0, 3], needs = [NEEDS] }
pictures = [{ file = "*.svg" }]
[tolerances]
seconds = "any"
near = "10 %"
"""
SCRIPT = '''
"""Squares of numbers."""
import os, pathlib, sys, time
here, folder = pathlib.Path(__file__).parent, pathlib.Path(sys.argv[2])
shift = float(os.environ.get("SHIFT", "0"))  # stands for a change of the code that scripts call
rows = [f"{n},{n * n + shift},{n + shift:.3f},{time.time()}" for n in range(int(sys.argv[1]))]
(folder / "squares.csv").write_text("\\n".join(["n,square,near,seconds", *rows]) + "\\n")
(folder / "squares.svg").write_text("<svg/>")
print("squares", os.getcwd())
sys.exit(int(os.environ.get("STATUS", "0")))
'''


@pytest.fixture
def studies(tmp_path, monkeypatch):
    """Return a folder of studies with one study; the working folder is another."""
    for name in ("SHIFT", "STATUS"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "studies"
    (folder / "squares").mkdir(parents=True)
    (folder / "squares" / "study.toml").write_text(STUDY.replace("NEEDS", ""), encoding="utf-8")
    (folder / "squares" / "squares.py").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return folder


@pytest.fixture
def reproduce(studies, capsys):
    def call(*words):
        with pytest.raises(SystemExit) as caught:
            main(["reproduce", *words, "--studies", str(studies)])
        said = capsys.readouterr()
        return int(caught.value.code or 0), said.out, said.err

    return call


@pytest.fixture
def stored(reproduce, studies):
    """Store the study and return its folder."""
    status, out, _ = reproduce("squares", "--store")
    assert status == 0
    assert out.count("stored: ") == 4
    return studies / "squares"


def test_studies_are_listed(reproduce, stored):
    status, out, _ = reproduce()
    assert status == 0
    assert "squares" in out
    status, out, _ = reproduce("--json")
    (told,) = json.loads(out)["studies"]
    assert told["reconstruction"] == ["all of it"]
    assert told["times"] == {"quick": "1 s", "full": "1 s"}
    assert told["stored"]
    assert told["stale"] == []


def test_a_study_is_rerun_in_a_folder_of_its_own(reproduce, studies, tmp_path):
    before = sorted(studies.rglob("*"))
    for number in ("squares-quick", "squares-quick-2"):
        status, out, _ = reproduce("squares")
        assert status == 0
        assert f"runs/{number}" in out
        made = tmp_path / "work" / "runs" / number
        assert {path.name for path in made.iterdir()} == {"log.txt", "squares.csv", "squares.svg"}
        assert f"squares {made}" in (made / "log.txt").read_text()
    assert len((made / "squares.csv").read_text().splitlines()) == 4
    reproduce("squares", "--full", "-o", "all")
    assert len((tmp_path / "work" / "all" / "squares.csv").read_text().splitlines()) == 6
    assert sorted(studies.rglob("*")) == before


def test_what_is_stored_is_both_versions_the_picture_and_a_record(stored):
    assert {path.relative_to(stored).as_posix() for path in stored.rglob("*") if path.is_file()} == {
        "study.toml", "squares.py", "stored.json", "squares.csv", "squares.svg", "quick/squares.csv"
    }  # fmt: skip
    record = json.loads((stored / "stored.json").read_text())
    assert record["full"]["commands"] == ["python {study}/squares.py 5 {output}"]
    assert list(record["sources"]) == ["squares.py"]
    assert len((stored / "squares.csv").read_text().splitlines()) == 6


def test_what_holds_is_told_and_times_do_not_count(reproduce, stored):
    for profile in ("--quick", "--full"):
        status, out, _ = reproduce("squares", "--check", profile)
        assert status == 0, out
        assert "as stored" in out


def test_figures_beyond_their_tolerance_fail(reproduce, stored, monkeypatch):
    monkeypatch.setenv("SHIFT", "0.05")
    status, out, _ = reproduce("squares", "--check", "--json")
    assert status == 1
    (told,) = json.loads(out)["reproductions"]
    assert not told["holds"]
    assert told["stale"] == []
    columns = [one["where"].rpartition(", ")[2] for one in told["differences"]]
    assert columns == ["square", "near", "square", "square"], "near 1 and 2 the tolerance holds, near 0 it cannot"
    assert "off by +0.05" in told["differences"][0]["said"]
    assert reproduce("squares", "--check", "-o", "x")[1].count("differs: ") == 4


def test_nothing_stored_fails(reproduce):
    status, out, _ = reproduce("squares", "--check")
    assert status == 1
    assert "nothing is stored; type evosdc reproduce squares --store" in out


def change_script(folder):
    (folder / "squares.py").write_text(SCRIPT.replace("n * n", "n ** 2"))


def change_result(folder):
    (folder / "squares.csv").write_text((folder / "squares.csv").read_text().replace("16.0", "15.0"))


def change_commands(folder):
    text = (folder / "study.toml").read_text()
    (folder / "study.toml").write_text(text.replace("squares.py 5", "squares.py 4"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (change_script, "squares.py: was changed since the results were stored"),
        (change_result, "squares.csv: was changed by hand since it was stored"),
        (change_commands, "study.toml: the full commands are not those that were stored"),
        (lambda folder: (folder / "squares.csv").unlink(), "squares.csv: was stored and is not there"),
        (lambda folder: (folder / "more.toml").write_text("a = 1\n"), "more.toml: is new since"),
    ],
)
def test_stale_results_fail_though_the_quick_figures_hold(reproduce, stored, change, said):
    change(stored)
    status, out, _ = reproduce("squares", "--check")
    assert status == 1
    assert f"stale: {said}" in out
    assert "differs" not in out


def test_comments_make_nothing_stale(reproduce, stored):
    (stored / "squares.py").write_text(SCRIPT.replace("# stands for", "# is").replace("Squares of", "The squares of"))
    assert reproduce("squares", "--check")[0] == 0


def test_exit_statuses_are_compared(reproduce, stored, monkeypatch):
    monkeypatch.setenv("STATUS", "3")
    status, out, _ = reproduce("squares", "--check", "--full")
    assert status == 1
    assert "exit status: [3] instead of [0]" in out
    status, _, err = reproduce("squares")
    assert status == 1
    assert "ended with status 3" in err


def test_a_missing_picture_leaves_what_is_stored(reproduce, stored):
    before = (stored / "squares.csv").read_bytes()
    (stored / "squares.py").write_text(SCRIPT.replace("squares.svg", "squares.txt"))
    status, _, err = reproduce("squares", "--store")
    assert status == 1
    assert "no picture *.svg" in err
    assert (stored / "squares.csv").read_bytes() == before


def test_bad_input(reproduce, studies, tmp_path):
    status, _, err = reproduce("sqares", "circles")
    assert status == 2
    assert "Did you mean 'squares'?" in err
    assert "circles" in err
    (tmp_path / "work" / "there").mkdir()
    (tmp_path / "work" / "there" / "x").touch()
    assert reproduce("squares", "-o", "there")[0] == 2
    assert reproduce("squares", "--store", "--check")[0] == 2
    assert reproduce("squares", "--store", "--full")[0] == 2
    (studies / "squares" / "stored.json").write_text("{}")
    status, _, err = reproduce("squares", "--check")
    assert status == 2
    assert "a damaged file" in err


def test_studies_without_data_are_skipped_or_refused(reproduce, studies):
    (studies / "squares" / "study.toml").write_text(STUDY.replace("NEEDS", '"no-such-data"'))
    status, _, err = reproduce("squares", "--full")
    assert status == 2
    assert "no no-such-data" in err
    status, _, err = reproduce("--full")
    assert status == 0
    assert "squares: skipped, no no-such-data at hand" in err
    assert reproduce("--quick")[1].startswith("squares, quick")


def test_python(studies, monkeypatch):
    (told,) = evosdc.studies(studies)
    assert told["study"] == "squares"
    done = evosdc.reproduce("squares", store=True, folder=studies)
    assert len(done["stored"]) == 4
    found = evosdc.reproduce("squares", check=True, folder=studies)
    assert found["holds"]
    assert found.differences.empty
    assert list(found.results["squares.csv"]["square"]) == [0.0, 1.0, 4.0]
    monkeypatch.setenv("SHIFT", "1")
    found = evosdc.reproduce("squares", full=True, check=True, output="full", folder=studies)
    assert not found["holds"]
    assert set(found.differences["file"]) == {"squares.csv"}
    assert "5 x" not in found._repr_html_()
    with pytest.raises(InputError):
        evosdc.reproduce("squares", store=True, full=True, folder=studies)
    monkeypatch.setenv("STATUS", "1")
    with pytest.raises(RunError, match="status 1"):
        evosdc.reproduce("squares", folder=studies)


def test_commands_are_typed_with_this_interpreter(studies):
    from evosdc.reproduction.rerun import command_words
    from evosdc.reproduction.studies import study_of

    study = study_of("squares", studies)
    words = command_words('evosdc run {study}/a.toml --set "x=1 2" -o {output}', study, studies)
    assert words[:4] == [sys.executable, "-m", "evosdc", "run"]
    assert words[4:] == [f"{studies / 'squares'}/a.toml", "--set", "x=1 2", "-o", str(studies.resolve())]
