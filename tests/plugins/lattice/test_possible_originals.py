"""Ambiguity, divergence, the factor of suppression and the aggregate `rank`."""

from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evosdc.plugins.registry import default_registry
from evosdc_lattice.evaluation import NodeEvaluator
from evosdc_lattice.exact import optimum
from evosdc_lattice.losses import LossMetric, aggregated
from evosdc_lattice.space import nodes_of
from tests.plugins.lattice.tables import all_levels, files
from tests.plugins.lattice.test_nodes import fitted, lattice_of, node

slow = settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=20)


def possible(attribute, label):
    hierarchy = attribute.hierarchy
    return [leaf for leaf in hierarchy.leaves if label in (leaf, *hierarchy.path(leaf)[1:]) or label == "*"]


@slow
@given(files(missing=False), st.integers(1, 3))
def test_every_original_that_a_record_may_be_is_counted(microdata, k):
    lattice = lattice_of(microdata, k=k, suppression=1)
    original = microdata.original
    names = original.schema.names
    records = [
        tuple(original.schema[name].categories[original.column(name)[i]] for name in names)
        for i in range(len(original))
    ]
    for levels in all_levels(microdata):
        masked = lattice.decode(node(levels), np.random.default_rng(0))
        shown = [
            tuple(masked.schema[name].categories[masked.column(name)[i]] for name in names) for i in range(len(masked))
        ]
        combinations = [
            len(list(product(*(possible(original.schema[n], x) for n, x in zip(names, row, strict=True)))))
            for row in shown
        ]
        assert fitted("ambiguity", microdata).score(masked) == pytest.approx(np.mean(combinations))
        n = len(records)
        bits = [
            np.log2((records.count(own) / n) / (shown.count(row) / n / size))
            for own, row, size in zip(records, shown, combinations, strict=True)
        ]
        assert fitted("kl-divergence", microdata).score(masked) == pytest.approx(max(np.mean(bits), 0.0), abs=1e-9)


@slow
@given(files(), st.sampled_from([0.0, 0.3, 0.5, 0.8, 1.0]), st.sampled_from(["lm", "iloss"]))
def test_the_factor_weighs_suppressed_records_and_others(microdata, factor, name):
    lattice = lattice_of(microdata, k=2, suppression=1)
    measure = fitted(name, microdata, gs_factor=factor)
    plain = fitted(name, microdata)
    direct = lattice.direct(measure)
    kept_factor, gone_factor = min(1, 2 * (1 - factor)), min(1, 2 * factor)
    for levels in all_levels(microdata):
        genome = node(levels)
        suppressed = lattice.suppressed_rows(genome)
        whole = lattice.direct(plain)(genome)
        unit = [
            (a.hierarchy.leaves.__len__() - 1) / (len(a.hierarchy.leaves) - (name == "lm"))
            if len(a.hierarchy.leaves) > 1
            else 0.0
            for a in microdata.original.schema.attributes
        ]
        gone = len(suppressed) / len(microdata.table) * np.mean(unit)
        assert direct(genome) == pytest.approx(kept_factor * (whole - gone) + gone_factor * gone)
        masked = lattice.decode(genome, np.random.default_rng(0))
        if (genome < lattice.space.top).any():  # of a file of roots alone a table does not tell what was suppressed
            assert measure.score(masked) == pytest.approx(direct(genome))


@slow
@given(files(), st.sampled_from([0.0, 0.2, 1.0]))
def test_the_exact_search_finds_the_optimum_under_any_factor(microdata, factor):
    lattice = lattice_of(microdata, k=2, suppression=0.5)
    loss = LossMetric((1.0,) * len(microdata.protect), "mean", factor)
    found = optimum(NodeEvaluator(lattice.space), loss)
    values = {}
    for levels in nodes_of(lattice.space):
        facts = lattice.evaluator.facts(levels)
        if facts.suppressed <= lattice.space.limit:
            values[tuple(levels.tolist())] = loss.of(lattice.evaluator, levels, facts)
    assert found.loss == pytest.approx(min(values.values()))


def test_the_greatest_loss_decides_the_rank():
    ones = (1.0, 1.0, 1.0)
    assert aggregated((0.5, 0.1, 0.1), ones, "rank") < aggregated((0.6, 0.0, 0.0), ones, "rank")
    assert aggregated((0.5, 0.1, 0.2), ones, "rank") > aggregated((0.1, 0.5, 0.1), ones, "rank")
    assert aggregated((0.5, 0.1, 0.2), ones, "rank") == aggregated((0.2, 0.5, 0.1), ones, "rank")
    assert default_registry().build("measure", "lm", {"aggregate": "rank"}) is not None
