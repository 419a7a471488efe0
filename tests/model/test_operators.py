import random

import numpy as np
from deap import tools
from hypothesis import given
from hypothesis import strategies as st

from evosdc.model import deap_crossover, deap_mutation


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(10, 19)), min_size=2, max_size=30), st.integers(0, 2**32))
def test_two_point_crossover_conserves_genes_and_parents(pairs, seed):
    a, b = (np.array(column, dtype=np.int32) for column in zip(*pairs, strict=True))
    before = a.copy(), b.copy()
    c, d = deap_crossover(tools.cxTwoPoint)(a, b, np.random.default_rng(seed))
    assert np.array_equal(a, before[0])
    assert np.array_equal(b, before[1])
    assert np.array_equal(np.sort([c, d], axis=0), np.sort([a, b], axis=0))
    assert c.dtype == np.int32
    assert not c.flags.writeable


def test_adapted_operators_draw_from_the_lent_generator_only():
    genes = np.arange(20)
    mutate = deap_mutation(tools.mutShuffleIndexes, indpb=0.5)
    random.seed(3)
    first = mutate(genes, np.random.default_rng(1))
    random.seed(4)
    assert np.array_equal(first, mutate(genes, np.random.default_rng(1)))
    assert not np.array_equal(first, mutate(genes, np.random.default_rng(2)))
    assert random.random() == random.Random(4).random()
