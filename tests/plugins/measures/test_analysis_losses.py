"""Losses of given analyses: partitions, clusterings, regressions, classifiers."""

import warnings
from importlib.util import find_spec
from itertools import combinations
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.clustering.fuzzy import MOST_PAIRS, fuzzy_rand
from evosdc.clustering.partitions import INDICES, agreement_of, loss_of, variation
from evosdc.errors import ParameterError, SchemaError
from evosdc.model import Microdata
from evosdc.plugins.registry import default_registry
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import Table
from evosdc.testing.measure import MeasureConformance
from evosdc.testing.tables import edited, sample_table
from evosdc_measures.analysis_loss.clustering import _ROUNDS, _settled, k_means
from tests.plugins.measures.cases import noisy, schema, table

CATEGORICAL = frozenset({Scale.NOMINAL, Scale.ORDINAL})


def measure(name, **params):
    return default_registry().build("measure", name, params)


NUMERIC = frozenset({Scale.NUMERIC})


def conforming(name, scales=None, **params):
    body = {"measure": lambda self: measure(name, **params), "scales": scales, "identity": 0.0}
    return type("TestMeasure", (MeasureConformance,), body | {"tables": ("ordinary", "one-record", "missing-values")})


FEW = {"clusters": 3, "starts": 2}
TestClusterAgreement = conforming("cluster-agreement", CATEGORICAL, **FEW)
TestClusterAgreementOfNumbers = conforming("cluster-agreement", NUMERIC, clusters=3, index="nmi")
TestClusterAgreementOfMixedFiles = conforming("cluster-agreement", index="mi", **FEW)
TestClusterAgreementFromTheOriginal = conforming("cluster-agreement", begin="original", **FEW)
TestClusterAgreementOfNumbersFromTheOriginal = conforming(
    "cluster-agreement", NUMERIC, begin="original", method="k-means", **FEW
)
TestFuzzyClusterAgreement = conforming("cluster-agreement", index="fuzzy-rand", begin="original", **FEW)
TestRegressionOverlap = conforming("regression-overlap")
TestClassifierAccuracy = pytest.mark.skipif(find_spec("sklearn") is None, reason="scikit-learn is an optional extra")(
    conforming("classifier-accuracy", folds=2)
)

FIRST, SECOND = np.array([0, 0, 0, 1, 1, 1, 2, 2]), np.array([0, 0, 1, 1, 1, 1, 2, 0])


def test_fixture_of_two_partitions():
    agreement = agreement_of(FIRST, SECOND)
    assert (agreement.n11, agreement.n10, agreement.n01, agreement.n00) == (4, 3, 5, 16)
    assert agreement.mutual == pytest.approx(0.562335, abs=1e-6)
    assert variation(agreement) == pytest.approx(0.931840, abs=1e-6)
    wanted = {
        "rand": 0.714286,
        "jaccard": 0.333333,
        "wallace": 0.571429,
        "wallace-reversed": 0.444444,
        "fowlkes-mallows": 0.503953,
        "adjusted-rand": 0.304348,
        "mi": 0.562335 / (-(0.75 * log(3 / 8) + 0.25 * log(1 / 4))),
        "nmi": 0.547637,
        "variation-of-information": 1 - 0.931840 / log(8),
    }
    assert {name: index(agreement) for name, index in INDICES.items()} == pytest.approx(wanted, abs=1e-6)
    assert loss_of("rand", agreement) == pytest.approx(28.571429, abs=1e-5)


