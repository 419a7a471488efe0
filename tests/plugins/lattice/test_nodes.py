"""Nodes against the plain definitions, and decoded tables against nodes."""

from itertools import permutations
from math import log2

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from evosdc.assess.risk import RegisteredModels
from evosdc.errors import ParameterError
from evosdc.model import Microdata
from evosdc.plugins.registry import default_registry
from evosdc.table.hierarchy import Hierarchy
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table
from evosdc_lattice.evaluation import NodeEvaluator
from evosdc_lattice.exact import optimum
from evosdc_lattice.lattice import Lattice
from evosdc_lattice.losses import Discernibility, aggregated
from evosdc_lattice.space import nodes_of
from tests.plugins.lattice.tables import all_levels, files, paths, privacy_parameters, reference

MEASURES = ("dm", "dm-star", "lm", "iloss", "cavg", "aecs", "entropy", "precision", "height")
slow = settings(suppress_health_check=list(HealthCheck))


def lattice_of(microdata, **params):
    try:
        return Lattice(Lattice.Params(**params), microdata, RegisteredModels(default_registry()))
    except ParameterError:
        assume(False)


def fitted(name, microdata, **params):
    return default_registry().build("measure", name, params).fit(microdata.original)


def node(levels):
    genome = np.array(levels, dtype=np.int16)
    genome.flags.writeable = False
    return genome


@slow
@given(files(), privacy_parameters(), st.sampled_from([0, 0.1, 0.5, 1]))
def test_every_node_has_the_losses_of_the_definitions(microdata, params, suppression):
    lattice = lattice_of(microdata, **params, suppression=suppression)
    direct = {name: lattice.direct(fitted(name, microdata)) for name in MEASURES}
    for levels in all_levels(microdata):
        wanted = reference(microdata, levels, params)
        genome = node(levels)
        assert lattice.evaluator.facts(genome).suppressed == wanted["suppressed"]
        assert (lattice.violation(genome) > 0) == (wanted["suppressed"] > lattice.space.limit)
        for name in MEASURES:
            assert direct[name](genome) == pytest.approx(wanted[name], abs=1e-9), (name, levels)


@slow
@given(files(), st.integers(1, 4))
def test_decoded_tables_have_the_losses_of_their_nodes(microdata, k):
    lattice = lattice_of(microdata, k=k, suppression=1)
    measures = {name: fitted(name, microdata) for name in ("dm", "lm", "aecs", "entropy")}
    for levels in all_levels(microdata):
        genome = node(levels)
        table = lattice.decode(genome, np.random.default_rng(0))
        table.verify()
        for name, measure in measures.items():
            assert measure.score(table) == pytest.approx(lattice.direct(measure)(genome), abs=1e-9), (name, levels)


@slow
@given(files(), privacy_parameters(), st.sampled_from([0, 0.1, 0.4]))
def test_optimal_equals_exhaustive(microdata, params, suppression):
    lattice = lattice_of(microdata, **params, suppression=suppression)
    safe = [genome for genome in nodes_of(lattice.space) if lattice.violation(genome) == 0.0]
    for name in MEASURES:
        loss = lattice.loss_of(fitted(name, microdata))
        found = optimum(NodeEvaluator(lattice.space), loss)
        values = {tuple(g.tolist()): loss.of(lattice.evaluator, g, lattice.evaluator.facts(g)) for g in safe}
        assert found.loss == min(values.values()), name
        assert [tuple(g.tolist()) for g in found.nodes] == sorted(v for v in values if values[v] == found.loss), name


@slow
@given(files(), st.integers(1, 4))
def test_judging_all_nodes_at_once_gives_the_facts_of_each(microdata, k):
    lattice = lattice_of(microdata, k=k, suppression=1)
    at_once = NodeEvaluator(lattice.space)
    at_once.judge_all()
    for genome in nodes_of(lattice.space):
        assert at_once.facts(genome) == lattice.evaluator.facts(genome)


