"""Values that are counted are those that are sorted, to the type."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evosdc.table.distinct_values import counted_values, distinct_values, placed_values

COLUMNS = st.one_of(
    arrays(np.int32, st.integers(0, 30), elements=st.integers(-1, 40)),
    arrays(np.int64, st.integers(0, 30), elements=st.integers(-(2**62), 2**62)),
    arrays(np.int64, st.integers(1, 30), elements=st.integers(2**63 - 9, 2**63 - 1)),
    arrays(np.int8, st.integers(0, 90), elements=st.integers(-128, 127)),
    arrays(np.float64, st.integers(0, 9), elements=st.sampled_from([0.5, -1.0, np.nan])),
)


@given(COLUMNS)
def test_all_that_is_told_is_what_numpy_tells(column):
    wanted, places, counts = np.unique(column, return_inverse=True, return_counts=True)
    found = [distinct_values(column), *counted_values(column), *placed_values(column)]
    for own, other in zip(found, [wanted, wanted, counts, wanted, places, counts], strict=True):
        np.testing.assert_array_equal(own, other)
        assert own.dtype == other.dtype


def test_codes_are_not_sorted(monkeypatch):
    monkeypatch.setattr(np, "unique", lambda *given, **named: pytest.fail("sorted"))
    codes = np.random.default_rng(1).integers(-1, 5, 100, dtype=np.int32)
    assert len(placed_values(codes)[0]) == len(distinct_values(codes)) == len(counted_values(codes)[1]) == 6
