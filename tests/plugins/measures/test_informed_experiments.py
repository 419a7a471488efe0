"""Informed risks, relabelling and tables across a file, as measures of experiments and of the command."""

import json

import pytest

from evosdc.cli import main
from evosdc.experiment.assembly import assemble
from evosdc.experiment.reader import parse_experiment
from evosdc.experiment.single_run import run_once
from evosdc.plugins.registry import default_registry

MEASURES = {
    "il": ["dbil", "ctbil", "ctbil-across"],
    "dr": ["guess-gain", "dbrl", "informed-linkage"],
    "other": [{"name": "relabelling", "aggregate": "worst"}],
}


def experiment(folder, **further):
    document = {
        "seed": 7,
        "data": {"name": "housing", "protect": ["degree", "grade1"], "first": 120},
        "genotype": {"name": "cells"},
        "start": [{"method": "rank-swapping", "p": 20}, {"method": "pram", "p": 0.5}],
        "measures": MEASURES,
        "algorithm": {"name": "parent-child", "generations": 25},
        "executor": {"name": "serial"},
    }
    return parse_experiment(document | further, folder)


def test_a_search_with_all_of_them(tmp_path):
    chosen = experiment(
        tmp_path, constraints=["relabelling <= 3", "relabelling of degree <= 3", "ctbil-across of degree <= 90"]
    )
    finished = run_once(chosen, tmp_path / "run", default_registry(), chosen.seed)
    best = finished.result.best.scores
    assert best["relabelling"] <= 3.0
    assert best["relabelling of degree"] <= best["relabelling"]
    assert best["dr"] == pytest.approx((best["guess-gain"] + max(best["dbrl"], best["informed-linkage"])) / 2)
    assert best["il"] == pytest.approx((best["dbil"] + best["ctbil"] + best["ctbil-across"]) / 3)
    masked = tmp_path / "run" / finished.result.best.file
    assembly = assemble(chosen, default_registry())
    from evosdc.files.source import read_masked

    stored = read_masked(masked, assembly.source).table.select(assembly.microdata.protect)
    fresh, _ = assembly.problem.score(stored)
    assert {name: best[name] for name in fresh} == fresh


def test_attributes_of_the_whole_file_are_at_hand_for_tables_across_it_only(tmp_path):
    whole = assemble(experiment(tmp_path), default_registry()).microdata.table.schema.names
    assert {"degree", "grade1", "built", "wfuel"} <= set(whole)
    named = {"il": ["dbil", {"name": "ctbil-across", "attributes": ["wfuel"]}], "dr": ["dbrl"]}
    some = assemble(experiment(tmp_path, measures=named), default_registry()).microdata.table.schema.names
    assert set(some) == {"degree", "grade1", "wfuel"}


def test_of_one_attribute_the_other_protected_ones_are_left_out(tmp_path):
    problem = assemble(experiment(tmp_path, constraints=["ctbil-across of degree <= 9"]), default_registry()).problem
    tables = problem.measures["ctbil-across of degree"].fitted.pairs
    assert tables
    assert {first for first, _ in tables} == {"degree"}
    assert "grade1" not in {second for _, second in tables}


def test_matrices_are_judged_in_expectation(tmp_path):
    chosen = experiment(
        tmp_path,
        genotype={"name": "pram", "judge": "expectation"},
        start={"portfolio": "standard-pram"},
        measures=MEASURES | {"dr": ["guess-gain", "informed-linkage"]},
        algorithm={"name": "parent-child", "generations": 2},
        constraints=["relabelling <= 3"],
    )
    finished = run_once(chosen, tmp_path / "run", default_registry(), chosen.seed)
    scores = finished.result.best.scores
    assert all(0.0 <= scores[name] <= 100.0 for name in ("guess-gain", "informed-linkage", "relabelling"))


def test_the_command(tmp_path, capsys):
    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        told = capsys.readouterr()
        assert not ended.value.code, told.err
        return told.out

    masked = tmp_path / "x.csv"
    run("mask", "pram", "housing", "--set", "p=0.6", "-o", masked)
    names = "guess-gain,informed-linkage,relabelling,ctbil-across"
    scores = json.loads(run("measure", "housing", masked, "--measures", names, "--json"))
    assert all(0.0 <= scores[name] <= 100.0 for name in names.split(","))
    assert scores["dr"] == pytest.approx((scores["guess-gain"] + scores["informed-linkage"]) / 2)
    published = f"informed-linkage.matrices={tmp_path / 'x.matrices.json'}"
    known = run("measure", "housing", masked, "--measures", "informed-linkage", "--set", published, "--json")
    assert 0.0 < json.loads(known)["informed-linkage"] < scores["informed-linkage"]
