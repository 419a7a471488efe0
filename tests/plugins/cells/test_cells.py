import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evosdc.data.schema import Attribute, Role, Scale, Schema
from evosdc.data.table import MISSING, Table
from evosdc.errors import PluginError
from evosdc.model import Microdata
from evosdc_cells.cells import Cells
from evosdc_cells.crossover import CROSSOVERS


def microdata(codes, sizes, ordinal=True):
    scale = Scale.ORDINAL if ordinal else Scale.NOMINAL
    attributes = tuple(
        Attribute(f"v{j}", Role.QUASI_IDENTIFIER, scale, tuple(map(str, range(c)))) for j, c in enumerate(sizes)
    )
    table = Table(Schema(attributes), np.array(codes, dtype=np.int32), np.empty((len(codes), 0)))
    return Microdata(table, table.schema.names)


@st.composite
def files(draw):
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    n = draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    codes = np.stack([rng.integers(MISSING if draw(st.booleans()) else 0, c, n) for c in sizes], axis=1)
    return microdata(codes, sizes, draw(st.booleans()))


@given(files(), st.integers(0, 2**32), st.sampled_from([0.0, 1.0, 5.0]), st.booleans())
def test_mutants_differ_in_few_valid_cells(data, seed, mutations, steps):
    cells = Cells(Cells.Params(mutations=mutations, steps=steps), data)
    parent = cells.seeded(data.original)
    child = cells.mutate(parent, np.random.default_rng(seed))
    cells.check(child)
    free = [j for j, a in enumerate(data.original.schema.attributes) if cells._domain.sizes[j] > 1]
    if not free:
        assert child is parent
    else:
        assert (child != parent).any()
        assert not (child != parent)[:, [j for j in range(parent.shape[1]) if j not in free]].any()
    rows = cells.changed_rows(parent, child)
    assert rows.tolist() == [r for r in range(len(parent)) if parent[r].tolist() != child[r].tolist()]


@given(files(), st.integers(0, 2**32), st.sampled_from(sorted(CROSSOVERS)))
def test_crossover_conserves_the_genes_of_every_locus(data, seed, name):
    rng = np.random.default_rng(seed)
    cells = Cells(Cells.Params(crossover=name), data)
    a, b = cells.random(rng), cells.random(rng)
    c, d = cells.crossover(a, b, rng)
    assert np.array_equal(np.sort([c, d], axis=0), np.sort([a, b], axis=0))


def test_two_point_crossover_can_exchange_any_single_segment():
    data = microdata(np.zeros((2, 2)), [2, 2])
    cells = Cells(Cells.Params(), data)
    a, b = cells.load({"cells": np.zeros((2, 2))}), cells.load({"cells": np.ones((2, 2))})
    seen = {tuple(cells.crossover(a, b, np.random.default_rng(s))[0].ravel().tolist()) for s in range(300)}
    segments = {tuple(int(s <= i <= t) for i in range(4)) for s in range(4) for t in range(s, 4)}
    assert seen == segments


def test_new_categories_are_uniform_among_the_others():
    data = microdata([[2]] * 1, [4])
    cells = Cells(Cells.Params(mutations=0), data)
    start = cells.seeded(data.original)
    counts = np.zeros(4)
    for seed in range(3000):
        counts[cells.mutate(start, np.random.default_rng(seed))[0, 0]] += 1
    assert counts[2] == 0
    assert counts[[0, 1, 3]] / 3000 == pytest.approx([1 / 3] * 3, abs=0.03)


def test_steps_move_ordinal_cells_to_a_neighbour():
    data = microdata([[0], [2], [4]], [5])
    cells = Cells(Cells.Params(steps=True), data)
    start = cells.seeded(data.original)
    for seed in range(100):
        child = cells.mutate(start, np.random.default_rng(seed))
        assert set(np.abs(child - start).ravel().tolist()) <= {0, 1}


def test_missing_is_a_value_only_where_the_original_has_some():
    with_missing, without = microdata([[MISSING], [0]], [2]), microdata([[1], [0]], [2])
    drawn = [
        {int(Cells(Cells.Params(), d).random(np.random.default_rng(s))[0, 0]) for s in range(60)}
        for d in (with_missing, without)
    ]
    assert drawn == [{MISSING, 0, 1}, {0, 1}]


def test_a_genome_out_of_its_domain_is_refused():
    cells = Cells(Cells.Params(), microdata([[1], [0]], [2]))
    for wrong in ([[2], [0]], [[MISSING], [0]], [[0]]):
        with pytest.raises(PluginError):
            cells.check(cells.load({"cells": np.array(wrong)}))


@settings(max_examples=20)
@given(files(), st.integers(0, 2**32))
def test_dump_and_load_keep_genome_and_key(data, seed):
    cells = Cells(Cells.Params(), data)
    genome = cells.random(np.random.default_rng(seed))
    again = cells.load({name: np.array(a) for name, a in cells.dump(genome).items()})
    assert np.array_equal(genome, again)
    assert cells.key(genome) == cells.key(again)
    assert cells.decode(genome, np.random.default_rng(0)).codes is not None


def test_describe_counts_changed_cells():
    data = microdata([[0, 0], [1, 1]], [2, 2])
    cells = Cells(Cells.Params(), data)
    assert cells.describe(cells.load({"cells": np.array([[1, 0], [0, 1]])})) == {"changed": {"v0": 2, "v1": 0}}