@given(data=st.data(), n=st.integers(1, 12))
def test_partitions_against_all_pairs_of_records(data, n):
    a, b = (np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))) for _ in range(2))
    both = [(a[i] == a[j], b[i] == b[j]) for i, j in combinations(range(n), 2)]
    agreement = agreement_of(a, b)
    wanted = tuple(both.count(pair) for pair in ((True, True), (True, False), (False, True), (False, False)))
    assert (agreement.n11, agreement.n10, agreement.n01, agreement.n00) == wanted
    shares = [(np.mean((a == x) & (b == y)), np.mean(a == x), np.mean(b == y)) for x in set(a) for y in set(b)]
    mutual = sum(p * log(p / (q * r)) for p, q, r in shares if p > 0)
    assert agreement.mutual == pytest.approx(mutual, abs=1e-9)
    first = -sum(np.mean(a == x) * log(np.mean(a == x)) for x in set(a))
    second = -sum(np.mean(b == y) * log(np.mean(b == y)) for y in set(b))
    if first > 0 and second > 0:
        assert INDICES["nmi"](agreement) == pytest.approx(mutual / sqrt(first * second), abs=1e-9)
    for name in INDICES:
        assert 0.0 <= loss_of(name, agreement) <= 100.0
        assert loss_of(name, agreement_of(a, a)) == pytest.approx(0.0, abs=1e-9)
        renamed = np.array([3, 1, 0, 2])[a]
        assert loss_of(name, agreement_of(renamed, b)) == pytest.approx(loss_of(name, agreement), abs=1e-9)


def test_partitions_agree_with_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is an optional extra")
    rng = np.random.default_rng(1)
    for _ in range(50):
        a, b = rng.integers(0, 5, 40), rng.integers(0, 4, 40)
        agreement = agreement_of(a, b)
        assert INDICES["rand"](agreement) == pytest.approx(metrics.rand_score(a, b))
        assert INDICES["adjusted-rand"](agreement) == pytest.approx(metrics.adjusted_rand_score(a, b))
        assert INDICES["fowlkes-mallows"](agreement) == pytest.approx(metrics.fowlkes_mallows_score(a, b))
        nmi = metrics.normalized_mutual_info_score(a, b, average_method="geometric")
        assert INDICES["nmi"](agreement) == pytest.approx(nmi)


def test_k_means_recovers_separate_groups_in_any_order():
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(4), 30)
    points = np.array([[0, 0], [9, 0], [0, 9], [9, 9]])[groups] + rng.normal(size=(120, 2))
    labels = k_means(points, 4, np.random.default_rng(1))
    assert loss_of("rand", agreement_of(groups, labels)) == 0.0
    order = rng.permutation(120)
    assert np.array_equal(k_means(points[order], 4, np.random.default_rng(1)), labels[order])
    assert set(k_means(np.zeros((5, 2)), 3, np.random.default_rng(1)).tolist()) == {0}


@given(seed=st.integers(0, 10**6), n=st.integers(1, 60), clusters=st.integers(1, 6), spread=st.integers(1, 9))
def test_centres_are_those_of_all_iterations_at_once_to_the_last_bit(seed, n, clusters, spread):
    vq = pytest.importorskip("scipy.cluster.vq")
    rng = np.random.default_rng(seed)
    points = rng.integers(0, spread, (n, 2)) / 3.0
    first = points[rng.integers(0, n, clusters)]  # some of them the same, so that clusters run empty
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        wanted, _ = vq.kmeans2(points, first, iter=_ROUNDS, minit="matrix")
    assert np.array_equal(_settled(points, first), wanted)


def test_clusters_of_published_files_suffer_from_noise(published):
    for index in (*INDICES, "fuzzy-rand"):
        fitted = measure("cluster-agreement", index=index, starts=3).fit(published)
        scores = [fitted.score(noisy(published, share, np.random.default_rng(1))) for share in (0.0, 0.1, 1.0)]
        assert scores[0] == pytest.approx(0.0, abs=1e-9)
        assert scores[0] < scores[1] < scores[2] <= 100.0


