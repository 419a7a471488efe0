"""Masked files in order: one way for starts, for plans in a search, and for what is published."""

from __future__ import annotations

import numpy as np
import pytest

from evosdc.assess.mask import apply_masking, build_steps
from evosdc.engine.mending import mended
from evosdc.experiment.assembly import assemble
from evosdc.experiment.experiment import Experiment
from evosdc.model import Masking
from evosdc.model.individual import ERROR
from evosdc.plugins.registry import default_registry
from evosdc.secret import Purpose, draw_seed, stream
from tests.engine.problems import evaluated

REGISTRY = default_registry()
pytestmark = pytest.mark.data("adult")
CHAIN = {
    "method": "optimal-channel",
    "then": [{"method": "rank-swapping", "p": 5.89, "attributes": ["education", "occupation"]}],
}
BOUND = 3.0


@pytest.fixture(scope="module")
def problem():
    """Return a search for plans on a file with structural zeros, where exchanged labels are bounded."""
    return assemble(
        Experiment(
            seed=1,
            data={"name": "adult", "first": 600, "protect": ["education", "marital-status", "occupation"]},
            start={"methods": [CHAIN]},
            genotype={"name": "recipes", "draws": 4, "lasting": False},
            measures={"il": ["ctbil"], "dr": ["dbrl"], "other": ["worst-relabelling"]},
            structural_zeros=True,
            fitness="max",
            constraints=[f"worst-relabelling <= {BOUND}"],
        ),
        REGISTRY,
    ).problem


def relabelled(problem, table):
    return problem.score(table)[0]["worst-relabelling"]


def made(problem, seed):
    masking = Masking("optimal-channel", {}, then=(Masking("rank-swapping", {"p": 5.89}, ("education", "occupation")),))
    methods = build_steps(masking, REGISTRY)
    return apply_masking(masking, methods, problem.genotype.microdata, stream(seed, Purpose.MASK))


@pytest.mark.endurance
def test_labels_that_the_repair_puts_right_are_not_exchanged_back(problem):
    rules = problem.genotype.microdata.rules
    repaired_alone = 0
    for draw in range(2):
        masked = made(problem, draw_seed(777, draw))
        order = mended(problem, masked)
        assert not rules.broken(order.table).any()
        alone = problem.repair.repaired(masked)
        if relabelled(problem, alone) <= BOUND:
            assert order.right_labels == ()
            assert order.table.same_records(alone)
            assert order.unrepaired.same_records(masked)
            repaired_alone += relabelled(problem, masked) > BOUND
        else:
            assert order.right_labels
    assert repaired_alone, "no file shows it"


def test_plans_are_judged_in_a_search_on_what_their_masking_makes(problem):
    genotype = problem.genotype
    for _, genome in genotype.initial_genomes()[::9]:
        masking, key = genotype.masking(genome), genotype.key(genome)
        methods = build_steps(masking, REGISTRY)
        for draw in range(2):
            as_made = problem.decode(genome, key, draw, repaired=False)
            rng = problem.streams.evaluate(draw)
            assert apply_masking(masking, methods, genotype.microdata, rng).same_records(as_made)
            judged = problem.decode(genome, key, draw)
            assert mended(problem, as_made, genotype.last_step).table.same_records(judged)


def test_the_score_of_a_plan_is_the_mean_of_what_its_files_score_and_errs_by_a_standard_error(problem):
    genotype = problem.genotype
    for _, genome in genotype.initial_genomes()[::11]:
        key = genotype.key(genome)
        evaluation = evaluated(problem, genome)
        files = [problem.decode(genome, key, draw) for draw in range(genotype.draws_of(genome))]
        each = np.array([problem.score(file)[1][0] for file in files])
        assert evaluation.objectives[0] == pytest.approx(each.mean())
        assert evaluation.scores[ERROR] == pytest.approx(each.std(ddof=1) / np.sqrt(len(each)))
        assert evaluation.objectives[0] >= max(evaluation.scores["il"], evaluation.scores["dr"]) - 1e-9
