"""How far numbers lie apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.table.spread import Spread, spread_of, spreads_of
from tests.plugins.masking.tables import NOMINAL, categorical, joined, numeric


@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=20), st.integers(0, 3))
def test_it_is_that_of_the_known_values(values: list[int], missing: int) -> None:
    column = np.array([*values, *[np.nan] * missing], dtype=np.float64)
    found = spread_of(column)
    assert found.width == max(values) - min(values)
    assert found.farthest * found.deviation == pytest.approx(np.std(values), abs=1e-9)


def test_nothing_known_or_all_equal_is_no_spread() -> None:
    nothing = Spread(0.0, 0.0, 0.0)
    assert spread_of(np.array([np.nan])) == spread_of(np.empty(0)) == spread_of(np.array([3.0, 3.0])) == nothing


def test_squares_of_very_large_numbers_stay_in_the_range_of_floats() -> None:
    found = spread_of(np.array([-1e200, 0.0, 1e200]))
    assert found.farthest == 1e200
    assert found.deviation == pytest.approx(np.sqrt(2.0 / 3.0))


def test_attributes_of_categories_have_none() -> None:
    assert list(spreads_of(joined(categorical([0, 1], [2], [NOMINAL]), numeric([1.0, 4.0])))) == ["x0"]