@slow
@given(files(), st.integers(1, 4), st.sampled_from([0, 0.2]))
def test_optimal_equals_exhaustive_for_every_aggregate(microdata, k, suppression):
    lattice = lattice_of(microdata, k=k, suppression=suppression)
    names = microdata.original.schema.names
    for aggregate in ("mean", "sum", "max", "geometric"):
        measure = "iloss" if k % 2 else "lm"
        loss = lattice.loss_of(fitted(measure, microdata, aggregate=aggregate, weights={names[0]: 2.5}))
        found = optimum(NodeEvaluator(lattice.space), loss)
        best = {}
        for genome in nodes_of(lattice.space):
            facts = lattice.evaluator.facts(genome)
            if facts.suppressed <= lattice.space.limit:
                best.setdefault(loss.of(lattice.evaluator, genome, facts), []).append(genome.tolist())
        assert found.loss == min(best)
        assert [genome.tolist() for genome in found.nodes] == best[found.loss]


@slow
@given(files(), privacy_parameters())
def test_published_classes_meet_the_model(microdata, params):
    lattice = lattice_of(microdata, **params, suppression=1)
    for levels in all_levels(microdata):
        genome = node(levels)
        table = lattice.decode(genome, np.random.default_rng(0))
        rows = set(lattice.suppressed_rows(genome).tolist())
        assert len(rows) == reference(microdata, levels, params)["suppressed"]
        kept = [r for r in range(len(table)) if r not in rows]
        if kept:
            counts = np.unique(table.codes[kept], axis=0, return_counts=True)[1]
            assert counts.min() >= params["k"]
        for row in rows:
            labels = [table.schema[name].categories[table.column(name)[row]] for name in table.schema.names]
            assert labels == ["*"] * len(labels)


@slow
@given(files(), st.data())
def test_nodes_between_two_positions_are_those_of_the_enumeration(microdata, data):
    space = lattice_of(microdata, k=1).space
    begin = data.draw(st.integers(0, space.size))
    end = data.draw(st.integers(begin, space.size))
    wanted = [list(levels) for levels in all_levels(microdata)][begin:end]
    assert [genome.tolist() for genome in nodes_of(space, begin, end)] == wanted


def test_losses_do_not_depend_on_the_order_of_the_attributes():
    losses, weights = (0.1, 0.7, 0.2, 0.3), (1.0, 3.0, 0.5, 2.0)
    for how in ("mean", "sum", "max", "geometric"):
        values = {
            aggregated([losses[i] for i in order], [weights[i] for i in order], how)
            for order in permutations(range(len(losses)))
        }
        assert len(values) == 1, how


@settings(max_examples=5, deadline=None)
@given(files())
def test_the_exact_search_gives_up_where_it_is_told_to(microdata):
    lattice = lattice_of(microdata, k=1)
    loss = lattice.loss_of(fitted("height", microdata))
    with pytest.raises(ParameterError, match="most"):
        optimum(NodeEvaluator(lattice.space), loss, 0)


def test_discernibility_has_the_figures_of_the_literature():
    # Classes of 3, 3 and 2 records: k = 2 gives 22, k = 3 gives 9 + 9 + 2 * 8 = 34.

    hierarchy = Hierarchy(("a", "b", "c"), (("*",),) * 3)
    schema = Schema((Attribute("q", Role.QUASI_IDENTIFIER, Scale.NOMINAL, ("a", "b", "c"), hierarchy),))
    table = Table(schema, np.array([[0], [0], [0], [1], [1], [1], [2], [2]], dtype=np.int32), np.empty((8, 0)))
    for k, wanted in ((2, 22.0), (3, 34.0)):
        lattice = Lattice(Lattice.Params(k=k, suppression=1), Microdata(table, ("q",)))
        evaluator = lattice.evaluator
        assert Discernibility().of(evaluator, node([0]), evaluator.facts(node([0]))) == wanted


