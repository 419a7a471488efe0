"""What is tried of a refused file: columns in classes, and columns that are left out."""

import re

import numpy as np

from evosdc.experiment.assembly import assemble
from evosdc.experiment.early_verdict import margins_wanted, tried
from evosdc.experiment.single_run import run_once
from evosdc.experiment.start import files_of, starting_individual
from evosdc.plugins.registry import default_registry
from evosdc.table.table import Table
from tests.experiment.test_tighter_bounds import experiment

REGISTRY = default_registry()


def test_a_refused_run_says_without_which_columns_it_would_hold(tmp_path):
    found = run_once(experiment(12, stop={"generations": 1}), tmp_path / "run", REGISTRY, 1)
    assert found.result.verdict.publishable is False
    (said,) = found.result.verdict.advice
    assert said.startswith("Tried")
    losses = [float(loss) for loss in re.findall(r"loss ([\d.]+)", said)]
    assert losses == sorted(losses)
    assert 1 <= len(losses) <= 3


def test_a_column_said_to_be_left_out_leaves_a_file_that_keeps_the_bounds():
    assembly = assemble(experiment(12), REGISTRY, 1)
    best = starting_individual(assembly.problem, assembly.plan, 0)
    (said,) = tried(assembly, best, files_of(assembly, [best]), lambda: 100.0)
    name, loss = re.search(r"without (\w+) \(loss ([\d.]+)\)", said).groups()
    masked = assembly.problem.decode(best.genome, best.key)
    codes = masked.codes.copy()
    place = [attribute.name for attribute in masked.schema.categorical].index(name)
    original = np.sort(assembly.microdata.original.codes[:, place])
    codes[:, place] = original[len(original) // 2]
    without = Table(masked.schema, codes, masked.numbers)
    scores, _ = assembly.problem.score(without)
    assert f"{scores['il']:.1f}" == loss
    assert margins_wanted(assembly, without, scores, None) == ({}, "")
    (late,) = tried(assembly, best, files_of(assembly, [best]), lambda: 0.0)
    assert "time was over" in late
