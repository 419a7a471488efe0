"""Records in order are those of a sort by all columns, numbered in 64 bits or not."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evosdc_measures.linkage.search_trees import in_order

SHAPES = st.tuples(st.integers(0, 12), st.integers(1, 4))


@given(SHAPES.flatmap(lambda shape: arrays(np.int32, shape, elements=st.integers(-1, 3))))
def test_records_stand_as_by_all_columns(codes):
    np.testing.assert_array_equal(in_order(codes), np.lexsort(codes.T[::-1]))


@given(SHAPES.flatmap(lambda shape: arrays(np.int32, shape, elements=st.integers(-(2**31), 2**31 - 1))))
def test_records_of_too_many_categories_stand_likewise(codes):
    np.testing.assert_array_equal(in_order(codes), np.lexsort(codes.T[::-1]))


def test_rows_are_not_sorted(monkeypatch):
    monkeypatch.delattr(np, "lexsort")
    assert in_order(np.array([[1, 0], [0, 2], [1, 0], [0, 1]], dtype=np.int32)).tolist() == [3, 1, 0, 2]
