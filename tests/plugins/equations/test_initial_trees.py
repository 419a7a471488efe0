"""Random trees of the start: grown, full, and half-and-half dealt equally."""

from collections import Counter
from random import Random

import numpy as np
import pytest

from evosdc_equations.genotype import Equations
from evosdc_equations.variation import dealt, node_depths, primitive_set
from tests.plugins.equations.microdata import microdata

DATA = microdata()


def is_full(tree):
    depths = node_depths(tree)
    return all(depth == max(depths) for node, depth in zip(tree, depths, strict=True) if not node.arity)


def test_each_depth_is_dealt_once_full_and_once_grown():
    random = Random(5)
    trees = primitive_set(("ta", "tb"), ("+", "*"), True)
    made = [dealt(trees, 3, place, random) for place in range(12)]
    full = [tree.height for place, tree in enumerate(made) if place % 2 == 0]
    assert Counter(full) == {1: 2, 2: 2, 3: 2}
    assert all(is_full(tree) for tree in made[::2])
    assert all(tree.height <= 1 + (place // 2) % 3 for place, tree in enumerate(made))


@pytest.mark.parametrize("kind", ["half-and-half", "dealt", "grow", "full"])
def test_a_start_is_the_same_for_the_same_seed_and_within_the_limits(kind):
    genotype = Equations(Equations.Params(initial_trees=kind, initial_depth=3, one_each=True), DATA)
    keys = [
        [genotype.key(genotype.random_of_start(place, np.random.default_rng(place))) for place in range(12)]
        for _ in range(2)
    ]
    assert keys[0] == keys[1]
    for place in range(12):
        genome = genotype.random_of_start(place, np.random.default_rng(place))
        genotype.check(genome)
        assert all(1 <= equation.depth <= 3 for equation in genotype.equations(genome))


def test_half_and_half_draws_as_it_did():
    genotype = Equations(Equations.Params(), DATA)
    drawn, dealt_out = (
        genotype.random(np.random.default_rng(3)),
        genotype.random_of_start(3, np.random.default_rng(3)),
    )
    assert genotype.key(drawn) == genotype.key(dealt_out)
