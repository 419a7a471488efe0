"""Cluster analysis of a file: clusters by size, the curve and its knee, clusterings by several seeds."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.clustering.c_median import c_median
from evosdc.clustering.clusters import FEWEST, Elbow, account_of, clusters_of, knee, texts_of
from evosdc.clustering.partitions import INDICES, Stability, agreement_of, loss_of
from evosdc.errors import ParameterError
from evosdc.secret import Purpose, stream
from evosdc.table.schema import Schema
from evosdc.table.table import Table
from tests.clustering.test_c_median import files, groups_of, slow_distance
from tests.plugins.masking.tables import numeric
from tests.plugins.measures.cases import schema, table


@given(files(most=25), st.integers(1, 6), st.integers(1, 5), st.sampled_from([None, 1.5]))
def test_what_holds_of_all_clusters(t, clusters, up_to, fuzziness):
    found = clusters_of(t, clusters, up_to=up_to, fuzziness=fuzziness, starts=2, seed=1, seeds=2)
    sizes = found.sizes.tolist()
    assert sizes == sorted(sizes, reverse=True)
    assert min(sizes) > 0
    assert sum(sizes) == len(t)
    assert found.distance == pytest.approx(sum(found.within * found.sizes) / len(t))
    for cluster, medoid in enumerate(found.medoids.tolist()):
        own = np.flatnonzero(found.labels == cluster)
        centre = found.representatives.take(np.array([cluster]))
        distances = [slow_distance(t, row, centre) for row in own]
        assert medoid in own
        assert slow_distance(t, medoid, centre) == pytest.approx(min(distances))
        assert found.distances[own] == pytest.approx(distances)
    if found.elbow is not None:
        assert found.elbow.clusters == tuple(range(1, len(found.elbow.clusters) + 1))
        assert list(found.elbow.distances) == sorted(found.elbow.distances, reverse=True)
        assert len(found.elbow.clusters) <= up_to
    assert json.loads(json.dumps(account_of(found), allow_nan=False))["records"] == len(t)


def test_the_clustering_is_that_of_its_seed_whatever_else_is_asked():
    t, _ = groups_of(60)
    one = clusters_of(t, 4, seed=7, seeds=3)
    other = clusters_of(t, 4, seed=7, up_to=1, seeds=1, fuzziness=2.0)
    assert np.array_equal(one.labels, other.labels)
    assert other.elbow is None
    assert other.stability is None
    crisp = c_median(t, 4, stream(7, Purpose.EVALUATE))
    assert loss_of("rand", agreement_of(one.labels, crisp.labels)) == 0.0
    assert one.stability.seeds == (7, 8, 9)


@pytest.mark.parametrize("clusters", [2, 3, 5, 9])
def test_three_groups_are_suggested(clusters):
    t, _ = groups_of(120)
    found = clusters_of(t, clusters, up_to=8, seed=1)
    assert found.elbow.suggested == 3
    assert found.elbow.shares[0] == 1.0
    if clusters <= 8:
        assert found.elbow.distances[clusters - 1] <= found.distance + 1e-12


def test_the_knee_is_farthest_below_the_chord():
    assert knee((1, 2, 3, 4, 5), (10.0, 4.0, 2.0, 1.0, 0.0)) == 2
    assert knee((1, 2, 3, 4, 5), (10.0, 8.0, 1.0, 0.5, 0.0)) == 3
    assert knee((1, 2, 3), (3.0, 2.0, 1.0)) is None, "a straight line has no knee"
    assert knee((1, 2, 3), (1.0, 1.0, 0.0)) is None, "it lies above"
    assert knee((1, 2, 3), (2.0, 2.0, 2.0)) is None
    assert knee((1, 2), (2.0, 1.0)) is None
    assert Elbow.of([4.0, 2.0, 2.5, 1.0]).distances == (4.0, 2.0, 2.0, 1.0)
    assert Elbow.of([0.0, 0.0, 0.0]).shares == (1.0, 1.0, 1.0)


@given(st.lists(st.floats(0.0, 100.0), min_size=3, max_size=12), st.floats(0.1, 50.0))
def test_the_unit_of_distances_does_not_move_the_knee(distances, factor):
    curve = Elbow.of(sorted(distances, reverse=True))
    x, y = np.array(curve.clusters, dtype=float), np.array(curve.distances)
    if y[0] - y[-1] < 1e-6:
        return
    below = 1 - (x - 1) / (x[-1] - 1) - (y - y[-1]) / (y[0] - y[-1])
    for found in (curve.suggested, knee(curve.clusters, [d * factor for d in curve.distances])):
        if found is None:
            assert below.max() < 1e-8
        else:
            assert below[found - 1] == pytest.approx(below.max(), abs=1e-6)


def test_equal_clusterings_lose_nothing_and_others_as_their_pairs_do():
    a, b = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 0, 0, 1, 1, 1])
    same = Stability.of((1, 2), [a, (a + 1) % 3])
    assert same.losses == pytest.approx(dict.fromkeys(INDICES, 0.0), abs=1e-9)
    found = Stability.of((1, 2, 3), [a, b, a])
    for index in INDICES:
        there, back = loss_of(index, agreement_of(a, b)), loss_of(index, agreement_of(b, a))
        assert found.losses[index] == pytest.approx((there + back) / 3)
        assert found.greatest[index] == pytest.approx(max(there, back))


def test_separate_groups_are_stable_and_records_alike_in_all_ways_are_not():
    t, _ = groups_of(120)
    assert max(clusters_of(t, 3, seed=1).stability.losses.values()) == pytest.approx(0.0, abs=1e-9)
    every = np.array(np.meshgrid(*[range(4)] * 3)).reshape(3, -1).T
    uniform = table(schema((4, 4, 4), ("nominal",) * 3), every)
    assert clusters_of(uniform, 5, starts=1, seed=1).stability.losses["adjusted-rand"] > 10.0


def test_what_was_not_found_is_told():
    t = table(schema((3, 3), ("nominal", "nominal")), [[0, 1], [0, 1], [2, 2]])
    found = clusters_of(t, 8, seed=1)
    assert found.warnings == ("8 clusters were requested; there are 2, as no more records differ.",)
    assert found.elbow.clusters == (1, 2)
    assert found.labels.tolist() == [0, 0, 1]
    one = clusters_of(t.take(np.array([0])), 1, seed=1, fuzziness=2.0)
    assert one.elbow is None
    assert one.fuzzy.memberships.tolist() == [[1.0]]
    found = clusters_of(t, 2, fuzziness=2.0, seed=1)
    alike = replace(found.fuzzy, representatives=found.representatives.take(np.array([0, 0])))
    assert "Of 2 fuzzy clusters 1 have the representative of another" in replace(found, fuzzy=alike).warnings[0]


def test_representatives_of_few_records_are_not_told():
    codes = [[0, 0]] * FEWEST + [[9, 2]] * (FEWEST - 1)
    found = clusters_of(table(schema((10, 3), ("ordinal", "nominal")), codes), 2, seed=1)
    account = account_of(found)
    large, small = account["clusters"]
    assert list(large["representative"].values()) == list(texts_of(found.representatives)[0].values())
    assert small["representative"] is None
    assert small["records"] == FEWEST - 1
    assert len(texts_of(found.representatives)) == 2


def test_progress_is_reported_from_none_to_all():
    t, _ = groups_of(30)
    progress = []
    clusters_of(t, 3, up_to=4, seed=1, seeds=2, progress=lambda done, total: progress.append((done, total)))
    assert progress == [(done, 5) for done in range(6)]


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ({"clusters": 0}, "c: given 0"),
        ({"clusters": "8"}, "c: given '8'"),
        ({"clusters": True}, "c: given True"),
        ({"up_to": 0}, "up_to: given 0"),
        ({"starts": 0}, "starts: given 0"),
        ({"seeds": 0}, "seeds: given 0"),
        ({"fuzziness": 1.0}, "fuzzy: given 1.0"),
        ({"fuzziness": float("nan")}, "fuzzy: given nan"),
        ({"fuzziness": "2"}, "fuzzy: given '2'"),
    ],
)
def test_numbers_outside_their_ranges_are_refused(words, given):
    t, _ = groups_of(30)
    with pytest.raises(ParameterError, match="cluster: " + given):
        clusters_of(t, **{"clusters": 2, "seed": 1} | words)


def test_all_faults_are_told_at_once():
    empty = Table(Schema(()), np.empty((3, 0), dtype=np.int32), np.empty((3, 0)))
    with pytest.raises(ParameterError) as caught:
        clusters_of(empty, 0, seed=1)
    assert len(caught.value.faults) == 2


def test_missing_values_are_refused_where_the_schema_allows_none():
    with pytest.raises(ParameterError, match="x0: given 2 missing values; wanted none, since the schema says na"):
        clusters_of(numeric([1.0, np.nan, 3.0, np.nan], na="error"), 2, seed=1)
