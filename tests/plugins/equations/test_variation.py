import random
from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.randomisation.equations.equation import FUNCTIONS, TERMINALS
from evosdc.randomisation.equations.infix import infix, parse_infix
from evosdc_equations import variation as generation
from evosdc_equations.genotype import Equations
from evosdc_equations.variation import MUTATIONS, equation_of, limited, node_depths, primitive_set, tree_of
from tests.plugins.equations.microdata import microdata

PSET = primitive_set(TERMINALS, FUNCTIONS, constants=True)
DATA = microdata()


def mutant(name, text, seed, limit=5):
    tree = tree_of(parse_infix(text))
    return equation_of(MUTATIONS[name](tree, PSET, limit, Random(seed)))


def test_full_trees_have_all_branches_of_the_same_depth():
    random = Random(1)
    for depth in range(5):
        for _ in range(20):
            tree = generation.full(PSET, depth, random)
            leaves = {d for d, node in zip(node_depths(tree), tree, strict=True) if not node.arity}
            assert leaves == {depth}


def test_grown_trees_have_a_function_at_the_root_and_irregular_shapes():
    random = Random(2)
    shapes = set()
    for _ in range(300):
        tree = generation.grown(PSET, 4, random)
        assert tree.root.arity > 0
        assert tree.height <= 4
        shapes.add(tuple(node_depths(tree)))
    assert len(shapes) > 50
    assert {max(shape) for shape in shapes} == {1, 2, 3, 4}


def test_half_and_half_is_ramped_over_depths():
    random = Random(3)
    heights = Counter(generation.ramped(PSET, 4, random).height for _ in range(2000))
    assert set(heights) == {1, 2, 3, 4}
    assert min(heights.values()) > 200  # full trees alone give 250 of each depth


@given(
    st.integers(0, 2**32),
    st.sampled_from([1, 2, 3, 5, 9]),
    st.booleans(),
    st.sampled_from(["raw", "offdiag", "full"]),
    st.sampled_from([None, 0.7]),
)
def test_whatever_operators_make_is_valid_within_limits_and_row_stochastic(seed, depth, each, decoding, two_stage):
    genotype = _genotype(depth, each, decoding, two_stage)
    rng = np.random.default_rng(seed)
    parents = [genotype.random(rng), genotype.random(rng)]
    for _ in range(4):
        parents = [genotype.mutate(g, rng) for g in genotype.crossover(*parents, rng)]
        for g in parents:
            genotype.check(g)
            assert all(e.depth <= depth and len(e) <= 60 for e in genotype.equations(g))
            for matrix in genotype.transitions(g):
                assert ((matrix >= 0) & (matrix <= 1 + 1e-12)).all()
                assert matrix.sum(axis=1) == pytest.approx(np.ones(len(matrix)), abs=1e-12)


_MADE = {}


def _genotype(*key):
    if key not in _MADE:
        depth, each, decoding, two_stage = key
        params = Equations.Params(
            max_depth=depth, one_each=each, decoding=decoding, two_stage=two_stage, max_nodes=60, functions=FUNCTIONS
        )
        _MADE[key] = Equations(params, DATA)
    return _MADE[key]


@pytest.mark.parametrize("seed", range(40))
def test_point_mutation_changes_one_node_to_another_of_its_class(seed):
    before, after = parse_infix("ta * tb + sqrt(N)"), mutant("point", "ta * tb + sqrt(N)", seed)
    assert len(after) == len(before)
    changed = np.flatnonzero(after.tokens != before.tokens)
    assert changed.size == 1
    assert after.depth == before.depth


def test_point_mutation_reaches_every_node():
    before = parse_infix("ta * tb + sqrt(N)")
    places = {int(np.flatnonzero(mutant("point", infix(before), s).tokens != before.tokens)[0]) for s in range(200)}
    assert places == set(range(len(before)))


def test_hoist_gives_proper_subtrees():
    found = {infix(mutant("hoist", "ta * tb + sqrt(N)", s)) for s in range(100)}
    assert found == {"ta", "tb", "N", "ta * tb", "sqrt(N)"}
    assert infix(mutant("hoist", "ta", 1)) == "ta"


