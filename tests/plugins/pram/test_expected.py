"""Means over many draws converge to the expectations."""

import numpy as np
import pytest

from evosdc.engine.fresh import fresh_scores
from evosdc.experiment.assembly import assemble
from evosdc.experiment.experiment import Experiment
from evosdc.plugins.registry import default_registry

EXACT = {"dbil", "unchanged", "correct-matches", "ctbil", "bivariate-difference"}
"""Expectations that are exact, or within 1 per cent of it."""

MEASURES = {
    "il": ["dbil", {"name": "ctbil", "K": 1}, "ebil", "bivariate-difference", "hellinger-difference"],
    "dr": ["id", "unchanged", "correct-matches"],
    "other": ["chi-square-difference", "cramer-difference"],
}


def problem_of(n, **genotype):
    given = {
        "seed": 8,
        "data": {"name": "housing", "first": n, "protect": ["degree", "built", "metro"]},
        "genotype": {"name": "pram", **genotype},
        "start": {"initial": True},
        "measures": MEASURES,
    }
    return assemble(Experiment.model_validate(given), default_registry()).problem


@pytest.mark.parametrize("position", [0, 9])
def test_means_of_draws_are_the_exact_expectations(position):
    problem = problem_of(300)
    masking, genome = problem.initial_genomes[position]
    wanted = problem.expectations(genome)
    found = fresh_scores(problem, genome, problem.genotype.key(genome), 200)
    for name in EXACT:
        slack = 0.01 * wanted[name] if name in ("ctbil", "bivariate-difference") else 0.0
        assert abs(found.scores[name] - wanted[name]) < 4 * found.errors[name] + slack + 1e-9, (masking.label, name)


def test_first_order_figures_approach_the_means_as_the_file_grows():
    gaps = []
    for n in (100, 1000):
        problem = problem_of(n)
        _, genome = problem.initial_genomes[5]
        wanted = problem.expectations(genome)
        found = fresh_scores(problem, genome, problem.genotype.key(genome), 40)
        gaps.append({name: abs(found.scores[name] - wanted[name]) for name in ("ebil", "hellinger-difference")})
    for name in gaps[0]:
        assert gaps[1][name] < 0.5 * gaps[0][name], (name, gaps)


def test_draws_of_a_matrix_follow_it():
    problem = problem_of(1000)
    _, genome = problem.initial_genomes[2]
    original = problem.genotype.microdata.original
    matrix = problem.genotype.transitions(genome)[0]
    counts = np.zeros_like(matrix)
    for draw in range(100):
        table = problem.decode(genome, b"", draw)
        np.add.at(counts, (original.codes[:, 0], table.codes[:, 0]), 1)
    totals = counts.sum(axis=1, keepdims=True)
    seen = totals[:, 0] > 0
    error = np.sqrt(matrix * (1 - matrix) / np.maximum(totals, 1)) + 1e-12
    assert (np.abs(counts / np.maximum(totals, 1) - matrix)[seen] < 5 * error[seen]).all()


def shifts(fitness, tmp_path):
    """Return the shift of the marginals of the best matrix that a short search finds."""
    from evosdc.experiment.single_run import run_once

    given = {
        "seed": 8,
        "data": {"name": "housing", "first": 200, "protect": ["degree", "metro"]},
        "genotype": {"name": "pram", "draws": 2, "fresh_draws": 2, "start": ["a"], "least": 0.3},
        "start": {"initial": True},
        "measures": {"il": ["dbil", "ebil"], "dr": ["unchanged"], "other": ["marginal-shift"]},
        "fitness": fitness,
        "algorithm": {"name": "parent-child", "generations": 25},
    }
    result = run_once(Experiment.model_validate(given), tmp_path / fitness["name"], default_registry(), 8).result
    # A figure of the matrix, not of a draw: fresh draws give the very same.
    assert result.fresh["best"]["scores"]["marginal-shift"] == pytest.approx(result.best.scores["marginal-shift"])
    assert result.fresh["best"]["errors"]["marginal-shift"] == pytest.approx(0.0, abs=1e-9)
    return result.best.scores["marginal-shift"]


def test_penalty_draws_the_search_to_invariant_matrices(tmp_path):
    free = shifts({"name": "mean"}, tmp_path)
    assert shifts({"name": "penalised", "weight": 10.0}, tmp_path) < 0.5 * free
