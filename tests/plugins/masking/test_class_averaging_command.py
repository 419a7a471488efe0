"""The methods that publish averages of classes, as a user types them, on the published files."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from evosdc.cli import main
from tests.published import asking

WHOLE = ("mdav", "k-member", "r-gather")
SINGLE = ("univariate-microaggregation", "individual-ranking")


def mask(method: str, data: str, output: Path, *more: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(["mask", method, data, "-o", str(output), *more])
    return int(caught.value.code or 0)


def published(output: Path) -> pd.DataFrame:
    """The masked attributes of a protected file."""
    names = list(json.loads(output.with_name(f"{output.stem}.manifest.json").read_text())["changed"])
    return pd.read_csv(output, dtype=str, keep_default_na=False)[names]


@pytest.mark.parametrize(
    ("dataset", "method"),
    [asking("tarragona", method) for method in (*WHOLE, *SINGLE, "projected-microaggregation")]
    + [asking("census", "mdav"), asking("eia", "individual-ranking")],
)
def test_numeric_files(method: str, dataset: str, tmp_path: Path) -> None:
    output = tmp_path / "masked.csv"
    assert mask(method, dataset, output, "--set", "k=5", "--seed", "3") == 0
    file = published(output)
    for name in file:
        assert file[name].value_counts().min() >= 5
    if method not in SINGLE:
        assert file.groupby(list(file)).size().min() >= 5


@pytest.mark.data("tarragona")
@pytest.mark.parametrize("method", ["mdav", "projected-microaggregation"])
def test_the_same_command_writes_the_same_file(method: str, tmp_path: Path) -> None:
    outputs = [tmp_path / "first.csv", tmp_path / "second.csv"]
    for output in outputs:
        assert mask(method, "tarragona", output, "--set", "k=5", "--seed", "3") == 0
    assert outputs[0].read_bytes() == outputs[1].read_bytes()


@pytest.mark.parametrize(
    ("dataset", "method"),
    [asking("adult", "mdav"), asking("german-credit", "k-member"), asking("solar-flare", "r-gather")],
)
def test_categorical_files(method: str, dataset: str, tmp_path: Path) -> None:
    output = tmp_path / "masked.csv"
    assert mask(method, dataset, output, "--set", "k=5") == 0
    file = published(output)
    assert file.groupby(list(file)).size().min() >= 5


@pytest.mark.data("german-credit")
@pytest.mark.parametrize("method", ["k-member", "r-gather"])
def test_intervals_of_a_mixed_file(method: str, tmp_path: Path) -> None:
    output = tmp_path / "masked.csv"
    attributes = ("--protect", "duration,age,existacc,housing")
    assert mask(method, "german-credit", output, "--set", "k=4", "--set", "output=interval", *attributes) == 0
    file = published(output)
    assert file.groupby(list(file)).size().min() >= 4
    assert file["age"].str.fullmatch(r"\d+|\[\d+, \d+\]").all()


@pytest.mark.data("german-credit")
def test_groups_and_strata(tmp_path: Path) -> None:
    output = tmp_path / "masked.csv"
    groups = '[["existacc"], ["savings", "presemploy"]]'
    assert mask("mdav", "german-credit", output, "--set", f"groups={groups}", "--by", "housing") == 0
    file = published(output).assign(housing=pd.read_csv(output, dtype=str)["housing"])
    for group in (["existacc"], ["savings", "presemploy"]):
        assert file.groupby(["housing", *group]).size().min() >= 3


@pytest.mark.data("tarragona")
def test_all_faults_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--protect", "sales,treasury", "--set", 'groups=[["sale"]]', "--set", "k=1000")
    assert mask("mdav", "tarragona", tmp_path / "masked.csv", *words) == 2
    told = capsys.readouterr().err
    for text in ("given 1000; wanted 1..834", "Did you mean 'sales'?", "sales, treasury in no group"):
        assert text in told
