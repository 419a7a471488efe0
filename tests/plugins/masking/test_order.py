"""The order of values in compiled loops, against numpy's stable sort."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc_masking.order import stable_order


@given(st.lists(st.integers(-4, 4), max_size=70))
def test_equal_values_keep_their_order(values: list[int]) -> None:
    for dtype in (np.int64, np.float64):
        array = np.array(values, dtype=dtype)
        assert stable_order(array).tolist() == np.argsort(array, kind="stable").tolist()


@pytest.mark.parametrize("size", [0, 1, 16, 17, 32, 33, 1000, 1024, 4097])
def test_any_number_of_values(size: int) -> None:
    values = np.random.default_rng(size).integers(0, 50, size).astype(np.float64)
    assert stable_order(values).tolist() == np.argsort(values, kind="stable").tolist()