def test_fuzzy_partitions_against_all_pairs_of_records():
    rng = np.random.default_rng(1)
    first, second = (rng.dirichlet(np.ones(c), size=15) for c in (3, 4))
    together = [[1.0 - abs(u[i] - u[j]).sum() / 2.0 for i, j in combinations(range(15), 2)] for u in (first, second)]
    wanted = 1.0 - np.abs(np.subtract(*together)).mean()
    assert fuzzy_rand(first, second) == pytest.approx(wanted)
    assert fuzzy_rand(first, first[:, [2, 0, 1]]) == pytest.approx(1.0), "names of clusters are of no account"
    assert fuzzy_rand(first[:1], second[:1]) == 1.0


@given(data=st.data(), n=st.integers(1, 12))
def test_of_crisp_partitions_the_fuzzy_index_is_that_of_rand(data, n):
    a, b = (np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))) for _ in range(2))
    assert fuzzy_rand(np.eye(4)[a], np.eye(4)[b]) == pytest.approx(INDICES["rand"](agreement_of(a, b)))


def test_of_many_records_the_fuzzy_index_is_that_of_a_sample():
    rng = np.random.default_rng(1)
    first, second = (rng.dirichlet(np.ones(3), size=MOST_PAIRS + 2000) for _ in range(2))
    found = fuzzy_rand(first, second)
    assert found == fuzzy_rand(first, second)
    assert found == pytest.approx(fuzzy_rand(first[:2000], second[:2000]), abs=0.02)


def test_begun_with_the_clusters_of_the_original_small_changes_are_small_losses(published):
    noise = [noisy(published, 0.01, np.random.default_rng(seed)) for seed in range(5)]
    seeds, original = (
        measure("cluster-agreement", begin=begin, starts=3).fit(published) for begin in ("seeds", "original")
    )
    assert np.mean([original.score(t) for t in noise]) < 10.0
    assert np.mean([original.score(t) for t in noise]) <= np.mean([seeds.score(t) for t in noise])


def test_fuzzy_clusters_by_k_means_are_refused():
    numeric = sample_table("ordinary", frozenset({Scale.NUMERIC}))
    with pytest.raises(ParameterError, match=r"fuzzy-rand.*c-median"):
        measure("cluster-agreement", index="fuzzy-rand").fit(numeric)
    assert measure("cluster-agreement", index="fuzzy-rand", method="c-median").fit(numeric).score(numeric) == 0.0


def test_a_clustering_of_the_other_scale_is_refused():
    with pytest.raises(ParameterError, match="k-means for a file without numeric"):
        measure("cluster-agreement", method="k-means").fit(sample_table("ordinary", CATEGORICAL))


def line(n=200, slope=2.0, noise=1.0, seed=1):
    rng = np.random.default_rng(seed)
    x, group = rng.normal(size=n), rng.integers(0, 3, n)
    y = 1.0 + slope * x + 3.0 * (group == 2) + noise * rng.normal(size=n)
    attributes = (
        Attribute("x", scale=Scale.NUMERIC),
        Attribute("g", scale=Scale.NOMINAL, categories=("a", "b", "c")),
        Attribute("y", scale=Scale.NUMERIC),
    )
    return Table(Schema(attributes), group[:, None].astype(np.int32), np.column_stack([x, y]))


def test_intervals_are_those_of_least_squares():
    from scipy.stats import t as student

    original = line()
    fitted = measure("regression-overlap").fit(original)
    design = np.column_stack([np.ones(200), original.numbers[:, 0], *(original.codes[:, 0] == c for c in (1, 2))])
    y = original.numbers[:, 1]
    coefficients, rest, _, _ = np.linalg.lstsq(design, y, rcond=None)
    half = student.ppf(0.975, 196) * np.sqrt(np.diag(np.linalg.inv(design.T @ design)) * rest[0] / 196)
    estimated = fitted.intervals.estimated
    assert estimated.tolist() == [True, True, True, True, False]
    assert fitted.intervals.low[estimated] == pytest.approx(coefficients - half)
    assert fitted.intervals.high[estimated] == pytest.approx(coefficients + half)


