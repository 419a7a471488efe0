"""Sums are exact, follow any chain of changes, and moments are their correctly rounded quotients."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evosdc_measures.numeric_loss import exact_sums
from evosdc_measures.numeric_loss.exact_moments import moments_from, moments_of
from evosdc_measures.numeric_loss.exact_sums import CHUNK, sums_after, sums_of

VALUES = st.sampled_from(
    [np.nan, 0.0, -0.0, 1.5, 0.1, 1e-3, 1234.567, -7.0, 5e-324, 1e150, -1e-150, 2.0**-60, 3.0, 3.0]
) | st.floats(-1e6, 1e6)
FEW = st.sampled_from([np.nan, 0.0, 0.1, 2.5, 2.5, -3.0])


@st.composite
def files(draw, values=VALUES, most=12):
    n, p = draw(st.integers(1, most)), draw(st.integers(1, 4))
    return np.array(draw(st.lists(st.lists(values, min_size=p, max_size=p), min_size=n, max_size=n)))


def both_known(numbers, j, k):
    rows = ~np.isnan(numbers[:, [j, k]]).any(axis=1)
    return [(Fraction(x), Fraction(y)) for x, y in numbers[rows][:, [j, k]].tolist()]


def assert_exact(sums, numbers):
    p = numbers.shape[1]
    for j in range(p):
        for k in range(p):
            pairs, place = both_known(numbers, j, k), j * p + k
            assert sums.counts[place] == len(pairs)
            assert Fraction(sums.firsts[place]) / Fraction(2) ** sums.shifts[j] == sum(x for x, _ in pairs)
            unit = Fraction(2) ** (sums.shifts[j] + sums.shifts[k])
            assert Fraction(sums.products[place]) / unit == sum(x * y for x, y in pairs)


def rounded(fraction):
    try:
        return fraction.numerator / fraction.denominator
    except OverflowError:
        return np.inf if fraction > 0 else -np.inf


@given(files())
def test_sums_are_exact(numbers):
    assert_exact(sums_of(numbers), numbers)


@given(files(), st.data())
def test_sums_follow_chains_of_changes_and_leave_relatives_alone(numbers, data):
    sums = sums_of(numbers)
    moments = moments_from(sums, np.arange(numbers.shape[1]))
    for _ in range(data.draw(st.integers(1, 6))):
        rows = data.draw(st.lists(st.integers(0, len(numbers) - 1), unique=True, min_size=1, max_size=3))
        after, columns = numbers.copy(), set()
        for row in rows:
            for j in data.draw(st.lists(st.integers(0, numbers.shape[1] - 1), unique=True)):
                after[row, j] = data.draw(VALUES)
                columns.add(j)
        latest = sums_after(sums, numbers, after, np.array(rows, dtype=np.intp))
        assert_exact(latest, after)
        assert_exact(sums, numbers)
        sums, numbers = latest, after
        moments = moments_from(sums, np.array(sorted(columns), dtype=np.intp), moments)
        fresh = moments_of(numbers)
        for own, wanted in zip(vars(moments).values(), vars(fresh).values(), strict=False):
            np.testing.assert_array_equal(own, wanted)


@given(files(FEW), st.randoms())
def test_moments_are_rounded_once_and_depend_on_no_order(numbers, random):
    moments, order = moments_of(numbers), list(range(len(numbers)))
    random.shuffle(order)
    again = moments_of(numbers[order])
    for j in range(numbers.shape[1]):
        own = [x for x, _ in both_known(numbers, j, j)]
        assert moments.means[j] == (rounded(sum(own) / len(own)) if own else 0.0)
        assert moments.varying[j] == (len(set(own)) > 1)
        for k in range(numbers.shape[1]):
            pairs = both_known(numbers, j, k)
            n, wanted = len(pairs), Fraction(0)
            if n and moments.varying[j] and moments.varying[k]:
                a, b = sum(x for x, _ in pairs), sum(y for _, y in pairs)
                wanted = sum(x * y for x, y in pairs) / n - a * b / n**2
            assert moments.covariances[j, k] == rounded(wanted) == again.covariances[j, k]


def test_numbers_of_very_different_size_are_taken_one_by_one(monkeypatch):
    numbers = np.array([[1e300, 1.0], [1e-300, 2.5], [-3.0, np.nan], [5e-324, 0.1]])
    assert_exact(sums_of(numbers), numbers)
    plain = np.random.default_rng(0).lognormal(size=(40, 3))
    wanted = moments_of(plain)
    monkeypatch.setattr(exact_sums, "MOST_PARTS", 0)
    np.testing.assert_array_equal(moments_of(plain).covariances, wanted.covariances)


def test_long_files_are_summed_in_parts():
    rng = np.random.default_rng(1)
    numbers = np.round(rng.lognormal(size=(2 * CHUNK + 5, 2)), 3)
    numbers[::17, 1] = np.nan
    assert_exact(sums_of(numbers), numbers)
    np.testing.assert_allclose(moments_of(numbers).variances, np.nanvar(numbers, axis=0), rtol=1e-12)
