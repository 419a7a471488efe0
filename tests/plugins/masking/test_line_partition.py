from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc_masking.microaggregation.univariate import equal_runs, least_deviations, least_squares
from tests.plugins.masking.clustering_references import compositions, partitions, squares

whole = st.lists(st.integers(-20, 20), min_size=1, max_size=8)


def groups_of(labels: np.ndarray) -> list[list[int]]:
    return [np.flatnonzero(labels == label).tolist() for label in range(labels.max() + 1)]


def check_runs(labels: np.ndarray, k: int) -> None:
    assert (np.diff(labels) >= 0).all()
    assert set(np.diff(labels)) <= {0, 1}
    sizes = np.bincount(labels)
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1


@given(whole, st.data())
def test_sum_of_squares_is_the_least_of_all_partitions(values: list[int], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(values)))
    values.sort()
    labels = least_squares(np.array(values, dtype=float)[:, None], k)
    check_runs(labels, k)
    found = sum(squares([[values[i]] for i in group]) for group in groups_of(labels))
    least = min(
        sum(squares([[values[i]] for i in group]) for group in partition)
        for partition in partitions(list(range(len(values))), k)
    )
    assert found == pytest.approx(least, abs=1e-9)


@given(whole, st.data())
def test_sum_of_deviations_is_the_least_of_all_partitions(values: list[int], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(values)))
    values.sort()

    def deviations(partition: list[list[int]]) -> int:
        total = 0
        for group in partition:
            median = statistics.median_low([values[i] for i in group])
            total += sum(abs(values[i] - median) for i in group)
        return total

    labels = least_deviations(np.array(values), k)
    check_runs(labels, k)
    assert deviations(groups_of(labels)) == min(map(deviations, partitions(list(range(len(values))), k)))


@given(st.lists(st.tuples(*[st.integers(-9, 9)] * 2), min_size=1, max_size=12), st.data())
def test_several_attributes_have_the_best_partition_in_runs(points: list[tuple[int, int]], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(points)))
    labels = least_squares(np.array(points, dtype=float), k)
    check_runs(labels, k)
    found = sum(squares([points[i] for i in group]) for group in groups_of(labels))
    least = min(sum(squares([points[i] for i in run]) for run in runs) for runs in compositions(len(points), k))
    assert found == pytest.approx(least, abs=1e-9)


@pytest.mark.parametrize(
    ("k", "runs", "sse"),
    [(2, [3, 2, 2, 2], 3.5), (3, [3, 3, 3], 208.6666666667), (1, [1] * 9, 0.0), (9, [9], 990.2222222222)],
)
def test_the_known_example(k: int, runs: list[int], sse: float) -> None:
    values = np.array([1.0, 2, 3, 10, 11, 12, 13, 30, 31])
    labels = least_squares(values[:, None], k)
    assert np.bincount(labels).tolist() == runs
    assert sum(squares(values[group][:, None].tolist()) for group in groups_of(labels)) == pytest.approx(sse)


def test_a_great_offset_does_not_blur_the_partition() -> None:
    values = np.sort(np.random.default_rng(1).integers(0, 10**6, 500)).astype(float)
    np.testing.assert_array_equal(least_squares((values + 2**52)[:, None], 3), least_squares(values[:, None], 3))


@pytest.mark.parametrize(("n", "k", "runs"), [(9, 3, [3, 3, 3]), (11, 3, [3, 3, 5]), (4, 4, [4]), (3, 1, [1, 1, 1])])
def test_equal_runs_give_what_is_over_to_the_last(n: int, k: int, runs: list[int]) -> None:
    assert np.bincount(equal_runs(n, k)).tolist() == runs
