"""The correction for masking: it recovers what randomisation took, and is not told where it does harm."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evosdc.api.tables import as_table
from evosdc.assess.classes import classed
from evosdc.assess.utility import analyses, corrected, corrections, kept_beyond_chance

LABELS = list("abcd")


def related(size, seed):
    """Return two columns that go together: codes of 4 and 3 categories."""
    rng = np.random.default_rng(seed)
    by = rng.integers(0, 3, size)
    own = np.where(rng.random(size) < 0.6, by, rng.choice(4, size, p=[0.4, 0.3, 0.2, 0.1]))
    return own, by, rng


def tables(own, published, by):
    sides = [
        pd.DataFrame(
            {"own": pd.Categorical.from_codes(codes, LABELS), "by": pd.Categorical.from_codes(by, list("xyz"))}
        )
        for codes in (own, published)
    ]
    return tuple(map(as_table, sides))


def told(own, published, by):
    before, after = tables(own, published, by)
    (entry,) = corrections(before, after, analyses(before, after, ["own"])["tables"])
    return entry


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 99), kept=st.sampled_from([0.2, 0.5, 0.8]), same=st.booleans())
def test_of_randomised_values_the_share_kept_is_recovered_and_the_correction_helps(seed, kept, same):
    own, by, rng = related(40_000, seed)
    others = np.bincount(own, minlength=4) / len(own) if same else np.array([0.25, 0.25, 0.25, 0.25])
    published = np.where(rng.random(len(own)) < kept, own, rng.choice(4, len(own), p=others))
    before, after = tables(own, published, by)
    assert kept_beyond_chance(classed(before, after, "own")) == pytest.approx(kept, abs=0.02)
    if same:
        entry = told(own, published, by)
        assert entry["poor"] == ["by"]
        assert entry["helps"]
        assert entry["corrected"] < 0.5 * entry["published"]


def test_errors_are_counted_as_pandas_counts_them():
    own, by, rng = related(3000, 1)
    published = np.where(rng.random(len(own)) < 0.5, own, own[rng.permutation(len(own))])
    entry = told(own, published, by)
    true, shares = (pd.crosstab(by, codes, normalize="index").to_numpy() for codes in (own, published))
    margin = np.bincount(published) / len(published)
    better = np.clip((shares - (1 - entry["kept"]) * margin) / entry["kept"], 0, 1)
    better /= better.sum(axis=1, keepdims=True)
    assert entry["published"] == pytest.approx(np.sqrt(((shares - true) ** 2).mean()))
    assert entry["corrected"] == pytest.approx(np.sqrt(((better - true) ** 2).mean()))
    assert entry["nearer"] == pytest.approx(100 * (1 - entry["corrected"] / entry["published"]))


def test_where_changed_values_were_not_random_no_correction_is_told():
    own, by, _ = related(2000, 2)
    # Within a group values change places, so that the table is as it was and a correction takes it apart.
    exact = own.copy()
    for group in range(3):
        places = np.flatnonzero(by == group)
        exact[places] = np.roll(own[places], 1)
    entry = told(own, exact, by)
    assert (entry["poor"], entry["helps"], entry["published"]) == ([], False, None)
    # Then a few go elsewhere: the table does not hold, and q says that next to nothing was kept.
    exact[:300] = 3
    entry = told(own, exact, by)
    assert entry["poor"] == ["by"]
    assert not entry["helps"]


def test_nothing_kept_is_no_correction():
    own, by, rng = related(2000, 4)
    entry = told(own, rng.permutation(own), by)
    assert entry["kept"] < 0.05
    assert not entry["helps"] or entry["corrected"] <= 0.9 * entry["published"]


@given(
    counts=st.lists(st.lists(st.integers(0, 20), min_size=3, max_size=3).filter(sum), min_size=1, max_size=4),
    kept=st.floats(0.01, 1.0),
)
def test_corrected_shares_are_shares(counts, kept):
    table = np.array(counts, dtype=float)
    found = corrected(table / table.sum(axis=1, keepdims=True), table.sum(axis=0) / table.sum(), kept)
    assert (found >= 0.0).all()
    assert found.sum(axis=1) == pytest.approx(1.0)
