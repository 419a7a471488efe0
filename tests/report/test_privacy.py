"""The section on privacy models."""

import json

from evosdc.report.page import render
from evosdc.report.tables import privacy_rows
from evosdc.runs.reader import read_run_folders
from tests.report.synthetic import write_run

ENTRY = {"name": "k-anonymity", "headline": "k", "original": 1, "published": 3, "in_words": "k = 3: <all> alike"}
LOCAL = {"name": "local", "headline": "epsilon", "original": 1.23456, "published": None, "in_words": "no bound"}


def run_with(path, document):
    folder = write_run(path / "run")
    if document is not None:
        (folder / "risk.json").write_text(json.dumps(document), encoding="utf-8")
    return read_run_folders([folder])[0]


def test_the_figures_of_both_files_are_shown(tmp_path):
    run = run_with(tmp_path, {"models": [ENTRY, LOCAL], "quasi_identifiers": ["a", "b"], "missing_rule": "never"})
    found = privacy_rows(run)
    assert found["rows"][0] == {
        "name": "k-anonymity",
        "headline": "k",
        "original": "1",
        "published": "3",
        "words": "k = 3: <all> alike",
    }
    assert (found["rows"][1]["original"], found["rows"][1]["published"]) == ("1.235", "infinite")
    page = render([run])
    assert "The file by itself" in page
    assert "k = 3: &lt;all&gt; alike" in page
    assert "<bdi>a, b</bdi>" in page


def test_runs_without_such_figures_have_no_section(tmp_path):
    for name, document in (("none", None), ("note", {"note": "A privacy model failed."}), ("odd", {"models": [1]})):
        run = run_with(tmp_path / name, document)
        assert privacy_rows(run) is None
        assert "The file by itself" not in render([run])
