"""Earth mover's distances against a linear program and the figures of the literature."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from evosdc.errors import HierarchyError
from evosdc.table.hierarchy import Hierarchy
from evosdc_lattice.requirement import Ground, distances, hierarchical_ground, nominal_ground, ordinal_ground
from tests.plugins.lattice.tables import hierarchies


def distance(counts: list[int], overall: np.ndarray, ground: Ground) -> float:
    table = np.array([counts], dtype=np.int32)
    return float(distances(table, 0, len(counts), overall, ground.ordered, ground.above)[0])


def transported(p: np.ndarray, q: np.ndarray, apart: np.ndarray) -> float:
    """Return the least cost of moving p to q."""
    m = len(p)
    rows = np.kron(np.eye(m), np.ones(m))
    columns = np.kron(np.ones(m), np.eye(m))
    solved = linprog(apart.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([p, q]), method="highs")
    return float(solved.fun)


shares = st.lists(st.integers(0, 5), min_size=6, max_size=6)


@given(hierarchies(), shares, shares, st.booleans())
def test_distances_are_the_least_cost_of_transport(hierarchy, first, second, missing) -> None:
    leaves = hierarchy.leaves[: 6 - missing]
    m = len(leaves) + missing
    counts, whole = first[:m], np.array(second[:m], dtype=float)
    counts[0] += 1
    whole[0] += 1
    overall = whole / whole.sum()
    p = np.array(counts) / sum(counts)
    levels = np.full((m, m), hierarchy.height, dtype=float)
    levels[: len(leaves), : len(leaves)] = hierarchy.common_levels(leaves)
    np.fill_diagonal(levels, 0.0)
    ranks = np.abs(np.subtract.outer(np.arange(m), np.arange(m))) / max(m - 1, 1)
    for ground, apart in (
        (hierarchical_ground(hierarchy, leaves, missing), levels / hierarchy.height),
        (nominal_ground(m), 1.0 - np.eye(m)),
        (ordinal_ground(m), ranks),
    ):
        assert distance(counts, overall, ground) == pytest.approx(transported(p, overall, apart), abs=1e-9)


@pytest.mark.parametrize(
    ("present", "ordered", "wanted"), [((0, 1, 2), True, 0.375), ((0, 1, 2), False, 2 / 3), ((3, 5, 8), True, 1 / 6)]
)
def test_the_example_of_salaries(present, ordered, wanted) -> None:
    counts = [int(v in present) for v in range(9)]
    ground = ordinal_ground(9) if ordered else nominal_ground(9)
    assert distance(counts, np.full(9, 1 / 9), ground) == pytest.approx(wanted)


def test_a_value_outside_the_hierarchy_is_refused() -> None:
    with pytest.raises(HierarchyError, match="flu"):
        hierarchical_ground(Hierarchy(("cold",), (("*",),), "illness"), ("flu",))
