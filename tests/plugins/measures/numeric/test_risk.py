"""Disclosure risk of numbers and of mixed files: fixtures, agreement with slow references, limits, refusals."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evosdc.errors import ParameterError
from evosdc.table.schema import MissingRule
from evosdc.table.table import Table
from tests.plugins.measures.numeric import reference
from tests.plugins.measures.numeric.cases import fitted, made, microaggregated, noisy, numeric, pairs, schema, table

BACKWARD = {"direction": "original-to-masked"}


def test_interval_by_hand():
    original = numeric([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0])
    masked = numeric([2.0, 1.0, 3.0, 4.0, 5.0, 6.0, 7.0, 10.0, 9.0, 8.0])
    # One rank either way holds all but the two values that moved by two.
    assert fitted("id", original, percents=(10,)).score(masked) == 80.0
    assert fitted("id", original, percents=(9,)).score(masked) == 60.0
    assert fitted("id", original, percents=(9, 10, 20)).score(masked) == pytest.approx((60 + 80 + 100) / 3)
    deviation = {"interval": "deviation", "percents": (34,)}
    # The deviation is 3.03: 34 per cent of it reach one unit, not two.
    assert fitted("id", original, **deviation).score(masked) == 80.0


@given(tables=pairs(), percents=st.sets(st.integers(0, 60), min_size=1, max_size=3), whole=st.booleans())
def test_interval_by_rank(tables, percents, whole):
    measure = fitted("id", tables[0], percents=tuple(percents), every_attribute=whole)
    assert measure.score(tables[1]) == pytest.approx(reference.interval(*tables, percents, whole=whole))
    assert measure.score(tables[0]) == 100.0


@given(tables=pairs(), of_masked=st.booleans(), whole=st.booleans())
def test_interval_by_deviation(tables, of_masked, whole):
    params = {"interval": "deviation", "deviation_of": "masked" if of_masked else "original"}
    # Values are far from the limits of these intervals, so rounding decides nothing.
    measure = fitted("id", tables[0], percents=(7, 31, 83), every_attribute=whole, **params)
    wanted = reference.interval(*tables, (7, 31, 83), True, of_masked, whole)
    assert measure.score(tables[1]) == pytest.approx(wanted)


def nearly_tied(distances):
    """Whether distances differ by rounding alone, so that who counts as nearest depends on how they are computed."""
    gaps = np.diff(np.sort(distances, axis=None))
    return bool(((gaps > 0) & (gaps < 1e-9 * max(1.0, distances.max()))).any())


@given(tables=pairs(), each=st.booleans(), backward=st.booleans())
def test_distance_linkage(tables, each, backward):
    params = {"standardise": "each" if each else "original"} | (BACKWARD if backward else {})
    distances = reference.squared_distances(*tables, each)
    assume(not nearly_tied(distances))
    wanted = reference.credits(distances.T if backward else distances)
    assert fitted("dbrl", tables[0], **params).score(tables[1]) == pytest.approx(wanted)


@pytest.mark.parametrize("distance", ["mahalanobis", "kernel"])
@pytest.mark.parametrize("seed", range(8))
def test_other_distances(distance, seed):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(3, 40)), int(rng.integers(1, 4))
    X = np.round(rng.normal(size=(n, p)) @ rng.normal(size=(p, p)), 1)
    Y = X + rng.normal(scale=0.5, size=(n, p))
    original, masked = numeric(*X.T), numeric(*Y.T)
    if distance == "mahalanobis":
        inverse = np.linalg.inv(np.atleast_2d(np.cov(X, rowvar=False, bias=True) + np.cov(Y, rowvar=False, bias=True)))
        apart = Y[:, None, :] - X[None, :, :]
        squares = np.einsum("ijk,kl,ijl->ij", apart, inverse, apart)
    else:
        a, b = ((values - X.mean(axis=0)) / X.std(axis=0) for values in (Y, X))
        K = [(1 + (u[:, None, :] * v[None, :, :]).sum(axis=2)) ** 3 for u, v in ((a, a), (a, b), (b, b))]
        squares = np.diag(K[0])[:, None] - 2 * K[1] + np.diag(K[2])[None, :]
    for params, part in (({}, squares), (BACKWARD, squares.T)):
        found = fitted("dbrl", original, distance=distance, degree=3, **params).score(masked)
        assert found == pytest.approx(reference.credits(part))
    assert fitted("dbrl", original, distance=distance, **BACKWARD).score(original) <= 100.0


@given(tables=pairs(), p=st.sampled_from([0.0, 5.0, 10.0, 25.0, 40.0, 100.0]))
def test_rank_swapping_linkage(tables, p):
    assert fitted("rsrl", tables[0], p=p).score(tables[1]) == pytest.approx(reference.rsrl(*tables, p))


@pytest.mark.parametrize("p", [2, 5, 12])
def test_rank_swapped_records_are_candidates_and_linked_more_often(p, numeric_file):
    import evosdc

    swapped = evosdc.mask(numeric_file, "rank-swapping", protect=numeric_file.schema.names, p=p)
    original = numeric_file.take(np.arange(60)).select(numeric_file.schema.names[:6])
    small = evosdc.mask(original, "rank-swapping", protect=original.schema.names, p=p)
    assert fitted("rsrl", original, p=p).score(small) == pytest.approx(reference.rsrl(original, small, p))
    assert fitted("rsrl", numeric_file, p=p).score(swapped) >= fitted("dbrl", numeric_file, **BACKWARD).score(swapped)


def test_linkage_of_published_files(numeric_file):
    rng = np.random.default_rng(1)
    part = numeric_file.take(np.arange(60)).select(numeric_file.schema.names[:6])
    for masked in (part, noisy(part, 0.3, rng), microaggregated(part, 3)):
        distances = reference.squared_distances(part, masked)
        assert fitted("dbrl", part).score(masked) == pytest.approx(reference.credits(distances))
        assert fitted("dbrl", part, **BACKWARD).score(masked) == pytest.approx(reference.credits(distances.T))
        assert fitted("id", part).score(masked) == pytest.approx(reference.interval(part, masked))
        assert fitted("rsrl", part).score(masked) == pytest.approx(reference.rsrl(part, masked, 10))


def test_identity_and_permutation_of_published_files(numeric_file):
    shuffled = numeric_file.take(np.random.default_rng(2).permutation(len(numeric_file)))
    distinct = len(np.unique(numeric_file.numbers, axis=0))
    for name in ("dbrl", "prl", "rsrl", "id"):
        measure = fitted(name, numeric_file)
        if name == "prl":
            assert measure.score(numeric_file) > 95.0, "records in the same classes are tied"
        else:
            wanted = 100.0 if name == "id" else 100 * distinct / len(shuffled)
            assert measure.score(numeric_file) == pytest.approx(wanted)
        assert measure.score(shuffled) < (60.0 if name == "id" else 2.0)


@given(tables=pairs(missing=False))
def test_tied_originals_share_the_credit(tables):
    original, _ = tables
    constant = [original.schema.names[v] for v in range(len(original.schema))]
    distinct = len({tuple(float(original.column(name)[i]) for name in constant) for i in range(len(original))})
    assert fitted("dbrl", original).score(original) == pytest.approx(100 * distinct / len(original))


def test_a_value_midway_between_two_originals_is_tied():
    original = numeric([0.1, 0.2, 0.7])
    assert fitted("dbrl", original).score(numeric([0.15, 0.15, 0.7])) == pytest.approx(100 * 2 / 3)


def test_everything_suppressed():
    for na in (MissingRule.CATEGORY, MissingRule.WILDCARD):
        original = numeric([1.0, 2.0, 4.0, 8.0], na=na)
        masked = numeric([None] * 4, na=na)
        assert fitted("dbrl", original).score(masked) == pytest.approx(25.0)
        assert fitted("prl", original).score(masked) == pytest.approx(25.0)
        assert fitted("id", original).score(masked) == 0.0
        assert fitted("rsrl", original).score(masked) == pytest.approx(25.0 if na is MissingRule.WILDCARD else 0.0)


def test_one_record_is_always_found():
    for name in ("dbrl", "prl", "rsrl"):
        assert fitted(name, numeric([3.0])).score(numeric([9.0])) == 100.0


def test_a_constant_attribute_links_nobody():
    original, masked = numeric([1.0, 2.0, 3.0], [5.0] * 3), numeric([1.0, 2.0, 3.0], [9.0, 1.0, 4.0])
    assert fitted("dbrl", original).score(masked) == 100.0
    assert fitted("rsrl", original, p=0).score(masked) == 100.0


def test_many_equal_records_are_linked_in_no_time():
    of_schema = schema(["numeric", "nominal"])
    original = table(of_schema, [(1.0 * (i % 2), i % 4) for i in range(20_000)])
    masked = Table(of_schema, original.codes, np.full_like(original.numbers, np.nan))
    assert fitted("dbrl", original).score(original) == pytest.approx(100 * 4 / 20_000)
    assert fitted("dbrl", masked).score(masked) == pytest.approx(100 * 4 / 20_000)


@given(tables=pairs(), bins=st.integers(2, 5))
def test_numbers_agree_by_classes(tables, bins):
    from evosdc_measures.number_intervals import FittedOnIntervals

    original, masked = tables
    inner = FittedOnIntervals(original, bins, made("prl")._fit)
    classed = [inner._classed(t) for t in tables]
    assert fitted("prl", original, bins=bins).score(masked) == fitted("prl", classed[0]).score(classed[1])
    for attribute in original.schema.numeric:
        x, y = original.column(attribute.name), masked.column(attribute.name)
        limits = np.unique(np.quantile(x[~np.isnan(x)], np.arange(1, bins) / bins)) if not np.isnan(x).all() else []
        limits = [limit for limit in limits if limit > np.nanmin(x)]
        for values, codes in ((x, classed[0]), (y, classed[1])):
            wanted = [-1 if np.isnan(v) else sum(limit <= v for limit in limits) for v in values]
            assert codes.column(attribute.name).tolist() == wanted


def test_distances_that_do_not_fit_are_refused():
    mixed = table(schema(["numeric", "ordinal"]), [(1.0, 0), (2.0, 1)])
    for params in ({"distance": "mahalanobis"}, {"distance": "kernel"}, {"by_hierarchy": True}):
        with pytest.raises(ParameterError, match="alone"):
            fitted("dbrl", mixed, **params)


def test_a_masked_table_of_another_shape_is_refused():
    original, short = numeric([1.0, 2.0]), numeric([1.0])
    for name in ("il1s", "apil", "data-discrepancy", "mean-variation", "id", "dbrl", "prl", "rsrl"):
        with pytest.raises(ValueError, match="masked"):
            fitted(name, original).score(short)
