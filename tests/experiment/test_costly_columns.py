"""Advice on a column that costs most of the loss, by files that are made without it and in its classes."""

import json

import numpy as np
import pytest

from evosdc.experiment import costly_columns
from evosdc.experiment.assembly import assemble
from evosdc.experiment.costly_columns import advice_on, suspected
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.single_run import run_once
from evosdc.experiment.start import StartingFile, starting_individual
from evosdc.plugins.registry import default_registry

REGISTRY = default_registry()
SCHEMA = """[attributes]
born = { role = "quasi-identifier", scale = "ordinal" }
sex = { role = "quasi-identifier", scale = "nominal" }
place = { role = "quasi-identifier", scale = "nominal" }
"""


@pytest.fixture
def people(tmp_path):
    """Four hundred people, each born on another day: nobody is alone without it, all are with it."""
    rng = np.random.default_rng(5)
    rows = [f"{day},{'fm'[rng.integers(2)]},{'abc'[rng.integers(3)]}" for day in rng.permutation(400)]
    (tmp_path / "people.csv").write_text("born,sex,place\n" + "\n".join(rows) + "\n")
    (tmp_path / "schema.toml").write_text(SCHEMA)
    return tmp_path


def experiment(people, **changes):
    data = {"file": str(people / "people.csv"), "schema": str(people / "schema.toml")}
    return Experiment(
        **{
            "data": data,
            "measures": {
                "il": ["ctbil"],
                "dr": ["two-way-linkage"],
                "other": [{"name": "dbrl", "of": ["born", "sex"]}],
            },
            "fitness": "loss",
            "audience": "public",
            "limits": ["two-way-linkage <= 9"],
            "start": [{"method": "mdav", "k": k} for k in (5, 50)],
            "second_opinion": False,
            "stop": {"generations": 3},
            "executor": "serial",
            **changes,
        }
    )


def tried(people, loss=None, left=lambda: 60.0):
    assembly = assemble(experiment(people), REGISTRY, 1)
    places = range(assembly.plan.candidates)
    found = [starting_individual(assembly.problem, assembly.plan, place) for place in places]
    listed = assembly.plan.listed
    starting = [StartingFile(one.origin, listed[at][0], one, False) for at, one in enumerate(found)]
    masked = assembly.problem.decode(found[-1].genome, found[-1].key)
    return assembly, masked, advice_on(assembly, masked, loss or found[-1].scores["il"], starting, left)


def test_the_column_that_costs_most_is_named_with_the_loss_of_the_files_without_it(people):
    assembly, masked, (said,) = tried(people)
    assert suspected(assembly, masked, lambda: 1.0)[0] == "born"
    assert "without born " in said
    assert "with born in 5 classes " in said
    assert "`evosdc edit SCHEMA born role=drop`" in said
    least = float(said.partition("without born ")[2].split(",")[0].split(";")[0])
    whole = float(said.partition("this one, with born, ")[2].split()[0].rstrip("."))
    assert least < 0.5 * whole


def test_nothing_is_said_of_a_small_loss_without_time_or_where_no_column_helps(people, monkeypatch):
    assert tried(people, loss=9.0)[2] == []
    assert tried(people, left=lambda: 0.0)[2] == []
    monkeypatch.setattr(costly_columns, "WORTH_SAYING", -1.0)
    assert tried(people)[2] == []


def test_a_trial_that_fails_loses_no_run(people, monkeypatch):
    def broken(*given):
        raise TypeError("of a plugin")

    monkeypatch.setattr(costly_columns, "build_problem", broken)
    assert tried(people)[2] == []


def test_a_publishable_file_with_much_loss_is_advised_and_keeps_its_digest(people, monkeypatch):
    """The key is no public seed, so that the file may be published."""
    from evosdc.secret import Key

    key = Key(bytes(range(32)))
    files = []
    for much in (10.0, 1000.0):
        monkeypatch.setattr("evosdc.experiment.outputs.MUCH", much)
        result = run_once(experiment(people), people / f"run-{much:g}", REGISTRY, key).result
        files.append((result.digest, (people / f"run-{much:g}" / result.best.file).read_bytes()))
        stored = json.loads((people / f"run-{much:g}" / "result.json").read_text())["verdict"]
        assert result.verdict.publishable, result.verdict.reasons
        assert any("without born" in text for text in stored["advice"]) is (much == 10.0)
    assert files[0] == files[1]
