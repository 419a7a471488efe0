import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.engine.archive import hypervolume

GRID = st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), max_size=12)


def counted(points, size):
    """Return how many unit cells of a box are dominated."""
    cells = itertools.product(range(size), repeat=len(points[0]) if points else 2)
    return sum(any(all(p <= c for p, c in zip(point, cell, strict=True)) for point in points) for cell in cells)


@given(GRID)
def test_two_objectives_are_the_cells_that_are_dominated(points):
    assert hypervolume(points, 10.0) == pytest.approx(counted(points, 10))


@given(st.lists(st.tuples(*[st.integers(0, 5)] * 3), max_size=8))
def test_three_objectives_are_the_cells_that_are_dominated(points):
    assert hypervolume(points, 5.0) == pytest.approx(100 * counted(points, 5) / 125 if points else 0.0)


def test_the_origin_dominates_all_and_the_reference_nothing():
    assert hypervolume([(0.0, 0.0), (3.0, 3.0)]) == 100.0
    assert hypervolume([(100.0, 0.0), (0.0, 100.0)]) == 0.0
    assert hypervolume([(25.0,)]) == 75.0
    assert hypervolume([]) == 0.0


def test_the_order_of_points_makes_no_difference():
    points = [tuple(row) for row in np.random.default_rng(1).uniform(0, 100, (40, 3)).tolist()]
    assert hypervolume(points) == hypervolume(points[::-1])
