"""Published data sets are found by the tests that ask for them alone, and are never downloaded."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from evosdc.datasets.storage import fetch, locate
from evosdc.errors import DatasetError
from tests import published
from tests.published import SPECS, asking, require

LACKING = sorted(name for name, spec in SPECS.items() if spec.files)


@pytest.mark.parametrize("name", LACKING)
def test_who_asks_for_none_finds_none_and_downloads_none(name: str) -> None:
    assert locate(SPECS[name]) is None
    with pytest.raises(DatasetError, match=r"cache that cannot be written|no publisher that serves it"):
        fetch(SPECS[name])


def test_nor_does_a_program_that_is_started() -> None:
    words = [sys.executable, "-m", "evosdc", "datasets", "fetch", "adult"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 2
    assert "a cache that cannot be written" in done.stderr


@pytest.mark.parametrize("name", [asking(name) for name in LACKING])
def test_who_asks_finds(name: str) -> None:
    assert locate(SPECS[name]) is not None


def test_who_takes_the_fixture_asks(data_sets: published.DataSets, request: pytest.FixtureRequest) -> None:
    assert request.node.get_closest_marker("data") is not None
    assert "datasets" in json.loads(data_sets.path("index.json").read_text(encoding="utf-8"))


def test_what_is_not_there_is_skipped_by_its_name(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in (None, tmp_path / "nowhere"):
        monkeypatch.setattr(published, "FOLDER", folder)
        with pytest.raises(pytest.skip.Exception, match="EVOSDC_DATA names no folder"):
            require()
    monkeypatch.setattr(published, "FOLDER", tmp_path)
    (tmp_path / "index.json").touch()
    require(["index.json", "housing"])
    with pytest.raises(pytest.skip.Exception, match=r"has no census, adult/some\.csv$"):
        require(["index.json", "census", "adult/some.csv"])


def test_a_name_that_nothing_has_is_no_reason_to_skip() -> None:
    with pytest.raises(AssertionError, match="has the name german"):
        require(["census", "german"])