def test_wide_lattices_need_several_words():
    rng = np.random.default_rng(3)

    labels = tuple(map(str, range(20)))
    hierarchy = Hierarchy(labels, tuple((f"g{i // 5}", "*") for i in range(20)))
    attributes = tuple(Attribute(f"q{j}", Role.QUASI_IDENTIFIER, Scale.NOMINAL, labels, hierarchy) for j in range(24))
    table = Table(Schema(attributes), rng.integers(0, 20, (300, 24)).astype(np.int32), np.empty((300, 0)))
    lattice = Lattice(Lattice.Params(k=3, suppression=0.05), Microdata(table, tuple(a.name for a in attributes)))
    assert lattice.space.fields[3] == 2
    assert lattice.space.size == 3**24
    levels = np.full(24, 2, dtype=np.int16)
    levels[[0, 23]] = 1
    groups = np.unique(table.codes[:, [0, 23]] // 5, axis=0, return_counts=True)[1]
    facts = lattice.evaluator.facts(levels)
    assert facts.classes == len(groups)
    assert facts.squares == int((groups**2).sum())
    assert facts.suppressed == int(groups[groups < 3].sum())


@slow
@given(files(), st.integers(1, 5))
def test_entropy_counts_suppressed_records_as_it_is_told_to(microdata, k):
    lattice = lattice_of(microdata, k=k, suppression=1)
    direct = {how: lattice.direct(fitted("entropy", microdata, suppression=how)) for how in (True, False, "arx")}
    columns, n = paths(microdata), len(microdata.table)
    for levels in all_levels(microdata):
        genome = node(levels)
        gone = lattice.suppressed_rows(genome).tolist()
        generalised, among = 0.0, 0.0
        for column, level in zip(columns, levels, strict=True):
            labels = [path[level] for path in column]
            leaves = [path[0] for path in column]
            generalised += sum(log2(labels.count(labels[r]) / leaves.count(leaves[r])) for r in range(n))
            hidden = [labels[r] for r in gone]
            among += sum(log2(len(hidden) / hidden.count(label)) for label in hidden)
        assert direct[False](genome) == pytest.approx(generalised, abs=1e-9)
        assert direct["arx"](genome) == pytest.approx(generalised + among, abs=1e-9)
        assert direct[False](genome) <= direct["arx"](genome) + 1e-9


def test_entropy_of_a_table_reads_suppressed_records_at_the_level_of_the_others():
    labels = ("a", "b", "c", "d")
    hierarchy = Hierarchy(labels, (("ab", "*"), ("ab", "*"), ("cd", "*"), ("cd", "*")))
    attribute = Attribute("q", Role.QUASI_IDENTIFIER, Scale.NOMINAL, labels, hierarchy)
    other = Attribute("r", Role.QUASI_IDENTIFIER, Scale.NOMINAL, labels, hierarchy)
    codes = np.array([[0, 0], [1, 0], [0, 0], [1, 0], [2, 2], [3, 3], [0, 3]], dtype=np.int32)
    microdata = Microdata(Table(Schema((attribute, other)), codes, np.empty((7, 0))), ("q", "r"))
    lattice = Lattice(Lattice.Params(k=2, suppression=1), microdata)
    for how in (True, False, "arx"):
        measure = fitted("entropy", microdata, suppression=how)
        table = lattice.decode(node([1, 0]), np.random.default_rng(0))
        assert measure.score(table) == pytest.approx(lattice.direct(measure)(node([1, 0])), abs=1e-9), how


def test_numbers_of_many_values_are_put_into_intervals():
    values = np.arange(1500.0)[:, None]
    table = Table(
        Schema((Attribute("pay", Role.QUASI_IDENTIFIER, Scale.NUMERIC),)), np.empty((1500, 0), np.int32), values
    )
    lattice = Lattice(Lattice.Params(k=2), Microdata(table, ("pay",)))
    (note,) = lattice.notes
    assert "No hierarchy was given for pay" in note
    published = lattice.decode(node([1]), np.random.default_rng(0))
    assert published.schema["pay"].categories[:2] == ("0-99", "100-199")
    assert lattice.evaluator.facts(node([1])).suppressed == 0
