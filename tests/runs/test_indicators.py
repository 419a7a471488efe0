"""Indicators of fronts and attainment surfaces, beside slow definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.runs.comparison import attainment_surface, indicators_of, united_front

FRONTS = st.lists(
    st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=6).map(
        lambda points: np.array(points, dtype=float)
    ),
    min_size=1,
    max_size=5,
)


def attained(front, point):
    return any((member <= point).all() for member in front)


def test_by_hand():
    front, reference = np.array([[10.0, 50.0], [50.0, 10.0]]), np.array([[0.0, 40.0], [50.0, 0.0]])
    found = indicators_of(front, reference)
    assert found["hypervolume"] == pytest.approx(100 * (90 * 50 + 50 * 40) / 10_000)
    assert found["epsilon"] == pytest.approx(10.0)
    assert found["igd_plus"] == pytest.approx((np.hypot(10, 10) + 10) / 2)
    perfect = indicators_of(reference, reference)
    assert (perfect["igd_plus"], perfect["epsilon"]) == (0.0, 0.0)


@given(FRONTS)
def test_no_front_is_better_than_all_united(fronts):
    united = united_front(fronts)
    best = indicators_of(united, united)
    for front in fronts:
        found = indicators_of(front, united)
        assert found["hypervolume"] <= best["hypervolume"] + 1e-9
        assert found["igd_plus"] >= 0.0
        slow = max(min(max(member - point) for member in front) for point in united)
        assert found["epsilon"] == pytest.approx(slow)


@given(FRONTS, st.sampled_from([1e-9, 0.5, 1.0]), st.tuples(st.integers(0, 100), st.integers(0, 100)))
def test_a_point_is_beyond_a_surface_where_enough_fronts_attain_it(fronts, share, point):
    surface = attainment_surface(fronts, share)
    wanted = max(1, int(np.ceil(share * len(fronts) - 1e-9)))
    enough = sum(attained(front, np.array(point, dtype=float)) for front in fronts) >= wanted
    assert attained(surface, np.array(point, dtype=float)) == enough


def test_runs_without_a_front_attain_nothing():
    front = np.array([[1.0, 1.0]])
    assert attainment_surface([front, np.empty((0, 2))], 0.5).tolist() == [[1.0, 1.0]]
    assert attainment_surface([front, np.empty((0, 2))], 1.0).shape == (0, 2)
