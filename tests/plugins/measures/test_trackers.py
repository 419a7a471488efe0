"""Trackers gone on with by any way have the scores of their tables, and those that were copied stay as they were."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.testing.tables import changes_of
from evosdc_measures import records as joint
from evosdc_measures.categorical_loss import tables as contingency
from tests.plugins.measures.cases import edited, fitted, noisy, pairs

VARIANTS = [
    ("dbil", {}),
    ("ctbil", {}),
    ("ctbil", {"K": 3}),
    ("ebil", {}),
    ("id", {}),
    ("id", {"nominal": "frequency", "percents": (3, 40)}),
    ("id", {"every_attribute": True}),
    ("prl", {}),
]


def check(measure, masked, rng, edits=12):
    """Edit one of three tables, at times half of it; in the end each tracker has to be that of its own table."""
    family = [(masked, measure.track(masked)) for _ in range(3)]
    for number in range(edits):
        place = int(rng.integers(len(family)))
        parent, tracker = family[place]
        most = max(3, len(parent) // 2) if number % 4 == 3 else 3
        children = [edited(parent, rng, most) for _ in range(3)]
        changes = changes_of(parent, children)
        wanted = [measure.score(child) for child, _ in children]
        assert tracker.tries(changes).tolist() == pytest.approx(wanted, rel=1e-9, abs=1e-9)
        tracker.take(changes.part(1, 2))
        family[place] = children[1][0], tracker
    for table, tracker in family:
        assert tracker.score == pytest.approx(measure.score(table), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("name", "params"), VARIANTS)
@given(tables=pairs(), seed=st.integers(0, 2**32 - 1))
def test_small_tables(name, params, tables, seed):
    check(fitted(name, tables[0], **params), tables[1], np.random.default_rng(seed))


@pytest.mark.parametrize(("name", "params"), VARIANTS)
def test_published_files(name, params, published):
    rng = np.random.default_rng(7)
    check(fitted(name, published, **params), noisy(published, 0.2, rng), rng)


def test_wide_attributes(adult, monkeypatch):
    rng = np.random.default_rng(9)
    masked = noisy(adult, 0.2, rng)
    wanted = fitted("ebil", adult).score(masked)
    monkeypatch.setattr(joint, "WIDE", 9)
    assert fitted("ebil", adult).score(masked) == pytest.approx(wanted, abs=1e-9)
    check(fitted("ebil", adult), masked, rng)


def test_sparse_tables(adult, monkeypatch):
    rng = np.random.default_rng(10)
    masked = noisy(adult, 0.2, rng)
    wanted = fitted("ctbil", adult).score(masked)
    monkeypatch.setattr(contingency, "DENSE_CELLS", 6)
    assert fitted("ctbil", adult).score(masked) == pytest.approx(wanted, abs=1e-9)
    check(fitted("ctbil", adult), masked, rng)
