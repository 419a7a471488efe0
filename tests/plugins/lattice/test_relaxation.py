"""A lower bound of the loss is never above the least loss; groups of attributes have the least sums of their parts."""

import resource
from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evosdc.model import Microdata
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from evosdc_lattice.relaxation import grouped, lower_bound
from evosdc_lattice.space import nodes_of
from tests.plugins.lattice.tables import files, privacy_parameters
from tests.plugins.lattice.test_nodes import MEASURES, fitted, lattice_of, node

slow = settings(suppress_health_check=list(HealthCheck))
AGGREGATES = ("mean", "sum", "max", "geometric", "rank")


def least(lattice, loss):
    facts = lattice.evaluator.facts
    within = [g for g in nodes_of(lattice.space) if lattice.violation(g) == 0.0]
    return min(loss.of(lattice.evaluator, g, facts(g)) for g in within)


@slow
@given(files(), privacy_parameters(), st.sampled_from([0, 0.1, 0.4]), st.sampled_from([1, 200, 10**6]))
def test_bounds_never_exceed_the_optimum(microdata, params, suppression, work):
    lattice = lattice_of(microdata, **params, suppression=suppression)
    for name in MEASURES:
        loss = lattice.loss_of(fitted(name, microdata))
        assert lower_bound(lattice.space, loss, work) <= least(lattice, loss), name
    for how in (False, "arx"):
        loss = lattice.loss_of(fitted("entropy", microdata, suppression=how))
        assert lower_bound(lattice.space, loss, work) <= least(lattice, loss), how


@slow
@given(files(), st.integers(1, 4), st.sampled_from([0, 0.3]), st.sampled_from([0.0, 0.3, 0.5, 0.8]))
def test_bounds_hold_for_every_aggregate_and_factor(microdata, k, suppression, gs_factor):
    lattice = lattice_of(microdata, k=k, suppression=suppression)
    weights = {microdata.original.schema.names[0]: 2.5}
    for name, aggregate in product(("lm", "iloss"), AGGREGATES):
        measure = fitted(name, microdata, aggregate=aggregate, weights=weights, gs_factor=gs_factor)
        loss = lattice.loss_of(measure)
        assert lower_bound(lattice.space, loss) <= least(lattice, loss), (name, aggregate)


@slow
@given(files(), st.integers(1, 5), st.sampled_from([0, 0.2]))
def test_one_group_of_all_attributes_has_the_least_sum_of_parts_within_the_limit(microdata, k, suppression):
    lattice = lattice_of(microdata, k=k, suppression=suppression)
    space = lattice.space
    for name in ("lm", "precision", "height", "entropy"):
        parts = lattice.loss_of(fitted(name, microdata)).parts(space)
        within = [g for g in nodes_of(space) if lattice.violation(g) == 0.0]
        wanted = min(sum(part[level] for part, level in zip(parts, g, strict=True)) for g in within)
        ((members, found),) = grouped(space, parts)
        assert sorted(members) == list(range(len(parts)))
        assert found == pytest.approx(wanted, abs=1e-9)


@slow
@given(files(), st.integers(1, 5), st.integers(1, 300))
def test_groups_are_disjoint_and_make_up_all_attributes(microdata, k, work):
    space = lattice_of(microdata, k=k).space
    parts = lattice_of(microdata, k=k).loss_of(fitted("lm", microdata)).parts(space)
    groups = grouped(space, parts, work)
    assert sorted(j for members, _ in groups for j in members) == list(range(len(parts)))
    assert sum(found for _, found in groups) <= grouped(space, parts)[0][1] + 1e-12


@slow
@given(files(), st.integers(1, 4))
def test_parts_bound_the_loss_of_every_node_and_never_fall(microdata, k):
    lattice = lattice_of(microdata, k=k, suppression=1)
    for name in MEASURES:
        loss = lattice.loss_of(fitted(name, microdata))
        parts = loss.parts(lattice.space)
        if parts is None:
            continue
        assert all((np.diff(part) >= -1e-12).all() for part in parts), name
        for g in nodes_of(lattice.space):
            total = sum(float(part[level]) for part, level in zip(parts, g, strict=True))
            value = loss.of(lattice.evaluator, node(g.tolist()), lattice.evaluator.facts(g))
            assert loss.of_parts(lattice.space, total) <= value + 1e-9, name


def test_memory_does_not_grow_with_classes_times_values():
    rng = np.random.default_rng(1)
    sizes = [20_000, 5, 4, 3]
    codes = np.stack([rng.permutation(size) if size > 9 else rng.integers(0, size, sizes[0]) for size in sizes], axis=1)
    attributes = [
        Attribute(f"a{j}", Role.QUASI_IDENTIFIER, Scale.ORDINAL, tuple(f"c{i:05}" for i in range(size)))
        for j, size in enumerate(sizes)
    ]
    table = Table(Schema(tuple(attributes)), codes.astype(np.int32), np.empty((sizes[0], 0)))
    space = lattice_of(Microdata(table, table.schema.names), k=2).space
    parts = tuple(np.arange(height + 1.0) for height in space.top)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert grouped(space, parts, 10**6)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 500_000, "kilobytes: a table of classes by values would be 3 GB"
