"""Structural zeros and edit rules in experiments: every genotype's file keeps them, and what was done is said."""

import json

import numpy as np
import pytest

import evosdc
from evosdc.experiment.assembly import assemble
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.single_run import run_once
from evosdc.plugins.registry import default_registry

N = 150


@pytest.fixture
def people(tmp_path):
    """Write a file in which the young are single and everybody's town goes with its postal code."""
    rng = np.random.default_rng(8)
    age, sex, town = rng.integers(0, 6, N), rng.integers(0, 2, N), rng.integers(0, 3, N)
    status = np.where(age < 2, 0, rng.integers(0, 3, N))
    job = np.where(age < 2, 0, rng.integers(1, 4, N))
    rows = ["age,sex,status,town,job,post"]
    people = zip(age, sex, status, town, job, strict=True)
    rows += [f"g{a},{'fm'[s]},{'smw'[t]},t{o},j{j},{o * 100}" for a, s, t, o, j in people]
    (tmp_path / "p.csv").write_text("\n".join([*rows, ""]))
    roles = dict.fromkeys(("age", "sex", "status", "town"), "quasi-identifier")
    lines = ["[attributes]"]
    lines += [f'{n} = {{ role = "{roles.get(n, "other")}", scale = "nominal" }}' for n in rows[0].split(",")[:5]]
    lines += ['post = { role = "other", scale = "numeric" }']
    lines += ["[[edit_rules]]", 'status = "w"', 'job = ["j0"]']
    lines += ["[[edit_rules]]", 'town = ["t1", "t2"]', "post = [0, 50]"]
    (tmp_path / "s.toml").write_text("\n".join([*lines, ""]))
    return tmp_path


def experiment(people, **changes):
    given = {
        "data": {"file": str(people / "p.csv"), "schema": str(people / "s.toml")},
        "structural_zeros": {"threshold": 3},
        "algorithm": {"name": "parent-child", "population": 6},
        "stop": {"generations": 4},
        "executor": "serial",
    }
    return Experiment.model_validate(given | changes)


GENOTYPES = {
    "cells": {"start": {"methods": [{"method": "rank-swapping", "p": 20}, {"method": "pram", "p": 0.5}]}},
    "pram": {"genotype": {"name": "pram", "draws": 2, "fresh_draws": 2}},
    "pram in expectation": {
        "genotype": {"name": "pram", "judge": "expectation", "fresh_draws": 2},
        "start": {"initial": True},
        "measures": {"il": ["dbil"], "dr": ["id"]},
    },
    "equations": {"genotype": {"name": "equations", "draws": 1}, "start": {"random": 6}},
}


@pytest.mark.parametrize("named", GENOTYPES)
def test_no_record_of_the_published_file_is_impossible(people, named):
    made = experiment(people, **GENOTYPES[named])
    finished = run_once(made, people / "run", default_registry(), 1)
    assembly = assemble(made, default_registry())
    published = evosdc.read_table(people / "run" / "best.csv", schema=people / "s.toml")
    rules = assembly.microdata.rules
    assert rules.zeros.count > 0
    assert not rules.broken(published.select(assembly.microdata.protect)).any()
    assert any(rule.broken(published).any() for rule in published.schema.edit_rules) is False
    result = finished.result
    assert any("Structural zeros" in note for note in result.notes)
    assert any("breaks an edit rule: status = w, job = [j0]" in note for note in result.notes)
    assert any("hold for the draw before" in note for note in result.notes) == (named != "cells")
    assert any(w.startswith("town is masked, but follows from") for w in result.warnings)
    assert json.loads((people / "run" / "result.json").read_text())["notes"] == result.notes


def test_files_for_comparison_are_repaired(people):
    made = experiment(people, measures={"il": ["dbil"], "dr": ["id"], "other": ["impossible-records"]})
    finished = run_once(made, people / "run", default_registry(), 1)
    entries = json.loads((people / "run" / "portfolio.json").read_text())
    assert len(entries) > 10
    assert all(entry["scores"]["impossible-records"] == 0.0 for entry in entries)
    assert finished.result.best.scores["impossible-records"] == 0.0


@pytest.mark.endurance
def test_workers_find_the_same_rules(people):
    digests = []
    for executor in ("serial", {"name": "processes", "workers": 2, "grain": "evaluations"}):
        folder = people / f"run-{len(digests)}"
        digests.append(run_once(experiment(people, executor=executor), folder, default_registry(), 1).result.digest)
    assert digests[0] == digests[1]


def test_the_key_is_true_false_or_a_threshold(people):
    assert experiment(people, structural_zeros=True).structural_zeros.threshold == 5.0
    assert experiment(people, structural_zeros=False).structural_zeros is None
    assert Experiment.model_validate({"data": {"name": "housing"}}).structural_zeros is None
    with pytest.raises(evosdc.InputError, match="threshold"):
        experiment(people, structural_zeros={"threshold": 0})
    # The schema's rules are in force whether or not structural zeros are looked for.
    rules = assemble(experiment(people, structural_zeros=False), default_registry()).microdata.rules
    assert len(rules.edit_rules) == 2
    assert rules.zeros is None
