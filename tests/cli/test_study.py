"""``evosdc study report`` on a real study of two data sets."""

import json
from pathlib import Path

import pandas as pd

import evosdc as evosdc_api

EXPERIMENT = """
seed       = 1
data       = { name = "housing", first = 40, protect = ["degree", "grade1"] }
start      = [{ method = "rank-swapping", p = 10 }, { method = "pram" }]
measures   = { il = ["ctbil"], dr = ["dbrl"] }
fitness    = { name = "max" }
algorithm  = { name = "parent-child" }
stop       = { generations = 2 }
second_opinion = false
executor   = "serial"

[sweep]
"algorithm.name" = ["parent-child", "random-search"]
"data.first"     = [40, 60]
"""


def test_a_study_is_reported_on_the_command_line_and_in_python(evosdc):
    Path("study.toml").write_text(EXPERIMENT)
    assert evosdc("run", "study.toml", "-o", "runs", "--quiet", "--no-report").status == 0
    told = evosdc("study", "report", "runs", "-o", "study.html", "--ioh", "progress.csv")
    assert told.status == 0, told.err
    assert "van Elteren" in told.out
    assert "<svg" in Path("study.html").read_text()
    progress = pd.read_csv("progress.csv")
    assert list(progress) == ["evaluations", "best", "function", "algorithm", "dimension", "run"]
    for _, run in progress.groupby(["function", "algorithm", "run"]):
        assert run["best"].is_monotonic_decreasing
    found = json.loads(evosdc("study", "report", "runs", "--json").out)
    same = evosdc_api.study_report("runs")
    assert found == json.loads(json.dumps(same))
    assert len(found["blocks"]) == 2
    assert len(same.frame) == 4
    assert len(same.pairs) == 1
    assert same.curves["share"].between(0, 1).all()
    Path("mine.html").write_text("mine")
    refused = evosdc("study", "report", "runs", "-o", "mine.html")
    assert refused.status == 2
    assert "mine.html" in refused.err


def test_bad_input_is_said_in_a_line(evosdc):
    Path("empty").mkdir()
    assert evosdc("study", "report", "empty").status == 2
