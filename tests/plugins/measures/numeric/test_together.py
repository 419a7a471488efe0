"""Children that are judged together have the scores of their own states, to the last bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.model import Batched
from evosdc.testing.tables import changes_of
from evosdc_measures.interval_disclosure import by_ranks
from tests.plugins.measures.numeric.cases import edited, fitted, noisy, numeric, pairs

NAMES = [("il1s", {}), ("id", {}), ("dbrl", {}), ("apil", {}), ("apil", {"density": "normal"}), ("pil-quantiles", {})]


def assert_together(measure, state, parent, children):
    before = measure.value(state)
    found = measure.values(state, changes_of(parent, children))
    assert measure.value(state) == before, "the parent's state was altered"
    for (table, rows), value in zip(children, found.tolist(), strict=True):
        assert value == measure.value(measure.update(state, table, rows)) == measure.score(table)


@pytest.mark.parametrize(("name", "params"), NAMES)
@given(tables=pairs(), seed=st.integers(0, 2**32 - 1))
def test_small_tables(name, params, tables, seed):
    original, masked = tables
    measure, rng = fitted(name, original, **params), np.random.default_rng(seed)
    assert isinstance(measure, Batched)
    assert measure.together
    state = measure.start(masked)
    for _ in range(3):
        children = [edited(masked, original, rng) for _ in range(4)]
        assert_together(measure, state, masked, children)
        masked, rows = children[int(rng.integers(4))]
        state = measure.update(state, masked, rows)


@pytest.mark.parametrize(("name", "params"), NAMES)
def test_long_chains_of_families(name, params):
    rng = np.random.default_rng(1)
    columns = np.round(rng.lognormal(size=(2, 600)), 1)
    columns[0, ::11] = np.nan
    original = numeric(*columns)
    masked = noisy(original, 0.5, rng)
    measure = fitted(name, original, **params)
    state = measure.start(masked)
    for step in range(40):
        children = [edited(masked, original, rng, 60 if step % 10 == 9 else 2) for _ in range(3)]
        assert_together(measure, state, masked, children)
        masked, rows = children[step % 3]
        state = measure.update(state, masked, rows)


def test_what_depends_on_all_records_is_judged_one_by_one():
    original = numeric([1.0, 2.0, 4.0], [0.0, 1.0, 5.0])
    assert not fitted("dbrl", original, standardise="each").together
    assert not fitted("dbrl", original, direction="original-to-masked").together


def test_a_column_is_ranked_anew_once_for_all_children(monkeypatch):
    monkeypatch.setattr(by_ranks, "radius_of", lambda records: 1)
    calls, again = [], by_ranks.ranked_again
    monkeypatch.setattr(by_ranks, "ranked_again", lambda *given: calls.append(1) or again(*given))
    rng = np.random.default_rng(3)
    original = numeric(np.round(rng.lognormal(size=400), 1))
    masked, measure = noisy(original, 0.5, rng), fitted("id", original)
    state = measure.start(masked)
    for _ in range(9):
        masked, rows = edited(masked, original, rng, 1)
        state = measure.follow(state, masked, rows)
        children = [edited(masked, original, rng, 1) for _ in range(5)]
        calls.clear()
        found = measure.values(state, changes_of(masked, children)).tolist()
        assert len(calls) <= 1
        assert found == [measure.score(child) for child, _ in children]
