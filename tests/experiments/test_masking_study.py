"""The masking study runs in its smoke profile, and its tables are what they say."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.studies

STUDY = Path(__file__).parents[2] / "experiments" / "masking" / "study.py"


@pytest.fixture(scope="module")
def study(tmp_path_factory, data_sets):
    data_sets.require("tarragona", "german-credit")
    folder = tmp_path_factory.mktemp("masking")
    command = [sys.executable, str(STUDY), "--smoke", "-o", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr
    with (folder / "scores.csv").open(encoding="utf-8", newline="") as file:
        return folder, done.stdout, list(csv.DictReader(file))


def test_every_method_that_fits_the_scale_is_tried(study):
    from evosdc.plugins.registry import default_registry

    registry = default_registry()
    folder, _, rows = study
    with (folder / "refused.csv").open(encoding="utf-8", newline="") as file:
        refused = list(csv.DictReader(file))
    for title, scales in (("tarragona", {"numeric"}), ("german", {"ordinal"})):
        tried = {row["method"] for row in [*rows, *refused] if row["file"] == title} - {"original"}
        fitting = {
            n for n in registry.names("masking-method") if scales & set(registry.spec("masking-method", n).scales)
        }
        assert tried == fitting


def test_scores_are_the_weighted_means_that_are_promised_and_stand_best_first(study):
    _, printed, rows = study
    for title in ("tarragona", "german"):
        own = [{k: float(v) for k, v in row.items() if _is_number(v)} for row in rows if row["file"] == title]
        scores = [row["score"] for row in own]
        assert len(scores) > 20
        assert scores == sorted(scores)
        for row in own:
            expected = 0.5 * row["il"] + 0.25 * row["id"] + 0.125 * (row["dbrl"] + row["prl"])
            assert row["score"] == pytest.approx(expected)
            greatest = 0.5 * row["il"] + 0.25 * (row["id"] + max(row["dbrl"], row["prl"]))
            assert row["score-max"] == pytest.approx(greatest)
        assert f"### {title}: 150 records, {len(own) - 1} masked files" in printed


def test_the_original_has_no_loss_and_the_best_file_beats_it(study):
    _, _, rows = study
    for title in ("tarragona", "german"):
        own = [row for row in rows if row["file"] == title]
        original = next(row for row in own if row["method"] == "original")
        assert float(original["il"]) == pytest.approx(0.0, abs=1e-9)
        assert float(original["id"]) == pytest.approx(100.0)
        assert float(own[0]["score"]) < float(original["score"])


def test_the_page_draws_each_file(study):
    folder, printed, _ = study
    page = (folder / "masking.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert '"text":"tarragona"' in page.replace(" ", "")
    assert '"text":"german"' in page.replace(" ", "")
    assert (folder / "tables.md").read_text(encoding="utf-8").strip().splitlines()[0] in printed


def test_information_loss_on_census_is_that_of_the_handbook(data_sets, monkeypatch):
    monkeypatch.syspath_prepend(str(STUDY.parent))
    from handbook import MICMUL, RANK

    import evosdc

    census = data_sets.table("census")

    def loss(method, **params):
        return evosdc.measure(census, evosdc.mask(census, method, **params), ["apil"])["apil"]

    for k, (published, _) in MICMUL.items():
        assert loss("mdav", k=k, destandardise=False) == pytest.approx(published, abs=2.5), f"mdav k={k}"
    # swaps are drawn anew: single figures differ by a few points
    differences = [loss("rank-swapping", p=p) - published for p, (published, _) in RANK.items()]
    assert max(map(abs, differences)) < 6
    assert abs(sum(differences) / len(differences)) < 1.5


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
