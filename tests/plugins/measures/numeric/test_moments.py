"""Moments and quantiles that are kept while a table changes, beside exact ones."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.table.table import Table
from evosdc.testing.tables import changes_of
from evosdc_measures.numeric_loss.apil import FEW, LEVELS, in_order, quantiles_of, quantiles_of_children
from evosdc_measures.numeric_loss.moments import Standard, TrackedMoments, moments_of
from tests.plugins.measures.numeric.cases import numeric


class Followed(TrackedMoments):
    """Moments alone."""

    @property
    def score(self):
        return 0.0


def exact(numbers):
    """Return counts, means and covariances from fractions, each rounded once."""
    q = numbers.shape[1]
    counts, means, covariances = np.zeros((q, q)), np.zeros(q), np.zeros((q, q))
    for j in range(q):
        for k in range(q):
            both = ~np.isnan(numbers[:, [j, k]]).any(axis=1)
            x, y = ([Fraction(value) for value in numbers[both, v].tolist()] for v in (j, k))
            counts[j, k] = len(x)
            if x:
                covariances[j, k] = (
                    sum(a * b for a, b in zip(x, y, strict=True)) / len(x) - sum(x) * sum(y) / len(x) ** 2
                )
                means[j] = sum(x) / len(x) if j == k else means[j]
    return counts, means, covariances


def assert_exact(moments, numbers):
    counts, means, covariances = exact(numbers)
    np.testing.assert_array_equal(moments.counts, counts)
    spread = np.sqrt(np.diag(covariances))
    known = np.diag(counts) > 0
    # Means as well as covariances are known to so many digits of the spread.
    assert (np.abs(moments.means - means)[known] <= 1e-14 * np.abs(means[known]) + 1e-11 * spread[known]).all()
    assert (np.abs(moments.covariances - covariances) <= 1e-11 * np.outer(spread, spread)).all()


def records(draw, count, values, q):
    return np.array(draw(st.lists(st.lists(values, min_size=q, max_size=q), min_size=count, max_size=count)))


VALUES = st.sampled_from([np.nan, 0.0, 0.1, 0.1, 2.5, -7.0, 1e6, 1e9, 1e-3]) | st.floats(-100, 100).map(
    lambda x: round(x, 2)
)


@given(st.data())
def test_moments_follow_chains_of_changes_also_where_outliers_come_and_go(data):
    q, n = data.draw(st.integers(1, 3)), data.draw(st.integers(2, 10))
    original = np.column_stack([np.arange(n, dtype=float), -(np.arange(n) ** 2.0), np.arange(n) % 3.0][:q])
    table = numeric(*original.T)
    tracker = Followed(Standard(table.numbers), table)
    judged = tracker.standard.judged
    assert_exact(tracker.moments, tracker.standard(table.numbers))
    for _ in range(data.draw(st.integers(1, 6))):
        children = []
        for _ in range(2):
            rows = np.array(sorted(data.draw(st.sets(st.integers(0, n - 1), min_size=1, max_size=3))))
            numbers = table.numbers.copy()
            numbers[rows] = records(data.draw, len(rows), VALUES, q)
            children.append((Table(table.schema, table.codes, numbers), rows))
        found = tracker.moments_of(changes_of(table, children))
        for child, (own, _) in enumerate(children):
            assert_exact(type(found)(*(part[child] for part in found)), tracker.standard(own.numbers))
        tracker.take(changes_of(table, children[:1]))
        table = children[0][0]
        assert_exact(tracker.moments, tracker.standard(table.numbers))
    assert judged.tolist() == list(range(q)) or n == 2


def test_rounding_does_not_gather():
    rng = np.random.default_rng(3)
    columns = np.exp(rng.normal(size=(3, 400)) * 2.0)
    table = numeric(*columns)
    tracker = Followed(Standard(table.numbers), table)
    for _ in range(3000):
        numbers, rows = table.numbers.copy(), np.sort(rng.choice(400, 2, replace=False))
        numbers[rows] = np.exp(rng.normal(size=(2, 3)) * 2.0)
        child = Table(table.schema, table.codes, numbers)
        tracker.take(changes_of(table, [(child, rows)]))
        table = child
    wanted = moments_of(tracker.standard(table.numbers))
    np.testing.assert_allclose(tracker.moments.covariances, wanted.covariances, atol=1e-11, rtol=1e-11)


def test_an_attribute_that_becomes_constant_has_no_covariances_at_all():
    table = numeric([0.1, 0.2, 0.1], [1.0, 2.0, 4.0])
    tracker = Followed(Standard(table.numbers), table)
    child = numeric([0.1, 0.1, 0.1], [1.0, 2.0, 4.0])
    change = changes_of(table, [(child, np.array([1]))])
    assert (tracker.moments_of(change).covariances[0, 0] == 0.0).all()
    tracker.take(change)
    assert (tracker.moments.covariances[0] == 0.0).all()
    assert tracker.moments.covariances[1, 1] > 0.0


FEW_VALUES = st.sampled_from([np.nan, -3.5, 0.0, 1.0, 1.0 + 1e-15, 2.0, 7.25, 1e300])


def wanted_quantiles(column):
    known = column[~np.isnan(column)]
    return np.quantile(known, LEVELS) if len(known) else np.full(len(LEVELS), np.nan)


def assert_quantiles(found, column):
    scale = np.nanmax(np.abs(column), initial=0.0)
    np.testing.assert_allclose(found, wanted_quantiles(column), rtol=1e-12, atol=1e-12 * scale)


@given(st.data())
def test_quantiles_follow_changes(data):
    q, n = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 40))
    numbers = records(data.draw, n, FEW_VALUES, q)
    ordered = in_order(numbers)
    for _ in range(3):
        known = np.count_nonzero(~np.isnan(numbers), axis=0)
        for v, found in enumerate(quantiles_of(ordered, known)):
            assert_quantiles(found, numbers[:, v])
        rows, after, children = [], [], []
        for _ in range(2):
            own = np.array(sorted(data.draw(st.sets(st.integers(0, n - 1), min_size=1, max_size=6))))
            child = numbers.copy()
            child[own] = records(data.draw, len(own), FEW_VALUES, q)
            rows, after, children = [*rows, own], [*after, child[own]], [*children, child]
        ends = np.cumsum([len(own) for own in rows])
        changed = np.concatenate(rows), np.concatenate(after)
        owners, attributes, quantiles = quantiles_of_children(ordered, known, numbers, *changed, ends, False)
        for child, v, found in zip(owners, attributes, quantiles, strict=True):
            assert_quantiles(found, children[child][:, v])
        differ = [~((numbers == child) | (np.isnan(numbers) & np.isnan(child))).all(axis=0) for child in children]
        assert list(zip(*np.nonzero(differ), strict=True)) == list(zip(owners, attributes, strict=True))
        quantiles_of_children(ordered, known, numbers, rows[0], after[0], ends[:1], True)
        numbers = children[0]
        np.testing.assert_array_equal(ordered, in_order(numbers))


@pytest.mark.parametrize("many", [FEW, FEW + 1, 500])
def test_quantiles_of_children_that_change_much(many):
    rng = np.random.default_rng(many)
    numbers = np.round(rng.normal(size=(900, 2)), 2)
    numbers[::13, 0] = np.nan
    rows = np.sort(rng.choice(900, many, replace=False))
    child = numbers.copy()
    child[rows] = np.round(rng.normal(size=(many, 2)), 1)
    ordered, known = in_order(numbers), np.count_nonzero(~np.isnan(numbers), axis=0)
    found = quantiles_of_children(ordered, known, numbers, rows, child[rows], np.array([many]), True)[2]
    for v in range(2):
        assert_quantiles(found[v], child[:, v])
    np.testing.assert_array_equal(ordered, in_order(child))
