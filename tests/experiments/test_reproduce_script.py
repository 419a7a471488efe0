"""`experiments/reproduce.py` on a study that is made up: rerun, stored, checked, gone stale."""

import csv
import json
import math
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.errors import InputError
from experiments.reproduce import (
    ANY,
    SAME,
    Tolerance,
    bare,
    command_words,
    difference,
    differences,
    figures,
    main,
    read_studies,
)

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
def reproduce(studies, capsys, monkeypatch):
    def call(*words):
        monkeypatch.setattr(sys, "argv", ["reproduce.py", *words, "--studies", str(studies)])
        with pytest.raises(SystemExit) as caught:
            main()
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
    assert "stored" in out
    assert "stale" not in out


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
    status, out, _ = reproduce("squares", "--check")
    assert status == 1
    assert "stale" not in out
    columns = [line.partition(": ")[2].partition(":")[0].rpartition(", ")[2] for line in out.splitlines()[1:]]
    assert columns == ["square", "near", "square", "square"], "near 1 and 2 the tolerance holds, near 0 it cannot"
    assert "off by +0.05" in out
    assert reproduce("squares", "--check", "-o", "x")[1].count("differs: ") == 4


def test_nothing_stored_fails(reproduce):
    status, out, _ = reproduce("squares", "--check")
    assert status == 1
    assert "nothing is stored; type python experiments/reproduce.py squares --store" in out


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


def test_commands_are_typed_with_this_interpreter(studies):
    (study,) = read_studies(["squares"], studies)
    words = command_words('evosdc run {study}/a.toml --set "x=1 2" -o {output}', study, studies)
    assert words[:4] == [sys.executable, "-m", "evosdc", "run"]
    assert words[4:] == [f"{studies / 'squares'}/a.toml", "--set", "x=1 2", "-o", str(studies.resolve())]


def write(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


@pytest.fixture
def told(tmp_path):
    def compare(stored, found, **allowed):
        folders = [tmp_path / name for name in ("stored", "found")]
        for folder in folders:
            folder.mkdir(exist_ok=True)
        paths = [write(folder / "t.csv", rows) for folder, rows in zip(folders, (stored, found), strict=True)]
        return [str(one) for one in differences(*paths, lambda column: allowed.get(column, SAME))]

    return compare


HEADER = ["file", "k", "score", "seconds"]


def test_the_row_the_column_both_figures_and_their_distance_are_told(told):
    stored = [HEADER, ["german", "3", "27.5", "1"], ["flare", "3", "30.0", "2"]]
    found = [HEADER, ["german", "3", "27.5", "9"], ["flare", "3", "33.0", "2"]]
    assert told(stored, found, seconds=ANY) == [
        "t.csv, row 2 (flare, 3), score: 33.0 instead of 30.0, off by +3 (+10 %); allowed nothing"
    ]
    assert told(stored, found, seconds=ANY, score=Tolerance.of("10 %")) == []
    assert told(stored, found, seconds=ANY, score=Tolerance.of(2.9))[0].endswith("allowed 2.9")
    assert len(told(stored, found)) == 2


def test_columns_and_rows_have_to_be_the_same(told):
    rows = [HEADER, ["german", "3", "27.5", "1"]]
    assert told(rows, [*rows, rows[1]]) == ["t.csv: 2 rows instead of 1"]
    assert told(rows, [["file", "k", "loss", "seconds"], rows[1]]) == [
        "t.csv: other columns: without ['score'], new ['loss']"
    ]


def test_numbers_within_texts_are_figures_and_the_rest_is_text():
    assert difference("12.1 ± 0.30 (p=0.6)", "12.2 ± 0.31 (p=0.6)", Tolerance.of(0.11)) == ""
    assert "instead of" in difference("12.1 ± 0.30 (p=0.6)", "12.1 ± 0.30 (q=0.6)", Tolerance.of(9.0))
    assert "off by" in difference("12.1 ± 0.30 (p=0.6)", "12.1 ± 0.30 (p=0.7)", Tolerance.of(0.05))
    assert difference("", "1.0", Tolerance.of(9.0)) == "'1.0' instead of ''"
    assert difference("", "1.0", ANY) == ""
    assert difference("c3", "c4", Tolerance.of(9.0)) == "'c4' instead of 'c3'"


def test_other_files_are_compared_line_by_line(tmp_path):
    for name, text in (("a", "one 1.0\ntwo 2.0\n"), ("b", "one 1.0\ntwo 2.5\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "t.md").write_text(text)
    found = differences(tmp_path / "a" / "t.md", tmp_path / "b" / "t.md", lambda column: SAME)
    assert [one.where for one in found] == ["row 2 (two 2.0), line"]


CELLS = st.one_of(
    st.floats(-1e6, 1e6).map(lambda figure: f"{figure:.3f}"), st.text("abc é%,\"'", max_size=6), st.just("1 ± 2")
)


@given(st.data())
def test_a_table_is_like_itself_and_any_text_that_changes_is_told(tmp_path_factory, data):
    width = data.draw(st.integers(1, 4))
    rows = data.draw(st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=5))
    header = [f"c{i}" for i in range(width)]
    folder = tmp_path_factory.mktemp("tables")
    stored = write(folder / "stored.csv", [header, *rows])
    assert differences(stored, stored, lambda column: SAME) == []
    assert figures(stored) <= width * len(rows)
    row, column = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, width - 1))
    changed = [list(cells) for cells in rows]
    changed[row][column] += "z"
    found = differences(stored, write(folder / "found.csv", [header, *changed]), lambda column: SAME)
    # A line of nothing but an empty cell is none to the format.
    if all(any(cells) for cells in rows):
        assert [one.where.rpartition(", ")[2] for one in found] == [header[column]]


