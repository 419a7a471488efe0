"""The measure `private-tables`: alone, tracked, and in an experiment."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from evosdc.errors import ParameterError
from evosdc.model import Changes
from evosdc.table.table import Table
from evosdc_certified.domain import domain_of
from evosdc_certified.evolution import Guesses
from evosdc_certified.measure import FittedTables, PrivateMisfit
from evosdc_certified.measurement import budget_of, measure, workload_of_order
from tests.cli.conftest import evosdc  # noqa: F401 -- a fixture
from tests.plugins.certified.conftest import BOUNDS, SCHEMA, survey


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    table = survey()
    domain = domain_of(SCHEMA, SCHEMA.attributes, BOUNDS)
    budget = budget_of(3.0, 1e-6, 3000)
    tables = measure(table, domain, budget, workload_of_order(4, 2), Guesses(np.random.default_rng(0)))
    path = tmp_path_factory.mktemp("tables") / "private-tables.json"
    tables.write(path)
    return PrivateMisfit(PrivateMisfit.Params(tables=path)).fit(survey(10, 3))


def test_the_original_scores_about_50_and_others_more(fitted) -> None:
    own = fitted.score(survey())
    assert own == pytest.approx(50.0, abs=8.0)
    shuffled = survey().codes.copy()
    for column in shuffled.T:
        np.random.default_rng(1).shuffle(column)
    assert fitted.score(Table(SCHEMA, shuffled, survey().numbers)) > own
    half = survey().take(np.arange(0, 3000, 2))
    assert fitted.score(half) < fitted.score(Table(SCHEMA, shuffled, survey().numbers)), "files of other sizes compare"


def test_a_tracker_scores_as_the_measure_does(fitted) -> None:
    rng, table = np.random.default_rng(0), survey(400, 1)
    tracker = fitted.track(table)
    for _ in range(5):
        rows = [np.sort(rng.choice(400, size, replace=False)) for size in (1, 3, 40)]
        every = np.concatenate(rows)
        other = survey(len(every), int(rng.integers(1000)))
        changes = Changes(np.cumsum([1, 3, 40]), every, table.take(every), other)
        parts = [changes.part(child, child + 1) for child in range(3)]
        scores = [fitted.score(part.applied_to(table)) for part in parts]
        assert tracker.tries(changes) == pytest.approx(scores, abs=1e-9)
        tracker.take(parts[2])
        table = parts[2].applied_to(table)
        assert tracker.score == pytest.approx(fitted.score(table), abs=1e-9)


def test_a_file_of_other_attributes_is_refused(fitted) -> None:
    with pytest.raises(ParameterError, match="a file without income"):
        FittedTables(fitted.tables, SCHEMA.select(["age", "sex", "marital"]))


EXPERIMENT = """title = "a certified file, by the engine"
genotype = "cells"
fitness = "loss"
seed = 1
executor = "serial"
stop = { generations = 20 }

[data]
file = "certified/best.csv"
schema = "public.toml"
protect = ["age", "sex", "marital", "income"]

[measures]
il = [{ name = "private-tables", tables = "certified/private-tables.json" }]
"""


def test_an_experiment_goes_on_from_a_certified_file(files, evosdc) -> None:  # noqa: F811
    text = (files / "schema.toml").read_text()
    (files / "public.toml").write_text(
        re.sub(r"\n\[\[edit_rules.*", "", text.replace('name = { role = "identifier" }', ""), flags=re.S)
    )
    words = ("--schema", "schema.toml", "--epsilon", 2, "--bounds", "income=0:5000", "--moves", 1000, "--records", 300)
    words = (*words, "--no-second-opinion")
    assert evosdc("certify", "survey.csv", *words, "-o", "certified").status == 0
    (files / "survey.csv").unlink()
    (files / "experiment.toml").write_text(EXPERIMENT)
    answer = evosdc("run", "experiment.toml", "-o", "run", "--quiet")
    assert answer.status in (0, 1), answer.err
    result = json.loads((files / "run" / "result.json").read_text())
    before = json.loads((files / "certified" / "result.json").read_text())["fitness"][0]
    assert result["best"]["scores"]["private-tables"] < before
