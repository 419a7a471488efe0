"""Interval disclosure followed through changes is that of its definition: numbers, many categories, whole records."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.table.table import Table
from evosdc.testing.tables import changes_of
from evosdc_measures.interval_disclosure import interval
from tests.plugins.measures import cases
from tests.plugins.measures import reference as of_categories
from tests.plugins.measures.numeric import reference
from tests.plugins.measures.numeric.cases import fitted, noisy, numeric, pairs
from tests.plugins.measures.test_trackers import check

# Few values, so that many are equal, and some are missing.
VALUES = [np.nan, -1e300, -3.5, 0.0, -0.0, 1.0, 1.0 + 1e-15, 2.0, 7.25, 1e300]
PERCENTS = (0, 5, 40, 100)


def changed(table, rows, values):
    numbers = table.numbers.copy()
    numbers[rows, 0] = values
    return Table(table.schema, table.codes, numbers), np.sort(np.array(rows, dtype=np.intp))


@st.composite
def columns(draw, most=40):
    n = draw(st.integers(1, most))
    column = st.lists(st.sampled_from(VALUES), min_size=n, max_size=n)
    return numeric(draw(column)), numeric(draw(column))


@st.composite
def child(draw, table):
    most = min(4, len(table))
    rows = draw(st.lists(st.integers(0, len(table) - 1), max_size=most, unique=True))
    return changed(table, rows, [draw(st.sampled_from(VALUES)) for _ in rows])


@given(tables=columns(), data=st.data())
def test_chains_of_changed_numbers(tables, data):
    original, masked = tables
    tracker = fitted("id", original, percents=PERCENTS).track(masked)
    for _ in range(data.draw(st.integers(1, 8))):
        children = [data.draw(child(masked)) for _ in range(3)]
        found = tracker.tries(changes_of(masked, children)).tolist()
        wanted = [reference.interval(original, table, PERCENTS) for table, _ in children]
        assert found == pytest.approx(wanted)
        tracker.take(changes_of(masked, children[:1]))
        masked = children[0][0]
        assert tracker.score == pytest.approx(wanted[0])
    fresh = fitted("id", original, percents=PERCENTS).track(masked)
    assert tracker.contributions().tolist() == fresh.contributions().tolist()


@given(tables=pairs(), whole=st.booleans())
def test_records_add_up(tables, whole):
    measure = fitted("id", tables[0], percents=PERCENTS, every_attribute=whole)
    contributions = measure.track(tables[1]).contributions()
    assert contributions.sum() == pytest.approx(reference.interval(*tables, PERCENTS, whole=whole))


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("by_frequency", [False, True])
@given(tables=cases.pairs(most_records=25), seed=st.integers(0, 2**32 - 1))
def test_many_categories(by_frequency, whole, tables, seed):
    params = {"percents": PERCENTS, "nominal": "frequency" if by_frequency else "equality", "every_attribute": whole}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(interval, "MOST_PLACES", 3)
        measure = cases.fitted("id", tables[0], **params)
    wanted = cases.fitted("id", tables[0], **params).score(tables[1])
    assert measure.score(tables[1]) == pytest.approx(wanted)
    if not whole:
        assert wanted == pytest.approx(of_categories.interval(*tables, PERCENTS, by_frequency))
    check(measure, tables[1], np.random.default_rng(seed), 4)


@pytest.mark.parametrize("decimals", [6, 1, 0], ids=["distinct", "tied", "few values"])
def test_long_files_and_long_chains(decimals):
    rng, n = np.random.default_rng(3), 3000
    original = numeric(np.round(rng.lognormal(size=n), decimals), np.where(rng.random(n) < 0.1, np.nan, rng.random(n)))
    masked = noisy(original, 0.7, rng)
    measure = fitted("id", original)
    tracker = measure.track(masked)
    for step in range(200):
        row = int(rng.integers(n))
        value = original.numbers[rng.integers(n), 0] if step % 3 else masked.numbers[row, 0] + 0.01
        following = changed(masked, [row], [value])
        change = changes_of(masked, [following])
        score = tracker.tries(change)[0]
        tracker.take(change)
        masked = following[0]
        assert tracker.score == score
        if step % 50 == 49:
            assert score == pytest.approx(measure.score(masked))
    many = np.arange(0, n, 7)
    last = changed(masked, many, rng.permutation(masked.numbers[many, 0]))
    assert tracker.tries(changes_of(masked, [last])) == pytest.approx(measure.score(last[0]))