FIGURES = st.floats(allow_nan=False, allow_infinity=False, width=32)


def test_a_number_is_absolute_a_share_relative():
    assert Tolerance.of(0.5) == Tolerance(absolute=0.5)
    assert Tolerance.of("2 %") == Tolerance(relative=0.02)
    assert Tolerance.of("0.1%") == Tolerance(relative=0.001)
    assert Tolerance.of("any") == ANY


@pytest.mark.parametrize("given", ["2", "some", "-1 %", -0.1, ""])
def test_what_is_no_tolerance_is_refused(given):
    with pytest.raises(ValueError, match="a number of at least 0"):
        Tolerance.of(given)


@given(FIGURES, FIGURES)
def test_absolute_tolerances_are_symmetric_and_exact(stored, found):
    allowed = Tolerance.of(1.5)
    assert allowed.holds(stored, found) == allowed.holds(found, stored)
    if abs(stored - found) > 1.6 and abs(stored) < 1e8:
        assert not allowed.holds(stored, found)


def test_edges():
    assert Tolerance.of("10 %").holds(100.0, 110.0)
    assert not Tolerance.of("10 %").holds(100.0, 110.1)
    assert not Tolerance.of("10 %").holds(0.0, 1e-6)
    assert SAME.holds(math.nan, math.nan)
    assert not Tolerance.of(5.0).holds(math.nan, 1.0)
    assert SAME.holds(0.1 + 0.2, 0.3)
    assert not SAME.holds(0.3, 0.3001)
    assert [str(Tolerance.of(text)) for text in (0.5, "2 %")] == ["0.5", "2 %"]
    assert str(SAME) == "nothing"


WHOLE = """
title = "T"
source = "S"
summary = "M."
quick = { commands = ["python a.py"], time = "1 s" }
full = { commands = ["evosdc --version"], time = "2 s", status = [0, 1] }
[tolerances]
seconds = "any"
"score*" = "1 %"
"*" = 0.5
"""


def written(folder, text):
    folder.mkdir(exist_ok=True)
    (folder / "study.toml").write_text(text, encoding="utf-8")


def declaration(tmp_path, text):
    written(tmp_path / "one", text)
    return read_studies(folder=tmp_path)[0].declaration


def test_the_first_pattern_that_fits_a_column_counts(tmp_path):
    declared = declaration(tmp_path, WHOLE)
    assert declared.tolerance("seconds") == ANY
    assert declared.tolerance("score max") == Tolerance(relative=0.01)
    assert declared.tolerance("other") == Tolerance(absolute=0.5)
    assert declaration(tmp_path, WHOLE.partition("[tol")[0]).tolerance("x") == SAME
    assert declared.full.status == (0, 1)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (WHOLE.replace("title", "titel"), ("titel: given an unknown key", "title: given nothing")),
        (WHOLE.replace("python a.py", "rm -r x"), ("begin with python or evosdc",)),
        (WHOLE.replace('["python a.py"]', "[]"), ("quick.commands",)),
        (WHOLE.replace('"1 %"', '"few"'), ("a number of at least 0",)),
        ("title = ", ("not TOML",)),
    ],
)
def test_faults_are_told(tmp_path, text, wanted):
    with pytest.raises(InputError) as caught:
        declaration(tmp_path, text)
    assert all(part in str(caught.value) for part in wanted), caught.value


def test_faults_of_all_studies_are_told_at_once(tmp_path):
    for name in ("one", "two"):
        written(tmp_path / name, WHOLE.replace("summary", "sumary"))
    with pytest.raises(InputError) as caught:
        read_studies(folder=tmp_path)
    assert {Path(fault.where.partition(":")[0]).parent.name for fault in caught.value.faults} == {"one", "two"}


def test_a_folder_without_studies_is_refused(tmp_path):
    with pytest.raises(InputError, match="no study in"):
        read_studies(folder=tmp_path)


def test_comments_docstrings_and_imports_from_evosdc_do_not_count():
    written = (
        '"""A module."""\n\nX = 1  # one\n\n\ndef f():\n    """Return it."""\n    # why\n    return "# no comment", X\n'
    )
    assert bare(written) == 'X = 1\ndef f():\n    return "# no comment", X'
    assert bare(written.replace("one", "uno").replace("it.", "this.")) == bare(written)
    assert bare(written.replace("X = 1", "X = 2")) != bare(written)
    assert bare(f"from evosdc.model import (\n    Table,\n)\n{written}") == bare(written)
    assert bare(f"from math import pi\n{written}") != bare(written)
