"""The measure `private-tables`: alone, tracked, and in an experiment."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from evosdc.errors import ParameterError
from evosdc.model import Changes, Genotype, Microdata, toolbox_of
from evosdc.table.schema import Schema
from evosdc.table.table import Table
from evosdc.testing import OperatorConformance
from evosdc_cells.cells import Cells
from evosdc_certified.annealing import annealed
from evosdc_certified.domain import domain_of
from evosdc_certified.evolution import guesses
from evosdc_certified.measure import FittedTables, PrivateMisfit
from evosdc_certified.measurement import budget_of, measure, workload_of_order
from tests.cli.conftest import evosdc  # noqa: F401 -- a fixture
from tests.plugins.certified.conftest import BOUNDS, SCHEMA, survey


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    table = survey()
    domain = domain_of(SCHEMA, SCHEMA.attributes, BOUNDS)
    budget = budget_of(3.0, 1e-6, 3000)
    tables = measure(table, domain, budget, workload_of_order(4, 2), guesses(np.random.default_rng(0)))
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
start = { files = ["certified/best.csv"] }
stop = { generations = 20 }

[data]
file = "certified/best.csv"
schema = "certified/schema.toml"
protect = ["age", "sex", "marital", "income"]

[measures]
il = [{ name = "private-tables", tables = "certified/private-tables.json" }]
"""
ANNEALING = """
[operators]
mutate = { name = "private-tables-annealing", moves = 2000 }
"""


@pytest.fixture
def certified(files, evosdc):  # noqa: F811
    """A folder with a certified file of few moves."""
    words = ("--schema", "schema.toml", "--epsilon", 2, "--bounds", "income=0:5000", "--moves", 1000, "--records", 300)
    assert evosdc("certify", "survey.csv", *words, "--no-second-opinion", "-o", "certified").status == 0
    (files / "survey.csv").unlink()
    return files


def ran(files, evosdc, text, name):  # noqa: F811
    """The result of an experiment."""
    (files / "experiment.toml").write_text(text)
    answer = evosdc("run", "experiment.toml", "-o", name, "--quiet")
    assert answer.status in (0, 1), answer.err
    return json.loads((files / name / "result.json").read_text())


def test_an_experiment_goes_on_from_a_certified_file(certified, evosdc) -> None:  # noqa: F811
    before = json.loads((certified / "certified" / "result.json").read_text())["fitness"][0]
    cells, annealing = (
        ran(certified, evosdc, text, name)["best"]["scores"]["private-tables"]
        for text, name in ((EXPERIMENT, "cells"), (EXPERIMENT + ANNEALING, "annealing"))
    )
    assert annealing < cells < before, "the operator of certify is much faster than a mutation"


def test_the_experiment_of_a_certified_file_repeats_it(certified, evosdc) -> None:  # noqa: F811
    folder = certified / "certified"
    result = json.loads((folder / "result.json").read_text())
    answer = evosdc("run", folder / "experiment.toml", "--key", folder / "key", "-o", "again", "--quiet")
    assert answer.status in (0, 1), answer.err
    again = json.loads((certified / "again" / "result.json").read_text())
    assert again["evaluations"] == result["evaluations"]
    assert again["best"]["scores"]["private-tables"] == pytest.approx(result["fitness"][0], abs=1e-9)
    (made,) = (certified / "again").glob("best*.csv")
    assert made.read_text() == (folder / "best.csv").read_text()


def test_where_the_operator_has_nothing_to_work_on_it_says_so(fitted) -> None:
    cells = Cells(Cells.Params(), Microdata(survey(50), ("age", "sex", "marital", "income")))
    rng = np.random.default_rng(0)
    genome = cells.random(rng)
    with pytest.raises(ParameterError, match="a search without noisy tables"):
        annealed(genome, rng, toolbox_of(cells))
    toolbox = toolbox_of(cells, {"private-tables": fitted})
    made = annealed(genome, rng, toolbox, moves=1000)
    toolbox.genotype = Genotype
    with pytest.raises(ParameterError, match="a genotype that no file can be read into"):
        annealed(genome, rng, toolbox)
    assert fitted.score(cells.decode(made, rng)) < fitted.score(cells.decode(genome, rng))
    attributes = (replace(SCHEMA["age"], categories=tuple(map(str, range(20)))), *SCHEMA.attributes[1:])
    fewer = Table(Schema(attributes), np.minimum(survey(50).codes, 19), survey(50).numbers)
    narrow = Cells(Cells.Params(), Microdata(fewer, ("age", "sex", "marital", "income")))
    known = {"private-tables": FittedTables(fitted.tables, narrow.microdata.original.schema)}
    with pytest.raises(ParameterError, match="age with other categories"):
        annealed(narrow.seeded(fewer), rng, toolbox_of(narrow, known))


class TestAnnealing(OperatorConformance):
    @pytest.fixture(autouse=True)
    def _with_tables(self, fitted):
        self.tables = fitted
        self.cells = Cells(Cells.Params(), Microdata(survey(50), ("age", "sex", "marital", "income")))

    def operator(self):
        return partial(annealed, toolbox=toolbox_of(self.cells, {"private-tables": self.tables}), moves=200)

    def genome(self, rng):
        return self.cells.random(rng)


del OperatorConformance
