"""Ranks and hits follow changes, and are those of sorted files."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evosdc_measures.interval_disclosure.rank_intervals import follow_ranks, rank_hits, ranks_of, wide_enough

# Few values, so that many are equal, and some are missing.
VALUES = st.sampled_from([np.nan, -np.inf, -3.5, 0.0, 1.0, 1.0 + 1e-15, 2.0, 7.25, 1e300])
COLUMNS = st.lists(VALUES, min_size=1, max_size=40)


@st.composite
def changes(draw):
    """Return a column, and rows with their new values."""
    column = np.array(draw(COLUMNS))
    rows = draw(st.lists(st.integers(0, len(column) - 1), unique=True, max_size=6))
    return column, np.array(rows, dtype=np.intp), np.array([draw(VALUES) for _ in rows])


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
