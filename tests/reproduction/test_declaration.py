"""What studies declare: everything that is wrong is told at once."""

from pathlib import Path

import pytest

from evosdc.errors import ExperimentError
from evosdc.reproduction.declaration import read_declaration
from evosdc.reproduction.studies import all_studies, studies_folder
from evosdc.reproduction.tolerance import ANY, SAME, Tolerance

ROOT = Path(__file__).parents[2]
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


def written(tmp_path, text):
    (tmp_path / "study.toml").write_text(text, encoding="utf-8")
    return tmp_path


def test_the_first_pattern_that_fits_a_column_counts(tmp_path):
    declared = read_declaration(written(tmp_path, WHOLE))
    assert declared.tolerance("seconds") == ANY
    assert declared.tolerance("score max") == Tolerance(relative=0.01)
    assert declared.tolerance("other") == Tolerance(absolute=0.5)
    assert read_declaration(written(tmp_path, WHOLE.partition("[tol")[0])).tolerance("x") == SAME
    assert declared.profile("full").status == (0, 1)


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
    with pytest.raises(ExperimentError) as caught:
        read_declaration(written(tmp_path, text))
    assert all(part in str(caught.value) for part in wanted), caught.value


def test_faults_of_all_studies_are_told_at_once(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        written(tmp_path / name, WHOLE.replace("summary", "sumary"))
    with pytest.raises(ExperimentError) as caught:
        all_studies(tmp_path)
    assert {Path(fault.where.partition(":")[0]).parent.name for fault in caught.value.faults} == {"one", "two"}


def test_a_folder_without_studies_is_refused(tmp_path):
    with pytest.raises(ExperimentError, match="no study in"):
        studies_folder(tmp_path)


def test_studies_are_found_here_or_in_the_clone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert studies_folder() == ROOT / "experiments"
    (tmp_path / "experiments" / "own").mkdir(parents=True)
    written(tmp_path / "experiments" / "own", WHOLE)
    assert studies_folder() == tmp_path / "experiments"
