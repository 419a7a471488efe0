"""Hits of a column follow any chain of changes as if it were sorted after each of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.table.table import Table
from evosdc.testing.tables import changes_of
from evosdc_measures.interval_disclosure import by_ranks
from evosdc_measures.interval_disclosure.by_ranks import FittedByRanks
from evosdc_measures.interval_disclosure.cells import FittedByCell, Reach
from evosdc_measures.interval_disclosure.rank_intervals import wide_enough
from evosdc_measures.interval_disclosure.ranked_column import distances_of, hits_by_distance, near_limits
from tests.plugins.measures.numeric.cases import edited, fitted, noisy, numeric, pairs

VALUES = [np.nan, -1e300, -3.5, 0.0, -0.0, 1.0, 1.0 + 1e-15, 2.0, 7.25, 1e300]


def plain(original, percents):
    """Return the measure that sorts each file: the definition, cell by cell."""
    return FittedByCell(original, Reach(percents, False, False), False, False)


def changed(table, rows, columns, values):
    numbers = table.numbers.copy()
    numbers[rows, columns] = values
    return Table(table.schema, table.codes, numbers)


@st.composite
def columns(draw, most=40):
    n = draw(st.integers(1, most))
    column = st.lists(st.sampled_from(VALUES), min_size=n, max_size=n)
    return numeric(draw(column)), numeric(draw(column))


@pytest.mark.parametrize("radius", [1, 2, 8])
@given(tables=columns(), data=st.data())
def test_chains_of_changes(radius, tables, data):
    original, masked = tables
    percents = (0, 5, 40, 100)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_ranks, "radius_of", lambda records: radius)
        measure, wanted = FittedByRanks(original, wide_enough(percents), None), plain(original, percents)
    state = measure.start(masked)
    assert measure.value(state) == wanted.score(masked)
    for _ in range(data.draw(st.integers(1, 12))):
        most = min(3, len(masked))
        rows = data.draw(st.lists(st.integers(0, len(masked) - 1), min_size=1, max_size=most, unique=True))
        masked = changed(masked, rows, 0, [data.draw(st.sampled_from(VALUES)) for _ in rows])
        state = measure.follow(state, masked, np.array(rows, dtype=np.intp))
        assert measure.value(state) == wanted.score(masked)
    assert measure.burdens(masked).tolist() == wanted.burdens(masked).tolist()


@pytest.mark.parametrize("worth_sums", [1, 1000], ids=["summed", "passed"])
@given(tables=columns(), data=st.data())
def test_children_that_change_one_value(worth_sums, tables, data):
    original, masked = tables
    measure, wanted = FittedByRanks(original, wide_enough((0, 5, 40, 100)), None), plain(original, (0, 5, 40, 100))
    state, row = measure.start(masked), st.integers(0, len(masked) - 1)
    for _ in range(data.draw(st.integers(0, 3))):  # so that some stand elsewhere than in the column that was sorted
        at = data.draw(row)
        masked = changed(masked, [at], 0, [data.draw(st.sampled_from(VALUES))])
        state = measure.follow(state, masked, np.array([at]))
    rows = data.draw(st.lists(row, min_size=1, max_size=15))
    made = [(changed(masked, [at], 0, [data.draw(st.sampled_from(VALUES))]), np.array([at])) for at in rows]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(by_ranks, "WORTH_SUMS", worth_sums)
        found = measure.values(state, changes_of(masked, made))
    assert found.tolist() == [wanted.score(child) for child, _ in made]


@pytest.mark.parametrize(("n", "radius"), [(4, 2), (13, 8), (40, 30)])
def test_no_limit_is_looked_up_beyond_the_widest_interval(n, radius):
    original, hits = np.arange(float(n)), hits_by_distance(wide_enough((0, 5, 40, 100)), n)
    masked = original[::-1].copy()
    orders = np.argsort(original), np.argsort(masked)
    _, apart = distances_of(original, masked, *orders)
    found = []
    for beyond in (0, int(hits[0])):  # what stands in memory behind it
        held = np.concatenate([hits, np.full(400, beyond, dtype=np.int16)])[: len(hits)]
        place = np.empty(n, dtype=np.int32)
        near_limits(original, masked, apart, orders[0], held, radius, place)
        found.append(place.tolist())
    assert found[0] == found[1]
    assert max(found[0]) >= 0


@given(tables=pairs(), seed=st.integers(0, 2**32 - 1))
def test_relatives_of_mixed_files(tables, seed):
    original, masked = tables
    rng, measure = np.random.default_rng(seed), fitted("id", original)
    wanted = plain(original, tuple(range(1, 11)))
    family = [(masked, measure.start(masked))]
    for _ in range(12):
        masked, state = family[int(rng.integers(len(family)))]
        masked, rows = edited(masked, original, rng)
        family.append((masked, measure.update(state, masked, rows)))
    for masked, state in family:
        assert measure.value(state) == wanted.score(masked)
        assert measure.burdens(masked).tolist() == wanted.burdens(masked).tolist()


@pytest.mark.parametrize("decimals", [6, 1, 0], ids=["distinct", "tied", "few values"])
def test_long_files_and_long_chains(decimals):
    rng = np.random.default_rng(3)
    n = 3000
    original = numeric(np.round(rng.lognormal(size=n), decimals), np.where(rng.random(n) < 0.1, np.nan, rng.random(n)))
    masked = noisy(original, 0.7, rng)
    measure, wanted = fitted("id", original), plain(original, tuple(range(1, 11)))
    state = measure.start(masked)
    family = [(masked, state)]
    for step in range(400):
        row, v = int(rng.integers(n)), int(rng.integers(2))
        value = original.numbers[rng.integers(n), v] if step % 3 else masked.numbers[row, v] + 0.01
        masked = changed(masked, [row], [v], [value])
        state = measure.update(state, masked, np.array([row]))
        if step % 80 == 79:
            assert measure.value(state) == wanted.score(masked)
            family.append((masked, state))
    for masked, state in family:
        assert measure.value(state) == wanted.score(masked)
    many = np.arange(0, n, 7)
    last = changed(masked, many, 0, rng.permutation(masked.numbers[many, 0]))
    assert measure.value(measure.update(state, last, many)) == wanted.score(last)
