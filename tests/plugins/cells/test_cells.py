import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evosdc.errors import PluginError
from evosdc.model import Microdata
from evosdc.plugins.registry import default_registry
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import MISSING, Table
from evosdc_cells.cells import CROSSOVERS, Cells

from .moving import children, moved


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
    for wrong in ([[2], [0]], [[MISSING - 1], [0]], [[0]]):
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


@given(files(), st.integers(0, 2**32), st.sampled_from(["value", "restoration", "adoption"]))
def test_moves_change_one_record_to_valid_cells(data, seed, kind):
    cells = Cells(Cells.Params(), data)
    rng = np.random.default_rng(seed)
    parent = cells.random(rng)
    child = moved(cells, parent, kind, rng)
    cells.check(child)
    assert len(cells.changed_rows(parent, child)) == int((cells._domain.sizes > 1).any())


def test_of_large_files_one_record_in_a_thousand_is_changed_by_moves_in_the_plural():
    rng = np.random.default_rng(0)
    small, large = (Cells(Cells.Params(), microdata(rng.integers(0, 4, (n, 2)), [4, 4])) for n in (1999, 5000))
    assert small.moves == ("value", "restoration", "adoption", "exchange")
    assert large.moves == (*small.moves, "values", "restorations", "adoptions", "exchanges")
    parent = large.random(rng)
    for kind in large.moves:
        counts = [len(large.changed_rows(parent, moved(large, parent, kind, rng))) for _ in range(20)]
        each = 2 if kind.startswith("exchange") else 1
        assert max(counts) == each * (5 if kind.endswith("s") else 1)
        assert min(counts) >= each * (3 if kind.endswith("s") else 1)


def test_a_restoration_goes_back_to_the_original_and_an_adoption_copies_a_record():
    data = microdata([[0, 0], [1, 1], [2, 2]], [4, 4])
    cells = Cells(Cells.Params(), data)
    parent = cells.load({"cells": np.array([[3, 3], [1, 1], [2, 2]])})
    first = [1.0, 0.0, 0.0]
    for seed in range(50):
        restored = moved(cells, parent, "restoration", np.random.default_rng(seed), first)
        assert restored[0].tolist() in ([0, 3], [3, 0])
        adopted = moved(cells, parent, "adoption", np.random.default_rng(seed), first)
        # Where it is told to copy itself, one cell changes instead.
        assert adopted[0].tolist() in ([1, 1], [2, 2]) or (adopted[0] != parent[0]).sum() == 1
        assert np.array_equal(restored[1:], parent[1:])
        assert np.array_equal(adopted[1:], parent[1:])


def joint(original, published, sizes):
    """Return the joint counts of each attribute, missing values included."""
    return [
        np.bincount((a + 1) * (size + 1) + b + 1, minlength=(size + 1) ** 2).tolist()
        for a, b, size in zip(original.T, published.T, sizes, strict=True)
    ]


@given(files(), st.integers(0, 2**32))
def test_an_exchange_keeps_joint_counts_and_swaps_what_two_records_publish(data, seed):
    cells = Cells(Cells.Params(), data)
    rng = np.random.default_rng(seed)
    parent = cells.random(rng)
    child = moved(cells, parent, "exchange", rng)
    cells.check(child)
    rows = cells.changed_rows(parent, child)
    original, sizes = data.original.codes, cells._domain.sizes
    if len(rows) == 2:
        assert joint(original, parent, sizes) == joint(original, child, sizes)
        (attribute,) = {int(v) for v in np.flatnonzero((parent != child).any(axis=0))}
        assert original[rows[0], attribute] == original[rows[1], attribute]
        assert child[rows].tolist() != parent[rows].tolist()
        assert child[rows[::-1], attribute].tolist() == parent[rows, attribute].tolist()
    else:  # no partner was found, and one cell changed instead
        assert len(rows) == int((sizes > 1).any())


EVERY = ("dbil", "ebil", "ctbil", "best-guess", "guess-gain", "dbrl", "prl", "relabelling")