def test_overlap_of_intervals_by_hand():
    from evosdc_measures.analysis_loss.models import Intervals

    first, second = Intervals.__new__(Intervals), Intervals.__new__(Intervals)
    first.low, first.high, first.estimated = np.array([0.0, 0, 0]), np.array([2.0, 2, 2]), np.array([True] * 3)
    second.low, second.high, second.estimated = (
        np.array([1.0, 3, 0]),
        np.array([5.0, 4, 2]),
        np.array([True, True, False]),
    )
    assert first.overlap(second).tolist() == [(1 / 2 + 1 / 4) / 2, 0.0, 0.0]


def test_regressions_of_changed_numbers():
    original = line()
    fitted = measure("regression-overlap").fit(original)
    slight = Table(original.schema, original.codes, original.numbers + np.array([0.02, 0.0]))
    turned = Table(original.schema, original.codes, original.numbers * [1.0, -1.0])
    assert fitted.score(original) == 0.0
    assert 0.0 < fitted.score(slight) < 20.0 < fitted.score(turned)
    constant = Table(original.schema, original.codes * 0, original.numbers * [0.0, 1.0])
    assert 50.0 < fitted.score(constant) <= 100.0
    missing = Table(original.schema, np.full_like(original.codes, -1), original.numbers * np.nan)
    assert fitted.score(missing) == 100.0


def test_attributes_outside_the_protected_ones_can_be_explained():
    whole = line()
    microdata = Microdata(whole, ("x", "g"))
    built = measure("regression-overlap", response="y")
    assert built.auxiliary_names() == ("y",)
    masked = Table(microdata.original.schema, microdata.original.codes, microdata.original.numbers * -1.0)
    assert built.fit_in(microdata).score(microdata.original) == 0.0
    assert built.fit_in(microdata).score(masked) > 20.0
    with pytest.raises(SchemaError, match="'z'"):
        measure("regression-overlap", response="z").fit_in(microdata)
    with pytest.raises(ParameterError, match="numeric"):
        measure("regression-overlap", response="g").fit_in(microdata)
    with pytest.raises(ParameterError, match="explain itself"):
        measure("regression-overlap", response="y", predictors=("y", "x")).fit_in(microdata)


def test_a_regression_needs_more_records_than_coefficients():
    with pytest.raises(ParameterError, match="too few records"):
        measure("regression-overlap").fit(line().take(np.arange(3)))


def test_classifiers_learn_less_from_noise():
    pytest.importorskip("sklearn", reason="scikit-learn is an optional extra")
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 4, (240, 3))
    codes[:, 2] = (codes[:, 0] + codes[:, 1]) // 2
    original = table(schema((4, 4, 4), ("nominal", "ordinal", "nominal")), codes)
    for classifier in ("decision-tree", "logistic-regression", "nearest-neighbours"):
        fitted = measure("classifier-accuracy", classifier=classifier).fit(original)
        scores = [fitted.score(noisy(original, share, np.random.default_rng(2))) for share in (0.0, 0.4, 1.0)]
        assert scores[0] == 0.0
        assert scores[0] <= scores[1] < scores[2]
        order = rng.permutation(240)
        again = measure("classifier-accuracy", classifier=classifier).fit(original.take(order))
        masked = noisy(original, 0.4, np.random.default_rng(2))
        assert again.score(masked.take(order)) == pytest.approx(scores[1])
    assert fitted.accuracy > 0.9


def test_classes_outside_the_protected_attributes_are_predicted(german):
    pytest.importorskip("sklearn", reason="scikit-learn is an optional extra")
    microdata = Microdata(german, ("existacc", "savings"))
    fitted = measure("classifier-accuracy", target="presemploy").fit_in(microdata)
    assert fitted.score(microdata.original) == 0.0
    assert 0.0 <= fitted.score(edited(microdata.original, np.random.default_rng(1), 1.0)[0]) <= 100.0
    with pytest.raises(SchemaError, match="'salary'"):
        measure("classifier-accuracy", target="salary").fit_in(microdata)
