"""Fuzzy c-median clustering: what always holds, and a slow reference."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evosdc.clustering.c_median import c_median
from evosdc.clustering.fuzzy import fuzzy_c_median
from evosdc.table.schema import MissingRule
from tests.clustering.test_c_median import files, groups_of, slow_distance

FUZZINESS = st.sampled_from([1.05, 1.3, 2.0, 4.0, 10.0])


def fuzzy_of(t, clusters, fuzziness, seed=1):
    begin = c_median(t, clusters, np.random.default_rng(seed), starts=2)
    return begin, fuzzy_c_median(t, begin.representatives, fuzziness)


def distances_of(t, centres):
    records = [centres.take(np.array([c])) for c in range(len(centres))]
    return np.array([[slow_distance(t, row, centre) for centre in records] for row in range(len(t))])


@given(files(most=30), st.integers(1, 4), FUZZINESS, st.integers(0, 99))
def test_memberships_of_a_record_sum_to_one(t, clusters, fuzziness, seed):
    _, found = fuzzy_of(t, clusters, fuzziness, seed)
    assert ((found.memberships >= 0.0) & (found.memberships <= 1.0)).all()
    assert found.memberships.sum(axis=1) == pytest.approx(np.ones(len(t)))
    assert 1.0 / found.memberships.shape[1] - 1e-9 <= found.partition_coefficient <= 1.0 + 1e-9


@given(files(most=30), st.integers(1, 4), FUZZINESS, st.integers(0, 99))
def test_no_round_increases_the_objective(t, clusters, fuzziness, seed):
    assume(t.schema.na is not MissingRule.WILDCARD)  # what is at distance 0 from everything represents nothing
    _, found = fuzzy_of(t, clusters, fuzziness, seed)
    assert all(after <= before + 1e-9 for before, after in pairwise(found.objectives))


@given(files(most=20), st.integers(1, 4), FUZZINESS)
def test_memberships_and_objective_are_those_of_the_definition(t, clusters, fuzziness):
    _, found = fuzzy_of(t, clusters, fuzziness)
    distances = distances_of(t, found.representatives)
    for row, own in enumerate(distances):
        if own.min() <= 1e-12:
            wanted = (own <= 1e-12) / (own <= 1e-12).sum()
        else:
            wanted = np.array([1.0 / sum((d / other) ** (1.0 / (fuzziness - 1.0)) for other in own) for d in own])
        assert found.memberships[row] == pytest.approx(wanted, abs=1e-6)
    assert found.objectives[-1] == pytest.approx((found.memberships**fuzziness * distances).sum(), abs=1e-9)


@given(files(most=20), st.integers(1, 3), FUZZINESS, st.data())
def test_no_other_representative_is_nearer_by_degrees(t, clusters, fuzziness, data):
    assume(t.schema.na is not MissingRule.WILDCARD)
    _, found = fuzzy_of(t, clusters, fuzziness)
    weights = found.memberships**fuzziness
    least = (weights * distances_of(t, found.representatives)).sum(axis=0)
    row = data.draw(st.integers(0, len(t) - 1))
    other = distances_of(t, t.take(np.array([row])))[:, 0]
    assert (least <= (weights * other[:, None]).sum(axis=0) + 1e-9).all()


def test_near_one_it_is_the_crisp_clustering():
    t, groups = groups_of(120)
    begin, found = fuzzy_of(t, 3, 1.02)
    assert np.array_equal(found.memberships.argmax(axis=1), begin.labels)
    assert found.memberships.max(axis=1).min() > 0.999
    assert len({tuple(pair) for pair in np.column_stack([groups, begin.labels]).tolist()}) == 3
    assert found.objectives[-1] == pytest.approx(begin.total, rel=1e-3)
    coefficients = [fuzzy_of(t, 3, m)[1].partition_coefficient for m in (1.02, 1.5, 2.0, 4.0)]
    assert coefficients == sorted(coefficients, reverse=True)


def test_the_order_of_records_is_of_no_account():
    t, _ = groups_of(60)
    begin, found = fuzzy_of(t, 3, 2.0)
    order = np.random.default_rng(2).permutation(60)
    other = fuzzy_c_median(t.take(order), begin.representatives, 2.0)
    assert np.array_equal(other.memberships, found.memberships[order])


@pytest.mark.parametrize("fuzziness", [1.0, 0.5, 10.5, float("nan"), float("inf")])
def test_a_fuzziness_outside_its_range_is_refused(fuzziness):
    t, _ = groups_of(30)
    with pytest.raises(ValueError, match="fuzziness"):
        fuzzy_c_median(t, t.take(np.array([0, 1])), fuzziness)
