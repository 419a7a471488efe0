"""c-median clustering: against all clusterings of few records, and what always holds."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.clustering.c_median import SAMPLE, c_median, settled
from evosdc.clustering.geometry import assign, geometry_of, records_of, represent, represent_numbers
from evosdc.table.schema import Attribute, MissingRule, Scale, Schema
from evosdc.table.table import MISSING, Table
from tests.plugins.measures.cases import schema, table

CATEGORIES, NUMBERS = 4, (0.0, 0.5, 2.0, 7.25)


@st.composite
def files(draw, most=8):
    """Draw a file of a nominal, an ordinal and a numeric attribute, with missing values, some of them constant."""
    n = draw(st.integers(1, most))
    kinds = draw(st.lists(st.sampled_from(["nominal", "ordinal", "numeric"]), min_size=1, max_size=3))
    na = draw(st.sampled_from([MissingRule.CATEGORY, MissingRule.WILDCARD]))
    labels = tuple(map(str, range(CATEGORIES)))
    attributes = tuple(
        Attribute(f"a{v}", scale=Scale(kind), categories=() if kind == "numeric" else labels)
        for v, kind in enumerate(kinds)
    )
    categorical = sum(kind != "numeric" for kind in kinds)
    codes = draw(st.lists(st.integers(-1, CATEGORIES - 1), min_size=n * categorical, max_size=n * categorical))
    values = st.sampled_from([*NUMBERS, float("nan")])
    numbers = draw(st.lists(values, min_size=n * (len(kinds) - categorical), max_size=n * (len(kinds) - categorical)))
    return Table(
        Schema(attributes, na=na),
        np.array(codes, dtype=np.int32).reshape(n, categorical),
        np.array(numbers, dtype=np.float64).reshape(n, len(kinds) - categorical),
    )


def slow_distance(t, row, centre):
    """Return how far a record is from a representative, attribute by attribute as the definition says."""
    wildcard, total = t.schema.na is MissingRule.WILDCARD, 0.0
    for a, b, attribute in zip(t.codes[row], centre.codes[0], t.schema.categorical, strict=True):
        if MISSING in (a, b):
            total += 0.0 if wildcard else float(a != b)
        elif attribute.scale is Scale.ORDINAL:
            total += abs(int(a) - int(b)) / len(attribute.categories)
        else:
            total += float(a != b)
    for a, b, column in zip(t.numbers[row], centre.numbers[0], t.numbers.T, strict=True):
        known = column[~np.isnan(column)]
        width = float(np.ptp(known)) if known.size else 0.0
        if np.isnan(a) or np.isnan(b):
            total += 0.0 if wildcard else float(np.isnan(a) != np.isnan(b))
        elif width:
            total += abs(a - b) / width
    return total


@given(files(), st.integers(1, 4), st.integers(0, 99))
def test_records_are_with_the_nearest_representative(t, clusters, seed):
    found = c_median(t, clusters, np.random.default_rng(seed), starts=3)
    centres = [found.representatives.take(np.array([c])) for c in range(len(found.representatives))]
    for row, label in enumerate(found.labels.tolist()):
        distances = [slow_distance(t, row, centre) for centre in centres]
        assert found.distances[row] == pytest.approx(distances[label])
        assert distances[label] == pytest.approx(min(distances))
    assert found.sizes.sum() == len(t)
    assert found.total == pytest.approx(sum(found.distances))


@given(files(most=40), st.integers(1, 5), st.integers(0, 99))
def test_neither_step_increases_the_total_distance(t, clusters, seed):
    if t.schema.na is MissingRule.WILDCARD:
        return  # what is at distance 0 from everything represents nothing: no metric
    records, known = records_of(t), geometry_of(t)
    rng = np.random.default_rng(seed)
    chosen = rng.choice(len(records.counts), size=min(clusters, len(records.counts)), replace=False)
    centres, means = records.codes[chosen], records.numbers[chosen]
    order = np.argsort(records.numbers.T, axis=1, kind="stable").astype(np.int32)
    assigned, far = np.full(len(records.counts), -1, dtype=np.int64), np.zeros(len(records.counts))
    totals = []
    for _ in range(12):
        changed = assign(records.codes, records.numbers, centres, means, known, assigned, far)
        totals.append(float((records.counts * far).sum()))
        if not changed:
            break
        represent(records.codes, records.counts, assigned, known, centres)
        represent_numbers(records.numbers, records.counts, assigned, order, known, means)
    assert all(after <= before + 1e-9 for before, after in pairwise(totals))


@given(files(most=40), st.integers(1, 6), st.integers(0, 99))
def test_no_round_of_a_clustering_increases_the_total_distance(t, clusters, seed):
    """Clusters that ran empty and began anew included."""
    if t.schema.na is MissingRule.WILDCARD:
        return  # as above
    found = c_median(t, clusters, np.random.default_rng(seed), starts=2)
    assert all(after <= before + 1e-9 for before, after in pairwise(found.totals))
    assert found.totals[-1] == pytest.approx(found.total)
    assert found.sizes.all(), "no cluster is left empty"


def test_an_empty_cluster_begins_anew_with_the_farthest_record():
    # From two representatives alike nothing goes to the second one; 9 is farthest from the median of all.
    t = table(schema((10,), ("ordinal",)), [[0], [0], [1], [2], [9]])
    records, known = records_of(t), geometry_of(t)
    begin = np.array([[0], [0]], dtype=np.int32)
    found = settled(records, known, begin, np.empty((2, 0)), 100)
    assert found.centres.tolist() == [[0], [9]]
    assert found.assigned.tolist() == [0, 0, 0, 1]
    assert begin.tolist() == [[0], [0]], "what a start begins with is left as it is"


def slow_c_median(t, centres, rounds=100):
    """Return labels and representatives from given ones on, record by record as the definition says."""
    labels = None
    for _ in range(rounds):
        distances = [[slow_distance(t, row, centre) for centre in centres] for row in range(len(t))]
        # Equal distances are sums of the same terms, up to their order.
        nearest = [next(c for c, d in enumerate(own) if d <= min(own) + 1e-12) for own in distances]
        if nearest == labels:
            return labels, centres
        labels = nearest
        for c in set(labels):
            rows = [row for row, label in enumerate(labels) if label == c]
            codes = [
                min(
                    [*range(len(a.categories)), MISSING],
                    key=lambda code, v=v, rows=rows: round(_column_distance(t, v, rows, code), 9),
                )
                for v, a in enumerate(t.schema.categorical)
            ]
            centres[c] = Table(t.schema, np.array([codes], dtype=np.int32), np.empty((1, 0)))
    raise AssertionError("it does not settle")


@given(files(most=25), st.integers(1, 3), st.integers(0, 99))
def test_a_start_ends_where_the_slow_reference_ends(t, clusters, seed):
    if t.schema.na is MissingRule.WILDCARD or t.schema.numeric:
        return  # numbers tie by rounding alone; the tests above hold them to the least distances
    records, known = records_of(t), geometry_of(t)
    rng = np.random.default_rng(seed)
    chosen = rng.choice(len(records.counts), size=min(clusters, len(records.counts)), replace=False)
    found = settled(records, known, records.codes[chosen], records.numbers[chosen], 100)
    begin = [Table(t.schema, records.codes[[c]], records.numbers[[c]]) for c in chosen]
    labels, centres = slow_c_median(t, begin)
    if len(set(labels)) < len(centres):
        return  # a cluster that ran empty begins anew, see above
    assert found.assigned[records.of].tolist() == labels
    assert found.centres.tolist() == [centre.codes[0].tolist() for centre in centres]


@pytest.mark.parametrize("clusters", [1, 3])
@pytest.mark.parametrize("rows", [1, 5])
def test_one_record_or_all_missing_make_one_cluster(rows, clusters):
    attributes = (Attribute("x", scale=Scale.NUMERIC), Attribute("y", scale=Scale.NOMINAL, categories=("a",)))
    for na in (MissingRule.CATEGORY, MissingRule.WILDCARD):
        missing = Table(
            Schema(attributes, na=na), np.full((rows, 1), MISSING, dtype=np.int32), np.full((rows, 1), np.nan)
        )
        one_category = Table(Schema(attributes, na=na), np.zeros((rows, 1), dtype=np.int32), np.full((rows, 1), 3.0))
        for t in (missing, one_category):
            found = c_median(t, clusters, np.random.default_rng(1))
            assert found.labels.tolist() == [0] * rows
            assert found.total == 0.0
            assert np.array_equal(found.representatives.numbers, t.numbers[:1], equal_nan=True)


def test_distances_may_be_those_of_another_file():
    t = table(schema((10,), ("ordinal",)), [[0], [1], [5], [9]])
    numeric = Schema((Attribute("x", scale=Scale.NUMERIC),))
    original = Table(numeric, np.empty((3, 0), dtype=np.int32), np.array([[0.0], [5.0], [10.0]]))
    masked = Table(numeric, original.codes, np.array([[0.0], [1.0], [2.0]]))
    rng = np.random.default_rng
    assert c_median(masked, 1, rng(1)).total == pytest.approx(1.0)
    assert c_median(masked, 1, rng(1), known=geometry_of(original)).total == pytest.approx(0.2)
    assert c_median(t, 2, rng(1), known=geometry_of(t)).labels.tolist() == c_median(t, 2, rng(1)).labels.tolist()


def least_total(t, labels):
    """Return the least total distance of the clusters to representatives of any values, missing included."""
    total = 0.0
    for cluster in set(labels):
        rows = [row for row, label in enumerate(labels) if label == cluster]
        for v, column in enumerate(t.codes.T):
            candidates = [MISSING, *range(len(t.schema.categorical[v].categories))]
            total += min(_column_distance(t, v, rows, code) for code in candidates)
            assert column is not None
        for v in range(t.numbers.shape[1]):
            total += min(_number_distance(t, v, rows, value) for value in (*NUMBERS, float("nan")))
    return total


def _column_distance(t, v, rows, code):
    part = Table(Schema((t.schema.categorical[v],), na=t.schema.na), t.codes[:, [v]], np.empty((len(t), 0)))
    centre = Table(part.schema, np.array([[code]], dtype=np.int32), np.empty((1, 0)))
    return sum(slow_distance(part, row, centre) for row in rows)


def _number_distance(t, v, rows, value):
    part = Table(
        Schema((t.schema.numeric[v],), na=t.schema.na), np.empty((len(t), 0), dtype=np.int32), t.numbers[:, [v]]
    )
    centre = Table(part.schema, np.empty((1, 0), dtype=np.int32), np.array([[value]]))
    return sum(slow_distance(part, row, centre) for row in rows)


@given(files(most=6), st.integers(1, 3))
def test_it_finds_the_best_of_all_clusterings_of_few_records(t, clusters):
    if t.schema.na is MissingRule.WILDCARD:
        return  # as above
    found = c_median(t, clusters, np.random.default_rng(1), starts=40)
    best = min(least_total(t, labels) for labels in partitions(len(t), clusters))
    assert found.total == pytest.approx(least_total(t, found.labels.tolist())), "representatives are the best ones"
    assert found.total <= 1.5 * best + 1e-9  # a local optimum where several representatives tie


def partitions(n, most):
    def grown(labels):
        if len(labels) == n:
            yield labels
            return
        for label in range(min(max(labels, default=-1) + 2, most)):
            yield from grown([*labels, label])

    return grown([])


def groups_of(n, seed=1):
    """Return a file of three separate groups, and which record is in which."""
    centres = np.array([[0, 0, 0, 0], [5, 1, 5, 1], [9, 2, 0, 2]])
    groups = np.repeat(np.arange(3), n // 3)
    codes = centres[groups]
    codes[::7, 0] = np.minimum(codes[::7, 0] + 1, 9)
    return table(schema((10, 3, 10, 3), ("ordinal", "nominal", "ordinal", "nominal")), codes), groups


def same_partition(a, b):
    return len(set(zip(a.tolist(), b.tolist(), strict=True))) == len(set(a.tolist())) == len(set(b.tolist()))


def test_it_recovers_separate_groups_in_any_order():
    t, groups = groups_of(120)
    labels = c_median(t, 3, np.random.default_rng(1)).labels
    assert same_partition(groups, labels)
    order = np.random.default_rng(2).permutation(120)
    assert np.array_equal(c_median(t.take(order), 3, np.random.default_rng(1)).labels, labels[order])


def test_of_many_records_a_sample_tries_the_starts():
    rng = np.random.default_rng(3)
    groups = rng.integers(0, 4, SAMPLE + 5000)
    numbers = np.array([[0.0, 0.0], [50.0, 0.0], [0.0, 50.0], [50.0, 50.0]])[groups] + rng.normal(size=(len(groups), 2))
    attributes = (Attribute("x", scale=Scale.NUMERIC), Attribute("y", scale=Scale.NUMERIC))
    t = Table(Schema(attributes), np.empty((len(groups), 0), dtype=np.int32), numbers)
    found = c_median(t, 4, np.random.default_rng(1))
    assert same_partition(groups, found.labels)
    for cluster in range(4):
        medians = np.sort(numbers[found.labels == cluster], axis=0)[(found.sizes[cluster] - 1) // 2]
        assert np.array_equal(found.representatives.numbers[cluster], medians), "lower medians of all records"


def test_there_are_no_more_clusters_than_distinct_records():
    t = table(schema((3, 3), ("nominal", "nominal")), [[0, 1], [0, 1], [2, 2]])
    found = c_median(t, 8, np.random.default_rng(1))
    assert len(found.representatives) == 2
    assert found.total == 0.0
    assert sorted(found.sizes.tolist()) == [1, 2]
