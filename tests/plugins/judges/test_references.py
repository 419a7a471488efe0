"""Judges beside slow and obvious versions of themselves."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc_judges.classes import by_appearance, classes_of, joint_counts, keys_of, reading, surprise
from evosdc_judges.linkage import learned_weights
from evosdc_judges.nearest import costs_of, guessed, linked, met, parted, sorted_records
from evosdc_judges.people import drawn, halves, subsets
from tests.plugins.judges.cases import fitted, noisy, people


@st.composite
def searches(draw):
    """Draw asked and searched records, and whole costs, so that ties abound."""
    width = draw(st.integers(1, 4))
    sizes = draw(st.lists(st.integers(1, 4), min_size=width, max_size=width))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    matrices = [rng.integers(0, 3, (size, size)).astype(float) for size in sizes]
    n = draw(st.integers(1, 40))
    asked, searched = (np.column_stack([rng.integers(0, size, n) for size in sizes]).astype(np.int32) for _ in range(2))
    return matrices, asked, searched


def cost(matrices, asked, record, attributes=None):
    chosen = range(len(matrices)) if attributes is None else attributes
    return sum(matrices[v][asked[v], record[v]] for v in chosen)


def nearest_of(matrices, asked, records, attributes=None):
    found = [cost(matrices, asked, record, attributes) for record in records]
    return [position for position, value in enumerate(found) if value == min(found)]


@given(searches())
def test_links_are_those_of_a_double_loop(given_search):
    matrices, asked, searched = given_search
    pool = sorted_records(searched)
    wanted = []
    for position, record in enumerate(asked):
        near = nearest_of(matrices, record, searched)
        wanted.append(1 / len(near) if position in near else 0.0)
    assert linked(asked, pool.of_record, pool, costs_of(matrices)).tolist() == pytest.approx(wanted)


@given(searches(), st.integers(0, 1000))
def test_guesses_are_those_of_a_double_loop(given_search, seed):
    matrices, asked, searched = given_search
    truth, answers = np.random.default_rng(seed).integers(0, 2, (2, len(asked))).astype(np.int32)
    wanted = [
        np.mean([answers[near] == truth[position] for near in nearest_of(matrices, record, searched)])
        for position, record in enumerate(asked)
    ]
    pool = sorted_records(np.column_stack([searched, answers]))
    assert guessed(asked, truth, pool, costs_of(matrices)).tolist() == pytest.approx(wanted)


@given(searches(), st.integers(0, 7))
def test_meetings_are_those_of_a_double_loop(given_search, mask):
    matrices, asked, searched = given_search
    first = np.array([bool(mask >> v & 1) for v in range(len(matrices))])
    one, two = np.flatnonzero(first), np.flatnonzero(~first)
    wanted = []
    for record in asked:
        left, right = nearest_of(matrices, record, searched, one), nearest_of(matrices, record, searched, two)
        wanted.append(len(set(left) & set(right)) / (len(left) * len(right)))
    assert met(asked, parted(searched, first), costs_of(matrices)).tolist() == pytest.approx(wanted)


@given(st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=3, max_size=3))
def test_the_reading_agrees_with_most_pairs_of_all_relabellings(rows):
    joint = np.array(rows)
    read = reading(joint)
    agreed = sum(joint[a, b] for b, a in enumerate(read) if a < 3)
    assert agreed == max(sum(joint[a, b] for b, a in enumerate(order)) for order in permutations(range(3)))


@given(st.integers(1, 40), st.integers(1, 4), st.integers(0, 1000))
def test_keys_are_equal_for_equal_records_alone(n, width, seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (n, width)).astype(np.int32)
    # Sizes so great that keys would not fit without being numbered anew.
    keys = keys_of(codes, [1 << 30] * width)
    for i, j in combinations(range(n), 2):
        assert (keys[i] == keys[j]) == (codes[i] == codes[j]).all()


def test_partial_linkage_is_that_of_plain_loops():
    original = people(60, sizes=(4, 3, 3), scales=("ordinal", "nominal", "ordinal"))
    masked = noisy(original, 0.4)
    x, y = original.codes, by_appearance(masked.codes)
    classes = classes_of(original, 32)
    whose = [None] * 60  # by record the costs that the other half of the people shows
    sides = halves(60, 1)
    for taught, others in (sides, sides[::-1]):
        joints = [joint_counts(x[taught, v], y[taught, v], int(size)) for v, size in enumerate(classes.sizes)]
        for i in others:
            whose[i] = [surprise(joint).T for joint in joints]
    shares = []
    for size in (1, 2, 3):
        for names in combinations(range(3), size):
            both = []
            for published, matrices in ((masked.codes, [classes.distances] * 60), (y, whose)):
                credit = 0.0
                for i in range(60):
                    scaled = [np.rint(matrix * 2**32).astype(np.int64) for matrix in matrices[i]]
                    near = nearest_of(scaled, published[i], x, names)
                    credit += (i in near) / len(near)
                both.append(credit / 60)
            shares.append(max(both))
    estimate = fitted("partial-linkage", original).estimate(masked)
    assert estimate.value == pytest.approx(100 * np.mean(shares))
    assert estimate.low == estimate.high == estimate.value


def test_learned_weights_are_the_best_there_are():
    rng = np.random.default_rng(1)
    features = rng.normal(0.5, 1.0, (80, 15, 4))
    features[:, :, 3] = -1.0
    features[rng.random((80, 15)) < 0.1] = np.nan

    def loss(weights):
        total = 0.0
        for pair in features:
            rivals = pair[~np.isnan(pair[:, 0])]
            total += np.log1p(3.0 * np.exp(-rivals @ weights).sum())
        pull = weights - np.array([0.0, 0.0, 1.0, 1.0])
        return total / len(features) + 0.01 * float(pull @ pull)

    found = learned_weights(features, 3.0)
    assert found[3] == 0.0
    assert (found >= 0.0).all()
    for _ in range(200):
        other = np.maximum(found + rng.normal(0.0, 0.1, 4), 0.0)
        assert loss(other) >= loss(found) - 1e-6


def test_weights_are_learned_in_one_thread(monkeypatch):
    control = pytest.importorskip("threadpoolctl")
    optimize = pytest.importorskip("scipy.optimize")
    minimize, threads = optimize.minimize, []

    def watched(*arguments, **named):
        threads.extend(one["num_threads"] for one in control.threadpool_info() if one["user_api"] == "blas")
        return minimize(*arguments, **named)

    monkeypatch.setattr(optimize, "minimize", watched)
    with control.threadpool_limits(limits=2):
        learned_weights(np.random.default_rng(2).normal(size=(20, 5, 4)), 3.0)
    assert threads
    assert set(threads) == {1}


def test_singling_out_is_that_of_plain_loops():
    original = people(80, sizes=(5, 4, 4), scales=("ordinal", "nominal", "ordinal"))
    masked = noisy(original, 0.2)
    first, second = halves(80, 1)
    x, y = original.codes, by_appearance(masked.codes)
    read = []
    for v, size in enumerate(classes_of(original, 20).sizes):
        read.append(reading(joint_counts(x[second, v], y[second, v], int(size)))[y[first, v]])
    legible = np.array([len(a.categories) + 1 for a in original.schema.attributes])
    read = np.column_stack(read)
    inside = outside = guesses = 0
    for names in subsets(3, 31, drawn(1, 4)):
        chosen = list(names)
        records = [tuple(record) for record in read[:, chosen] if (record < legible[chosen]).all()]
        for record in records:
            if records.count(record) == 1:
                guesses += 1
                inside += [tuple(r) for r in x[first][:, chosen]].count(record) == 1
                outside += [tuple(r) for r in x[second][:, chosen]].count(record) == 1
    a, c = inside / guesses, outside / guesses
    estimate = fitted("singling-out", original, repeats=1).estimate(masked)
    assert estimate.value == pytest.approx(100 * (a - c) / (1 - c))


def test_halves_are_halves():
    first, second = halves(101, 3, 2)
    assert len(first) == 50
    assert sorted([*first, *second]) == list(range(101))
    assert not np.array_equal(first, halves(101, 3, 1)[0])


def test_subsets_are_all_or_some():
    assert len(subsets(3, 31, drawn(1, 4))) == 7
    some = subsets(12, 40, drawn(1, 4))
    assert len(set(some)) == 40
    assert all(names and set(names) <= set(range(12)) for names in some)
    assert len(subsets(70, 5, drawn(1, 4))) == 5
