"""Linkage to the nearest record: by trees as by comparing all, followed in both directions, in threads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.testing.tables import changes_of
from evosdc_measures.linkage import nearest
from evosdc_measures.linkage.search_trees import LEAF, PointTree, point_tree_of
from tests.plugins.measures import cases
from tests.plugins.measures.numeric import cases as numbers
from tests.plugins.measures.test_trackers import check

BACKWARD = {"direction": "original-to-masked"}
GOWER = {"distance": "gower"}


@pytest.mark.parametrize("params", [{}, BACKWARD, BACKWARD | GOWER])
@pytest.mark.parametrize("seed", range(2))
def test_categories_that_are_followed(params, seed, german):
    rng = np.random.default_rng(seed)
    part = german.take(rng.permutation(len(german))[:60])
    check(cases.fitted("dbrl", part, **params), cases.noisy(part, 0.5, rng), rng)


@pytest.mark.parametrize("params", [{}, BACKWARD])
def test_published_files_that_are_followed(params, published):
    rng = np.random.default_rng(7)
    check(cases.fitted("dbrl", published, **params), cases.noisy(published, 0.2, rng), rng)


@pytest.mark.parametrize("params", [{}, BACKWARD])
@given(tables=cases.pairs(), seed=st.integers(0, 2**32 - 1))
def test_small_tables_that_are_followed(params, tables, seed):
    check(cases.fitted("dbrl", tables[0], **params), tables[1], np.random.default_rng(seed))


def assert_linked_alike(measure, masked):
    """Whether trees, which end early and take equal records together, link as all distances do."""
    originals, published = measure.pair(masked)
    ties, rivals = measure.links(masked)
    asked, searched = (originals, published) if measure.backward else (published, originals)
    wanted, _ = measure.links_by_comparison(asked, searched, searched)
    assert ties.tolist() == wanted.tolist()
    distances = measure.distances(asked, searched[rivals])
    nearer, _ = measure.limits(asked, measure.distances(asked, searched))
    assert (distances < nearer).tolist() == (ties == 0).tolist(), "who has no tie has a nearer record"


@given(tables=cases.pairs(most_records=30), backward=st.booleans(), by_hierarchy=st.booleans())
def test_the_prefix_tree_links_as_all_distances_do(tables, backward, by_hierarchy):
    params = (BACKWARD if backward else {}) | {"by_hierarchy": by_hierarchy}
    assert_linked_alike(cases.fitted("dbrl", tables[0], **params), tables[1])


@given(
    tables=numbers.pairs(most_records=40), backward=st.booleans(), distance=st.sampled_from(["standardised", "gower"])
)
def test_the_tree_of_points_links_as_all_distances_do(tables, backward, distance):
    params = (BACKWARD if backward else {}) | {"distance": distance}
    assert_linked_alike(numbers.fitted("dbrl", tables[0], **params), tables[1])


@pytest.mark.parametrize("missing", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("size", [1, LEAF, LEAF + 1, 300])
def test_every_record_stands_below_one_leaf_within_its_box(size, missing):
    rng = np.random.default_rng(size)
    records = rng.integers(0, 4, (size, 3)).astype(np.float64)
    records[rng.random(records.shape) < missing] = np.nan
    metric = numbers.fitted("dbrl", numbers.numeric(*records.T)).metric
    tree = point_tree_of(records, metric)
    assert isinstance(tree, PointTree)
    assert sorted(tree.rows.tolist()) == list(range(size))
    np.testing.assert_array_equal(tree.points, records[tree.rows])
    counted = 0
    for node in np.flatnonzero(tree.nodes[:, 2] < 0):
        own = slice(*tree.nodes[node, :2])
        assert own.stop - own.start <= LEAF
        counted += int(tree.numbers[own].sum())
        points, gaps = tree.points[own], np.isnan(tree.points[own])
        assert ((points >= tree.low[node]) & (points <= tree.high[node]) | gaps).all()
        assert (gaps <= tree.gaps[node]).all()
    assert counted == size


@pytest.mark.parametrize("params", [{}, BACKWARD])
def test_records_looked_up_in_threads_are_linked_as_one_by_one(params, german, monkeypatch):
    rng = np.random.default_rng(3)
    masked = cases.noisy(german, 0.3, rng)
    numeric = numbers.numeric(*np.round(rng.normal(size=(3, 500)), 1))
    pairs = [(german, masked), (numeric, numbers.noisy(numeric, 0.5, rng))]
    wanted = [numbers.fitted("dbrl", original, **params).score(other) for original, other in pairs]
    monkeypatch.setattr(nearest, "LONG", 1)
    monkeypatch.setattr("evosdc.processors.LONG", 1)
    assert [numbers.fitted("dbrl", original, **params).score(other) for original, other in pairs] == wanted


@pytest.mark.parametrize("params", [{}, {"p": 3}])
def test_ranks_of_many_records_that_are_followed(params):
    rng = np.random.default_rng(5)
    columns = np.round(rng.normal(size=(2, 300)), 1)
    columns[0, ::9] = np.nan
    original = numbers.numeric(*columns)
    masked = numbers.noisy(original, 0.3, rng)
    measure = numbers.fitted("rsrl", original, **params)
    tracker = measure.track(masked)
    for most in (1, 2, 80, 1, 1, 300, 1):
        children = [numbers.edited(masked, original, rng, most) for _ in range(6)]
        changes = changes_of(masked, children)
        wanted = [measure.score(child) for child, _ in children]
        assert tracker.tries(changes).tolist() == pytest.approx(wanted, abs=1e-9)
        tracker.take(changes.part(2, 3))
        masked = children[2][0]
        assert tracker.score == pytest.approx(wanted[2], abs=1e-9)
