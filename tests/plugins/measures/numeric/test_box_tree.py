"""The tree of points, and the rows in the order of its leaves."""

import numpy as np
import pytest

from evosdc_measures.linkage.box_tree import tree_and_order_of
from evosdc_measures.linkage.coordinates import Metric


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("size", [1, 7, 9, 200])
def test_rows_stand_in_the_order_of_the_leaves(size, missing):
    rng = np.random.default_rng(size)
    points = rng.integers(0, 6, (size, 3)).astype(np.float64)
    points[rng.random(points.shape) < missing] = np.nan
    tree, order = tree_and_order_of(points, Metric(np.zeros(3, dtype=np.bool_), np.ones(3)))
    assert sorted(order.tolist()) == list(range(size))
    np.testing.assert_array_equal(points[order], np.repeat(tree.points, tree.numbers, axis=0))
