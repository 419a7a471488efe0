"""Classes of equal rows, and the distinct values of a column, are those of numpy."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evosdc.table.equivalence import equivalence_classes, ordered_classes, placed_values

SHAPES = st.tuples(st.integers(1, 40), st.integers(1, 6))
APART = (1, 1000, 500_000_000)
"""So far are codes from each other: keys of rows are then an address, a number of 64 bits, or more than that."""

CODES = st.builds(
    lambda codes, apart: codes * np.int32(apart),
    SHAPES.flatmap(lambda shape: arrays(np.int32, shape, elements=st.integers(-1, 3))),
    st.sampled_from(APART),
)


@given(codes=CODES)
def test_classes_in_the_order_of_values_are_those_of_numpy(codes: np.ndarray) -> None:
    rows, place, counts = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
    found = ordered_classes(codes)
    np.testing.assert_array_equal(codes[found.first], rows)
    np.testing.assert_array_equal(found.of, place.reshape(-1))
    np.testing.assert_array_equal(found.counts, counts)


@given(codes=CODES)
def test_classes_are_in_the_order_of_their_first_record(codes: np.ndarray) -> None:
    found = equivalence_classes(codes)
    assert (np.diff(found.first) > 0).all()
    np.testing.assert_array_equal(codes[found.first][found.of], codes)
    assert found.counts.sum() == len(codes)


def test_no_attribute_leaves_one_class() -> None:
    for found in (equivalence_classes(np.zeros((3, 0), np.int32)), ordered_classes(np.zeros((3, 0), np.int32))):
        assert found.counts.tolist() == [3]
        assert found.of.tolist() == [0, 0, 0]


COLUMNS = st.one_of(
    arrays(np.int32, st.integers(0, 30), elements=st.integers(-1, 40)),
    arrays(np.int64, st.integers(0, 30), elements=st.integers(-(2**62), 2**62)),
    arrays(np.int64, st.integers(1, 30), elements=st.integers(2**63 - 9, 2**63 - 1)),
    arrays(np.int8, st.integers(0, 90), elements=st.integers(-128, 127)),
    arrays(np.float64, st.integers(0, 9), elements=st.sampled_from([0.5, -1.0, np.nan])),
)


@given(column=COLUMNS)
def test_distinct_values_are_those_of_numpy(column: np.ndarray) -> None:
    wanted = np.unique(column, return_inverse=True, return_counts=True)
    for own, other in zip(placed_values(column), wanted, strict=True):
        np.testing.assert_array_equal(own, other)
        assert own.dtype == other.dtype
