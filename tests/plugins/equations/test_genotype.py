import tomllib

import numpy as np
import pytest

from evosdc.errors import ParameterError, PluginError
from evosdc.model import Microdata
from evosdc.randomisation.equations.equation_design import parse_equation_design
from evosdc.randomisation.invariance import two_stage
from evosdc.randomisation.transition import design_a, design_b
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import Table
from evosdc_equations.genotype import Equations
from tests.plugins.equations.microdata import microdata

DATA = microdata()


def test_founders_are_the_standard_designs():
    genotype = Equations(Equations.Params(), DATA)
    founders = genotype.initial_genomes()
    assert len(founders) == 18
    T = [np.bincount(column, minlength=c) for column, c in zip(DATA.original.codes.T, (4, 5, 3), strict=True)]
    for masking, g in founders:
        genotype.check(g)
        for matrix, frequencies in zip(genotype.transitions(g), T, strict=True):
            given = dict(masking.params)
            wanted = (
                design_a(frequencies, given["p"]) if given["design"] == "a" else design_b(frequencies, given["theta"])
            )
            assert np.abs(matrix - wanted).max() <= 1e-15


def test_founders_that_do_not_fit_are_left_out():
    assert len(Equations(Equations.Params(max_depth=3), DATA).initial_genomes()) == 9
    assert not Equations(Equations.Params(decoding="full"), DATA).initial_genomes()
    assert not Equations(Equations.Params(two_stage=1.0), DATA).initial_genomes()


def test_the_second_stage_makes_matrices_invariant():
    plain = Equations(Equations.Params(), DATA)
    staged = Equations(Equations.Params(two_stage=0.6), DATA)
    for seed in range(30):
        g = plain.random(np.random.default_rng(seed))
        for P, R, column in zip(plain.transitions(g), staged.transitions(g), DATA.original.codes.T, strict=True):
            T = np.bincount(column, minlength=len(P))
            assert np.abs(T @ R - T).max() <= 1e-12 * T.sum()
            assert pytest.approx(0.6 * two_stage(P, T) + 0.4 * np.identity(len(P)), abs=1e-12) == R


def test_one_equation_serves_every_attribute():
    genotype = Equations(Equations.Params(), DATA)
    g = genotype.random(np.random.default_rng(3))
    assert [len(m) for m in genotype.transitions(g)] == [4, 5, 3]
    assert len(genotype.equations(g)) == 1


def test_a_recipe_makes_the_same_matrices():
    for params in ({}, {"one_each": True, "decoding": "offdiag", "p": 0.3}, {"two_stage": 0.4, "decoding": "full"}):
        genotype = Equations(Equations.Params(**params), DATA)
        g = genotype.random(np.random.default_rng(4))
        design = genotype.design(g)
        again = parse_equation_design(tomllib.loads(design.text()), "file")
        columns = zip(DATA.original.codes.T, DATA.original.schema.attributes, strict=True)
        for (column, attribute), matrix in zip(columns, genotype.transitions(g), strict=True):
            assert np.array_equal(design.matrix(column, attribute), matrix)
            assert np.array_equal(again.matrix(column, attribute), matrix)


def test_drawn_frequencies_follow_the_matrix():
    genotype = Equations(Equations.Params(), microdata((4,), n=200_000))
    original = genotype.microdata.original.codes[:, 0]
    g = {m.label: g for m, g in genotype.initial_genomes()}["pram design=a p=0.3"]
    drawn = genotype.decode(g, np.random.default_rng(9)).codes[:, 0]
    (matrix,) = genotype.transitions(g)
    for k in range(4):
        found = np.bincount(drawn[original == k], minlength=4) / max((original == k).sum(), 1)
        assert found == pytest.approx(matrix[k], abs=0.02)


def test_missing_values_stay():
    data = microdata()
    codes = data.original.codes.copy()
    codes[::7, 1] = -1
    data = Microdata(Table(data.table.schema, codes, data.table.numbers), data.protect)
    genotype = Equations(Equations.Params(), data)
    for seed in range(10):
        masked = genotype.decode(genotype.random(np.random.default_rng(seed)), np.random.default_rng(seed))
        assert np.array_equal(masked.codes[:, 1] == -1, codes[:, 1] == -1)


def test_traits_count_nodes_and_depth():
    genotype = Equations(Equations.Params(one_each=True), DATA)
    g = genotype.random(np.random.default_rng(1))
    trees = genotype.equations(g)
    assert genotype.traits(g) == {"nodes": sum(map(len, trees)), "depth": max(e.depth for e in trees)}


def test_everything_that_does_not_fit_is_told_at_once():
    schema = Schema((Attribute("age", scale=Scale.NUMERIC),))
    numeric = Microdata(Table(schema, np.empty((2, 0), dtype=np.int32), np.array([[1.0], [2.0]])), ("age",))
    with pytest.raises(ParameterError) as caught:
        Equations(Equations.Params(terminals=("ta", "frequency"), functions=("+", "pow")), numeric)
    assert len(caught.value.faults) == 3
    with pytest.raises(ParameterError, match="none, and no constants"):
        Equations(Equations.Params(terminals=(), constants=False), DATA)


def test_positions_are_no_terminals_of_nominal_files():
    nominal = Equations(Equations.Params(), microdata(scale=Scale.NOMINAL))
    seen = {t for s in range(200) for t in nominal.random(np.random.default_rng(s))[0].tolist()}
    assert not seen & {7, 8}
    assert {1, 2, 3, 4} <= seen


def test_genomes_over_the_limits_are_refused():
    genotype, larger = (Equations(Equations.Params(max_depth=d, initial_depth=4), DATA) for d in (1, 5))
    deep = next(g for s in range(50) if larger.traits(g := larger.random(np.random.default_rng(s)))["depth"] > 1)
    with pytest.raises(PluginError, match="over the limits"):
        genotype.check(deep)
