"""Any number of any operators, on any frequencies: valid genomes and, in the invariant modes, kept marginals."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evosdc.errors import ParameterError, PluginError
from evosdc.model import Microdata
from evosdc.model.parameters import parse_parameters
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import MISSING, Table
from evosdc_pram.coding import controlled_rounding, largest_remainder
from evosdc_pram.pram import PramMatrices
from evosdc_pram.variation import midpoint


def genotype_of(*frequencies, missing=0, **params):
    """Return the genotype on a file whose attributes have the given frequencies of categories."""
    n = max(sum(T) for T in frequencies) + missing
    columns, attributes = [], []
    for v, T in enumerate(frequencies):
        column = np.repeat(np.arange(len(T)), T)
        columns.append(np.concatenate((column, np.full(n - column.size, MISSING))))
        categories = tuple(f"c{k}" for k in range(len(T)))
        attributes.append(Attribute(f"v{v}", scale=Scale.NOMINAL, categories=categories))
    table = Table(Schema(tuple(attributes)), np.column_stack(columns).astype(np.int32), np.empty((n, 0)))
    microdata = Microdata(table, tuple(a.name for a in attributes))
    return PramMatrices(PramMatrices.Params(**params), microdata)


def evolved(genotype, seed, steps):
    """Return the genomes of a random walk through all operators."""
    rng = np.random.default_rng(seed)
    pool = [genome for _, genome in genotype.initial_genomes()] + [genotype.random(rng)]
    for _ in range(steps):
        a, b = (pool[int(rng.integers(len(pool)))] for _ in range(2))
        pool += genotype.crossover(a, b, rng)
        pool.append(genotype.mutate(pool[-1], rng))
    return pool


frequencies = st.lists(st.integers(0, 60), min_size=1, max_size=7).filter(lambda T: sum(T) > 0)
# Whole numbers of thousandths, so that a fixed diagonal can be met by rows of sum 1000.
bounds = st.tuples(st.integers(0, 1000), st.integers(0, 1000)).map(lambda pair: [x / 1000 for x in sorted(pair)])


@pytest.mark.endurance
@given(frequencies, frequencies, bounds, st.integers(0, 2**32))
def test_rows_stay_stochastic_within_bounds(first, second, limits, seed):
    genotype = genotype_of(first, second, least=limits[0], most=limits[1], swaps=0.5)
    for genome in evolved(genotype, seed, 25):
        genotype.check(genome)
        for T, P in zip((first, second), genotype.transitions(genome), strict=True):
            occurring = np.flatnonzero(T)
            np.testing.assert_allclose(P.sum(axis=1), 1.0, rtol=0, atol=1e-12)
            assert ((P >= 0) & (P <= 1)).all()
            if occurring.size > 1:
                kept = np.diagonal(P)[occurring]
                assert ((kept >= limits[0] - 1e-12) & (kept <= limits[1] + 1e-12)).all()


@pytest.mark.endurance
@example([55, 1], {"invariance": "two-stage"}, {"retained": 0.6}, 403569)
@given(
    frequencies,
    st.sampled_from([{"invariance": "two-stage"}, {"invariance": "flow"}, {"invariance": "flow", "grain": 1}]),
    st.sampled_from([{}, {"retained": 0.6}, {"least": 0.3}]),
    st.integers(0, 2**32),
)
def test_invariant_modes_keep_the_marginals(counts, mode, control, seed):
    T = np.array(counts)
    genotype = genotype_of(counts, **mode, **control)
    for genome in evolved(genotype, seed, 25):
        genotype.check(genome)
        (P,) = genotype.transitions(genome)
        np.testing.assert_allclose(T @ P, T, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(P.sum(axis=1), 1.0, rtol=0, atol=1e-12)
        # Products and sums of some categories round by several last bits.
        assert ((P >= -1e-14) & (P <= 1 + 1e-14)).all()
        assert (P[np.ix_(T > 0, T == 0)] == 0).all()
        if "least" in control and (T > 0).sum() > 1:
            assert (np.diagonal(P) >= 0.3 - 1e-12).all()


def test_five_thousand_moves_reach_a_matrix_that_is_not_reversible():
    genotype = genotype_of([50, 30, 15, 5], invariance="flow", grain=1, mutations=0)
    rng = np.random.default_rng(1)
    genome, symmetric = genotype.initial_genomes()[0][1], True
    for _ in range(5000):
        genome = genotype.mutate(genome, rng)
        symmetric = symmetric and np.array_equal(genome[0], genome[0].T)
    genotype.check(genome)
    assert not symmetric


@pytest.mark.parametrize("categories", [1, 2, 50])
@pytest.mark.parametrize("invariance", ["none", "two-stage", "flow"])
def test_one_two_and_fifty_categories(categories, invariance):
    counts = np.random.default_rng(categories).integers(1, 30, categories).tolist()
    genotype = genotype_of(counts, invariance=invariance, missing=3)
    genomes = evolved(genotype, 5, 10)
    if categories > 1:
        assert len({genotype.key(genome) for genome in genomes}) > 10
    for genome in genomes:
        genotype.check(genome)
        table = genotype.decode(genome, np.random.default_rng(2))
        table.verify()
        assert (table.codes[-3:] == MISSING).all()


def test_categories_that_do_not_occur_are_never_published():
    genotype = genotype_of([0, 40, 0, 25, 10, 0])
    for seed, genome in enumerate(evolved(genotype, 9, 60)):
        published = genotype.decode(genome, np.random.default_rng(seed)).codes
        assert set(np.unique(published).tolist()) <= {1, 3, 4}


def test_fixed_diagonal_stays_fixed():
    genotype = genotype_of([20, 20, 60], least=0.7, most=0.7)
    for genome in evolved(genotype, 4, 40):
        assert (np.diagonal(genome[0]) == 700).all()


def test_bounds_without_a_whole_number_between_them_are_refused():
    with pytest.raises(ParameterError, match="diagonal of v0"):
        genotype_of([5, 5], least=0.7004, most=0.7006)
    with pytest.raises(ParameterError, match="diagonal between"):
        genotype_of([90, 5, 5], invariance="flow", most=0.1)


def test_flows_within_an_upper_bound_start_away_from_the_identity():
    genotype = genotype_of([40, 30, 30], invariance="flow", most=0.5)
    for genome in evolved(genotype, 3, 30):
        genotype.check(genome)
        assert (np.diagonal(genotype.transitions(genome)[0]) <= 0.5).all()


def test_genomes_out_of_bounds_are_refused():
    genotype = genotype_of([40, 30], most=0.5)
    genes = np.array([[900, 100], [500, 500]])
    genes.flags.writeable = False
    with pytest.raises(PluginError, match="diagonal"):
        genotype.check((genes,))
    flow = genotype_of([40, 30], invariance="flow", grain=1)
    genes = np.array([[39, 1], [2, 28]])
    genes.flags.writeable = False
    with pytest.raises(PluginError, match="column"):
        flow.check((genes,))


@given(st.integers(1, 8), st.integers(0, 2**32))
def test_controlled_rounding_keeps_both_margins(size, seed):
    rng = np.random.default_rng(seed)
    # A mean of permuted diagonals has whole margins and fractions within.
    mean = np.mean([np.identity(size)[rng.permutation(size)] * 7 for _ in range(3)], axis=0)
    rounded = controlled_rounding(mean)
    np.testing.assert_array_equal(rounded.sum(axis=0), np.rint(mean.sum(axis=0)))
    np.testing.assert_array_equal(rounded.sum(axis=1), np.rint(mean.sum(axis=1)))
    assert (np.abs(rounded - mean) < 1).all()


@given(frequencies, st.integers(0, 2**32))
def test_midpoints_of_flows_keep_margins_and_add_up(counts, seed):
    genotype = genotype_of(counts, invariance="flow", grain=1)
    rng = np.random.default_rng(seed)
    (a,), (b,) = genotype.random(rng), genotype.random(rng)
    c, d = midpoint(a, b)
    np.testing.assert_array_equal(c + d, a + b)
    genotype.check((c,))
    genotype.check((d,))
    assert (np.abs(c - d) <= 1).all()


def test_largest_remainders():
    exact = np.array([[3.3, 3.3, 3.4], [0.5, 0.5, 9.0]])
    np.testing.assert_array_equal(largest_remainder(exact, np.array([10, 10])), [[3, 3, 4], [1, 0, 9]])


def test_lists_name_standard_matrices_and_drop_equal_ones():
    labels = [masking.label for masking, _ in genotype_of([10, 20, 30]).initial_genomes()]
    assert len(set(labels)) == len(labels)
    assert {
        "pram design=a p=0.5",
        "pram design=b theta=0.9",
        "two-stage p=0.5",
        "uniform",
        "near-identity p=0.9",
    } <= set(labels)


def test_share_to_retain_is_met_unless_the_lower_bound_forbids():
    from evosdc.randomisation.invariance import retained

    T = np.array([50, 30, 20])
    for mode in ("none", "two-stage", "flow"):
        genotype = genotype_of(T.tolist(), invariance=mode, retained=0.7)
        for genome in evolved(genotype, 2, 20):
            (P,) = genotype.transitions(genome)
            # The identity cannot be made to move, and a diagonal of 0 gives nothing more.
            at_limit = np.array_equal(P, np.identity(3)) or np.diagonal(P).min() < 1e-12
            assert retained(P, T) == pytest.approx(0.7) or at_limit
    genotype = genotype_of(T.tolist(), invariance="two-stage", retained=0.2, least=0.5)
    for genome in evolved(genotype, 2, 20):
        assert np.diagonal(genotype.transitions(genome)[0]).min() >= 0.5 - 1e-12
    with pytest.raises(ParameterError, match="upper bound"):
        parse_parameters(PramMatrices.Params, {"most": 0.8, "retained": 0.7}, "genotype pram")
    with pytest.raises(ParameterError, match="1 with two-stage"):
        parse_parameters(PramMatrices.Params, {"most": 0.8, "invariance": "two-stage"}, "genotype pram")


def test_only_chosen_attributes_are_randomised():
    genotype = genotype_of([10, 20], [5, 25], attributes=["v1"])
    genome = genotype.random(np.random.default_rng(0))
    table = genotype.decode(genome, np.random.default_rng(1))
    np.testing.assert_array_equal(table.codes[:, 0], genotype.microdata.original.codes[:, 0])
    first, second = genotype.transitions(genome)
    np.testing.assert_array_equal(first, np.identity(2))
    assert not np.array_equal(second, np.identity(2))
    assert list(genotype.describe(genome)) == ["v1"]
