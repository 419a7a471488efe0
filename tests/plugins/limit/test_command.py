"""``evosdc limit`` as a user types it."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import evosdc  # noqa: F401 -- a fixture

GERMAN = ("limit", "german-credit", "--protect", "existacc,savings,presemploy")


@pytest.mark.data("german-credit")
def test_json(evosdc):  # noqa: F811
    answer = evosdc(*GERMAN, "--json")
    assert answer.status == 0, answer.err
    found = json.loads(answer.out)
    assert found["max"] == pytest.approx(23.938258, abs=1e-6)
    values = {round(line["t"], 6): line["value"] for line in found["lines"]}
    assert values[0.25] == pytest.approx(23.293746, abs=1e-6)
    assert len(found["lines"]) == 22
    assert found["dr"] == "guess"
    assert found["curve"][0] == {"il": 0.0, "dr": pytest.approx(50.0)}


@pytest.mark.data("german-credit")
def test_gain_in_words(evosdc):  # noqa: F811
    answer = evosdc(*GERMAN, "--dr", "guess-gain", "--lines", "5")
    assert answer.status == 0, answer.err
    assert "below 15.077" in answer.out
    assert "gain of guesses" in answer.out


@pytest.mark.data("german-credit")
def test_who_waits_is_told_how_to_end_it(evosdc, monkeypatch):  # noqa: F811
    monkeypatch.setattr("evosdc.time_limit.FIRST", 0.001)
    answer = evosdc(*GERMAN, "--lines", "5")
    assert answer.status == 0, answer.err
    assert "so far; with --time 60s it ends with the result so far." in answer.err


def test_out_of_time_is_said(evosdc):  # noqa: F811
    answer = evosdc("limit", "housing", "--time", "0.000001s")
    assert answer.status == 0, answer.err
    assert "Stopped early" in answer.out


@pytest.mark.data("pima")
def test_numbers_are_refused(evosdc):  # noqa: F811
    answer = evosdc("limit", "pima", "--protect", "age")
    assert answer.status == 2
    assert "numeric" in answer.err
    assert "Traceback" not in answer.err


@pytest.mark.data("german-credit")
def test_a_file_is_masked_by_the_optimal_channel(evosdc, tmp_path):  # noqa: F811
    answer = evosdc(
        "mask",
        "optimal-channel",
        "german-credit",
        "--protect",
        "existacc,savings",
        "--set",
        "t=0.6",
        "-o",
        str(tmp_path / "masked.csv"),
    )
    assert answer.status == 0, answer.err
    manifest = json.loads((tmp_path / "masked.manifest.json").read_text())
    assert manifest["parameters"] == {"t": 0.6, "dr": "guess", "effort": 1}