@settings(max_examples=20, deadline=None)
@given(files(), st.integers(0, 2**32))
def test_exchanges_leave_measures_of_joint_counts_and_are_tracked(data, seed):
    cells = Cells(Cells.Params(), data)
    rng = np.random.default_rng(seed)
    parent = cells.random(rng)
    build = default_registry().build
    fitted = {name: build("measure", name, {}).fit_in(data) for name in EVERY}
    table = cells.decode(parent, rng)
    trackers = {name: measure.track(table) for name, measure in fitted.items()}
    for _ in range(4):
        change = cells.moved(parent, ["exchange"], [False], None, rng)
        parent = cells.changed(parent, change)
        table = cells.decode(parent, rng)
        for name, tracker in trackers.items():
            before = tracker.score
            tracker.take(change)
            assert tracker.score == pytest.approx(fitted[name].score(table), abs=1e-9), name
            if len(change.rows) == 2 and name in ("dbil", "ebil", "best-guess", "guess-gain", "relabelling"):
                assert tracker.score == pytest.approx(before, abs=1e-9), name


def test_an_exchange_that_breaks_a_rule_is_not_made():
    data = microdata([[0, 0], [0, 1], [1, 0], [1, 1]], [2, 2])
    cells = Cells(Cells.Params(edit_rules=({"v0": "0", "v1": "1"},)), data)
    genome = cells.seeded(data.original)
    for seed in range(100):
        cells.check(moved(cells, genome, "exchange", np.random.default_rng(seed)))


def test_moves_change_the_records_that_cost_or_any():
    data = microdata(np.zeros((4, 1)), [3])
    cells = Cells(Cells.Params(), data)
    start, rng = cells.seeded(data.original), np.random.default_rng(0)
    costs = [0.5, 0.0, 0.2, 0.3]
    for weights, wanted in ((costs, costs), (None, 0.25)):
        counts = np.zeros(4)
        for _ in range(2000):
            counts[cells.changed_rows(start, moved(cells, start, "value", rng, weights))] += 1
        assert counts / 2000 == pytest.approx(wanted, abs=0.04)


def test_moves_and_combinations_keep_edit_rules():
    data = microdata([[0, 0], [1, 1], [2, 2], [0, 2]], [3, 3])
    cells = Cells(Cells.Params(mutations=2, edit_rules=({"v0": "0", "v1": "1"},)), data)
    genome = cells.seeded(data.original)
    for seed in range(100):
        rng = np.random.default_rng(seed)
        made = cells.moved(genome, cells.moves, [False] * len(cells.moves), None, rng)
        every = children(cells, genome, made)
        for other in (*every, *children(cells, genome, made.together([[0, 1, 2], [2, 0]]))):
            cells.check(other)
        genome = every[seed % 3]


def test_the_uniform_crossover_exchanges_the_share_that_p_says():
    data = microdata(np.zeros((400, 3)), (5, 5, 5))
    rng = np.random.default_rng(4)
    for p in (0.0, 0.1, 1.0):
        genotype = Cells(Cells.Params(crossover="uniform", p=p), data)
        a, b = genotype.random(rng), genotype.random(rng)
        c, d = genotype.crossover(a, b, rng)
        differ = a != b
        assert (c == b)[differ].mean() == pytest.approx(p, abs=0.05)
        assert np.array_equal(np.where(c == a, b, a)[differ], d[differ])


def test_bernoulli_mutation_changes_a_binomial_number_of_cells():
    data = microdata(np.zeros((400, 3)), (5, 5, 5))
    genotype = Cells(Cells.Params(mutation="bernoulli", mutations=2.0), data)
    rng = np.random.default_rng(5)
    g = genotype.random(rng)
    changed = [int((genotype.mutate(g, rng) != g).sum()) for _ in range(600)]
    assert np.mean(changed) == pytest.approx(2.0, abs=0.25)
    assert min(changed) == 0, "none may change"
    assert np.mean([count == 0 for count in changed]) == pytest.approx(np.exp(-2.0), abs=0.05)
