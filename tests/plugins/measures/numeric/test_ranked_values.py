"""Values in order follow changes, quantiles are those of numpy, and ranks and hits those of sorted files."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc_measures.interval_disclosure.rank_intervals import follow_ranks, rank_hits, ranks_of, wide_enough
from evosdc_measures.ordered_values import merged, ordered_values, quantiles_of, values_after

LEVELS = np.arange(1, 20) / 20
# Few values, so that many are equal, and some are missing.
VALUES = st.sampled_from([np.nan, -np.inf, -3.5, 0.0, 1.0, 1.0 + 1e-15, 2.0, 7.25, 1e300])
COLUMNS = st.lists(VALUES, min_size=1, max_size=40)


@st.composite
def changes(draw):
    """Return a column, and rows with their new values."""
    column = np.array(draw(COLUMNS))
    rows = draw(st.lists(st.integers(0, len(column) - 1), unique=True, max_size=6))
    return column, np.array(rows, dtype=np.intp), np.array([draw(VALUES) for _ in rows])


def values_of(values):
    return merged(*values)


@given(changes(), st.data())
def test_values_are_in_order_as_if_sorted(change, data):
    column, rows, latest = change
    values, began = ordered_values(column), ordered_values(column)
    for _ in range(data.draw(st.integers(1, 5))):
        after = column.copy()
        after[rows] = latest
        former, values = values, values_after(values, column[:, None], after[:, None], rows, 0)
        for own, of in ((values, after), (former, column)):
            known = np.sort(of[~np.isnan(of)])
            np.testing.assert_array_equal(values_of(own), known)
            with np.errstate(invalid="ignore"):  # between infinite values
                wanted = np.quantile(known, LEVELS) if len(known) else np.full(len(LEVELS), np.nan)
            np.testing.assert_array_equal(quantiles_of(*own, LEVELS), wanted)
        column = after
        rows = np.array(data.draw(st.lists(st.integers(0, len(column) - 1), unique=True, max_size=4)), dtype=np.intp)
        latest = np.array([data.draw(VALUES) for _ in rows])
    np.testing.assert_array_equal(values_of(began), np.sort(values_of(began)))


@pytest.mark.parametrize("decimals", [6, 0], ids=["distinct", "tied"])
def test_values_of_long_columns(decimals):
    rng = np.random.default_rng(4)
    column = np.round(rng.normal(size=2000), decimals)
    column[::13] = np.nan
    values = ordered_values(column)
    for step in range(300):
        row = np.array([int(rng.integers(len(column)))])
        after = column.copy()
        after[row] = np.nan if step % 11 == 0 else np.round(rng.normal(), decimals)
        values, column = values_after(values, column[:, None], after[:, None], row, 0), after
        if step % 10 == 0:
            known = np.sort(column[~np.isnan(column)])
            np.testing.assert_array_equal(quantiles_of(*values, LEVELS), np.quantile(known, LEVELS))
            np.testing.assert_array_equal(values_of(values), known)
    many = rng.permutation(len(column))[:900]
    after = column.copy()
    after[many] = 0.5
    np.testing.assert_array_equal(
        values_of(values_after(values, column[:, None], after[:, None], many, 0)), np.sort(after[~np.isnan(after)])
    )


@given(st.lists(st.floats(-1e9, 1e9) | st.just(np.nan), min_size=1, max_size=60))
def test_quantiles_are_numpy_s_to_the_last_bit(values):
    column = np.array(values)
    found, known = quantiles_of(*ordered_values(column), LEVELS), column[~np.isnan(column)]
    wanted = np.quantile(known, LEVELS) if len(known) else np.full(len(LEVELS), np.nan)
    np.testing.assert_array_equal(found, wanted)


@given(changes(), st.data())
def test_ranks_and_hits_follow_changes(change, data):
    masked, rows, values = change
    original = np.array(data.draw(st.lists(VALUES, min_size=len(masked), max_size=len(masked))))
    enough = wide_enough((0, 5, 40, 100))
    after = masked.copy()
    after[rows] = values
    hits, wanted = np.empty(len(masked), np.int16), np.empty(len(masked), np.int16)
    ranks = ranks_of(original, masked)
    inside = rank_hits(original, masked, ranks, enough, hits)
    inside += follow_ranks(original, masked[rows], after, rows, enough, ranks, hits)
    assert inside == rank_hits(original, after, ranks_of(original, after), enough, wanted)
    np.testing.assert_array_equal(hits, wanted)


@given(changes(), st.data())
def test_hits_are_those_of_the_definition(change, data):
    masked, _, _ = change
    original = np.array(data.draw(st.lists(VALUES, min_size=len(masked), max_size=len(masked))))
    percents, n = (0, 5, 40, 100), len(masked)
    wanted = []
    for x, y in zip(original, masked, strict=True):
        if np.isnan(x) or np.isnan(y):
            wanted.append(len(percents) if np.isnan(x) and np.isnan(y) else 0)
            continue
        centre = ((masked < y).sum() + 1 + (masked <= y).sum()) / 2
        low, high = (masked < x).sum() + 1, (masked <= x).sum()
        wanted.append(sum(high >= centre - p * n / 100 and low <= centre + p * n / 100 for p in percents))
    hits = np.empty(n, np.int16)
    assert rank_hits(original, masked, ranks_of(original, masked), wide_enough(percents), hits) == sum(wanted)
    assert hits.tolist() == wanted
