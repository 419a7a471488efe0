"""Moments of children from sums of two doubles are those of exact sums, to the last bit, wherever they are certain."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc_measures.numeric_loss.exact_moments import moments_from
from evosdc_measures.numeric_loss.exact_sums import sums_after, sums_of
from evosdc_measures.numeric_loss.quick_moments import moments_of_children, quick_sums_of

PARTS = ("counts", "means", "covariances", "varying")


def judged(numbers, children):
    """Return which children are certain, their moments, and those of exact sums; children are rows with new records."""
    sums, every = sums_of(numbers), np.arange(numbers.shape[1])
    moments = moments_from(sums, every)
    rows = np.concatenate([own for own, _ in children])
    after = np.concatenate([records for _, records in children])
    before, ends = numbers[rows], np.cumsum([len(own) for own, _ in children])
    differs = np.zeros((len(children), len(every)), bool)
    for child, (own, records) in enumerate(children):
        differs[child] = ~((numbers[own] == records) | (np.isnan(numbers[own]) & np.isnan(records))).all(axis=0)
    found = tuple(np.repeat(getattr(moments, part)[None], len(children), 0) for part in PARTS)
    certain = moments_of_children(quick_sums_of(sums, every), before, after, ends, differs, *found)
    wanted = []
    for child, (own, records) in enumerate(children):
        changed = numbers.copy()
        changed[own] = records
        wanted.append(moments_from(sums_after(sums, numbers, changed, own), np.flatnonzero(differs[child]), moments))
    return certain, found, wanted


def assert_same(certain, found, wanted):
    for child in np.flatnonzero(certain):
        for part, values in zip(PARTS, found, strict=True):
            assert values[child].tolist() == getattr(wanted[child], part).tolist()


@pytest.mark.parametrize("decimals", [0, 3, 15])
def test_usual_numbers_are_certain(decimals):
    rng = np.random.default_rng(decimals)
    numbers = np.round(np.exp(rng.normal(size=(300, 4)) + rng.normal(size=(300, 1))), decimals)
    numbers[::9, 1] = np.nan
    children = []
    for size in [1] * 40 + [3, 20, 200]:
        rows = np.sort(rng.choice(300, size, replace=False))
        records = numbers[rows].copy()
        records[:, rng.integers(4)] = numbers[rng.integers(300, size=size), rng.integers(4)]
        records[:, 2] += rng.integers(0, 2, size) / 8
        children.append((rows, records))
    certain, found, wanted = judged(numbers, children)
    assert certain.mean() > 0.9
    assert_same(certain, found, wanted)


VALUES = st.sampled_from(
    [np.nan, 0.0, -0.0, 0.1, 2.5, 1e-3, -7.0, 5e-324, 1e150, -1e-150, 1e-70, 1e59, 1e300, 2.0**-60, 3.0, 3.0]
) | st.floats(-1e6, 1e6)


@given(st.data())
def test_what_is_certain_is_right(data):
    n, p = data.draw(st.integers(1, 8)), data.draw(st.integers(1, 3))
    few = data.draw(st.sampled_from([VALUES, st.sampled_from([np.nan, 0.1, 0.1, 2.5])]))

    def records(count):
        return np.array(data.draw(st.lists(st.lists(few, min_size=p, max_size=p), min_size=count, max_size=count)))

    numbers, children = records(n), []
    for _ in range(data.draw(st.integers(1, 3))):
        rows = data.draw(st.lists(st.integers(0, n - 1), unique=True, min_size=1))
        children.append((np.array(sorted(rows)), records(len(rows))))
    assert_same(*judged(numbers, children))


def test_equal_values_and_extremes_are_left_to_exact_sums():
    equal = np.full((5, 1), 0.1)
    equal[0] = 0.2
    certain, _, wanted = judged(equal, [(np.array([0]), np.array([[0.1]])), (np.array([1]), np.array([[1e200]]))])
    assert certain.tolist() == [False, False]
    assert not wanted[0].varying[0]