def test_collapse_puts_a_terminal_in_the_place_of_a_function():
    lengths = Counter(len(mutant("collapse", "ta * tb + sqrt(N)", s)) for s in range(200))
    assert set(lengths) == {1, 4, 5}  # the whole tree, ta * tb, sqrt(N)
    assert infix(mutant("collapse", "ta", 1)) == "ta"


def test_expansion_puts_a_function_in_the_place_of_a_terminal():
    for seed in range(100):
        after = mutant("expansion", "ta * tb + sqrt(N)", seed)
        assert len(after) > 6
        assert after.depth <= 5
    assert infix(mutant("expansion", "ta + tb", 1, limit=1)) == "ta + tb"


def test_subtree_mutation_keeps_the_depth_limit():
    depths = {mutant("subtree", "ta * tb + sqrt(N)", s, limit=3).depth for s in range(200)}
    assert depths <= {0, 1, 2, 3}
    assert 3 in depths


def test_constants_move_a_little_or_are_drawn_anew():
    found = [mutant("constant", "0.5 * ta", s).constants[0] for s in range(300)]
    assert np.mean(np.abs(np.array(found) - 0.5) < 0.2) > 0.7
    assert max(found) > 1
    assert infix(mutant("constant", "ta + tb", 3)) == "ta + tb"


@pytest.mark.parametrize(("depth", "nodes", "wanted"), [(2, 100, "ta + tb"), (9, 3, "ta + tb"), (3, 4, "child")])
def test_a_child_over_the_limit_becomes_a_parent(depth, nodes, wanted):
    child, parent = (tree_of(parse_infix(text)) for text in ("sqrt(sqrt(sqrt(ta)))", "ta + tb"))
    assert limited(child, [parent], depth, nodes, Random(1)) is (child if wanted == "child" else parent)


def test_operators_draw_from_nothing_global():
    def made(seed):
        random.seed(seed)
        np.random.seed(seed)
        genotype, rng = Equations(Equations.Params(), DATA), np.random.default_rng(8)
        pair = genotype.random(rng), genotype.random(rng)
        return [genotype.key(genotype.mutate(g, rng)) for _ in range(20) for g in genotype.crossover(*pair, rng)]

    assert made(1) == made(2)


def test_crossover_exchanges_subtrees():
    genotype = Equations(Equations.Params(), DATA)
    a, b = genotype.random(np.random.default_rng(1)), genotype.random(np.random.default_rng(2))
    for seed in range(50):
        c, d = genotype.crossover(a, b, np.random.default_rng(seed))
        together = sorted([*c[0].tolist(), *d[0].tolist()])
        kept = len(c[0]) + len(d[0]) == len(a[0]) + len(b[0])
        assert together == sorted([*a[0].tolist(), *b[0].tolist()]) or not kept


def test_with_one_each_attributes_are_never_mixed():
    genotype = Equations(Equations.Params(one_each=True), DATA)
    rng = np.random.default_rng(5)
    a, b = genotype.random(rng), genotype.random(rng)
    exchanged = 0
    for seed in range(40):
        c, d = (genotype.equations(g) for g in genotype.crossover(a, b, np.random.default_rng(seed)))
        differ = [j for j in range(3) if c[j] != genotype.equations(a)[j]]
        assert len(differ) <= 1
        exchanged += any(c[j] == genotype.equations(b)[j] and d[j] == genotype.equations(a)[j] for j in differ)
    assert exchanged > 10


def test_deep_limits_work_end_to_end():
    genotype = Equations(Equations.Params(max_depth=500, max_nodes=2000, initial_depth=2), DATA)
    text = "sqrt(" * 495 + "ta / N" + ")" * 495
    equation = parse_infix(text)
    g = (equation.tokens, equation.constants)
    genotype.check(g)
    rng = np.random.default_rng(0)
    for _ in range(20):
        g, other = genotype.crossover(genotype.mutate(g, rng), genotype.random(rng), rng)
        for child in (g, other):
            genotype.check(child)
            genotype.decode(child, rng).verify()
            assert genotype.describe(child)["equation"]
