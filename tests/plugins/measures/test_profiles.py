"""Profiles by groups, by pairs and as the definition reads; the memory that keeps them; links that stay as they are."""

from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evosdc.table.schema import MissingRule
from evosdc.time_limit import OutOfTime
from evosdc_measures.linkage import agreement_cube, profile_cache
from evosdc_measures.linkage.agreement import add_profile, pattern_of
from evosdc_measures.linkage.agreement_cube import look_up
from evosdc_measures.linkage.agreement_groups import count_groups, few_pairs, invert, time_by_groups
from evosdc_measures.linkage.profile_cache import memory_of, places_of
from evosdc_measures.linkage.profiles import _fill_by_groups, fill, originals_of
from tests.plugins.measures.cases import CLASSES, edited, fitted, noisy, schema, table


def drawn(seed, n, sizes, na=MissingRule.CATEGORY, least=-1):
    rng = np.random.default_rng(seed)
    original = table(schema(sizes, ("nominal",) * len(sizes), na), rng.integers(least, sizes, (n, len(sizes))))
    return original, noisy(original, 0.5, rng)


def by_definition(records, original):
    wildcard = original.schema.na is MissingRule.WILDCARD
    profiles = np.zeros((len(records), 1 << records.shape[1]), dtype=np.int32)
    for row, profile in enumerate(profiles):
        for other in range(len(original)):
            profile[pattern_of(records, row, original.codes, other, wildcard)] += 1
    return profiles


def by_pairs(records, original):
    originals = originals_of(original)
    profiles = np.zeros((len(records), 1 << records.shape[1]), dtype=np.int32)
    scratch = np.empty(len(originals.numbers), dtype=np.uint16)
    for profile, record in zip(profiles, records, strict=True):
        add_profile(record, originals.columns, originals.numbers, originals.wildcard, scratch, profile)
    return profiles


def by_groups(records, original, order):
    originals = originals_of(original)
    counts = np.zeros((1 << records.shape[1], len(records)), dtype=np.int32)
    columns = np.ascontiguousarray(records.T)
    count_groups(
        records, columns, originals.records, originals.columns, originals.numbers, order, originals.widest, counts
    )
    profiles = np.empty(counts.T.shape, dtype=np.int32)
    invert(counts, profiles)
    return counts, profiles


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 120),
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=6).map(tuple),
    data=st.data(),
)
def test_groups_agree_with_pairs_and_with_the_definition(seed, n, sizes, data):
    original, masked = drawn(seed, n, sizes)
    order = np.array(data.draw(st.permutations(range(len(sizes)))), dtype=np.int64)
    counts, profiles = by_groups(masked.codes, original, order)
    wanted = by_definition(masked.codes, original)
    assert np.array_equal(profiles, wanted)
    assert np.array_equal(by_pairs(masked.codes, original), wanted)
    for subset in range(len(counts)):
        within = [pattern for pattern in range(len(counts)) if pattern & subset == subset]
        assert np.array_equal(counts[subset], wanted[:, within].sum(axis=1))


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 120),
    sizes=st.lists(st.integers(1, 6), min_size=1, max_size=5).map(tuple),
    na=st.sampled_from([MissingRule.CATEGORY, MissingRule.WILDCARD]),
)
def test_a_cube_agrees_with_the_definition(seed, n, sizes, na):
    original, masked = drawn(seed, n, sizes, na)
    with patch.object(agreement_cube, "CELLS_BY_ORIGINAL", 1 << 20):
        cube = originals_of(original).cube
    assert len(cube.counts) == np.prod(np.array(sizes) + 2)
    profiles = np.full((n, 1 << len(sizes)), 7, dtype=np.int32)
    look_up(masked.codes, *cube, profiles)
    assert np.array_equal(profiles, by_definition(masked.codes, original))


def test_a_cube_is_made_where_it_is_small_against_the_originals():
    assert len(originals_of(drawn(1, 400, (2, 3, 4))[0]).cube.counts) == 4 * 5 * 6
    assert len(originals_of(drawn(1, 400, (30, 40, 50))[0]).cube.counts) == 0
    assert len(originals_of(drawn(1, 40_000, (200, 200, 200))[0]).cube.counts) == 0


@pytest.mark.parametrize("na", [MissingRule.CATEGORY, MissingRule.WILDCARD])
@pytest.mark.parametrize(("n", "sizes"), [(3000, (4, 13, 4, 13, 4, 13)), (700, (2, 3, 40, 2, 2, 3, 2, 5)), (500, (3,))])
def test_larger_tables_whatever_the_road(n, sizes, na):
    original, masked = drawn(5, n, sizes, na)
    rows = np.flatnonzero((original.codes >= 0).all(axis=1) | (np.arange(n) % 20 == 0))
    original, masked = original.take(rows), masked.take(rows)
    originals = originals_of(original)
    wanted = by_pairs(masked.codes, original)
    filled = np.full_like(wanted, 7)
    fill(masked.codes, originals, filled)
    assert np.array_equal(filled, wanted)
    assert (filled.sum(axis=1) == len(original)).all()


@given(seed=st.integers(0, 2**32 - 1), mask=st.integers(0, 15))
def test_groups_of_records_with_wildcards(seed, mask):
    original, masked = drawn(seed, 60, (3, 5, 2, 7), MissingRule.WILDCARD, least=0)
    codes = masked.codes.copy()
    masked_attributes = [v for v in range(4) if mask >> v & 1]
    codes[:, masked_attributes] = -1
    order = np.array([v for v in range(4) if v not in masked_attributes], dtype=np.int64)
    profiles = np.empty((60, 16), dtype=np.int32)
    _fill_by_groups(codes, mask, order, originals_of(original), profiles)
    assert np.array_equal(profiles, by_definition(codes, original))


def test_more_attributes_than_occur_together():
    original, masked = drawn(6, 80, (4, 3) * 7)
    order = originals_of(original).order
    assert np.array_equal(by_groups(masked.codes, original, order)[1], by_pairs(masked.codes, original))


def test_the_cheaper_road_is_estimated():
    ranks, suits = np.full(5, 1 / 13), np.full(5, 1 / 4)
    shares = np.concatenate([ranks, suits])
    compared = 25000 * 25000 * 1.0
    assert time_by_groups(25000, 25000, shares) < compared
    assert time_by_groups(10, 25000, shares) > compared * 10 / 25000
    assert time_by_groups(25000, 25000, np.full(16, 0.5)) > compared
    assert few_pairs(1, 1, 5)
    assert not few_pairs(25000, 25000, 10)


def test_profiles_are_remembered_and_forgotten(monkeypatch):

    original, masked = drawn(7, 90, (5, 6, 7))
    distinct = np.unique(masked.codes, axis=0)
    monkeypatch.setattr(profile_cache, "MEMORY", (len(distinct) - 5) << 3)
    originals, memory = originals_of(original), memory_of(90, originals_of(original))
    wanted = by_definition(distinct, original)
    rng = np.random.default_rng(8)
    known = []
    for _ in range(30):
        rows = rng.integers(0, len(distinct), 20)
        places = places_of(distinct, rows, originals, memory)
        assert np.array_equal(memory.profiles[places], wanted[rows])
        assert np.array_equal(memory.records[places], distinct[rows])
        known.append(int(memory.filled[0]))
    assert max(known) <= len(distinct) - 5
    assert any(later < earlier for earlier, later in pairwise(known))


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), na=st.sampled_from([MissingRule.CATEGORY, MissingRule.WILDCARD]))
def test_links_follow_changes_of_the_order_of_patterns(seed, na):
    original, masked = drawn(seed, 150, (6, 13, 5, 12, 4), na)
    assume(len(np.unique(original.codes, axis=0)) > 20)
    rng = np.random.default_rng(seed)
    followed, fresh = fitted("prl", original), fitted("prl", original)
    state = followed.start(masked)
    for _ in range(10):
        masked, rows = edited(masked, rng, most=2)
        state = followed.update(state, masked, rows)
        begun = fresh.start(masked)
        assert np.array_equal(state[0], begun[0])
        assert np.array_equal(state[1].pairs, begun[1].pairs)
        assert state[2] == begun[2]


def test_large_domains_in_reasonable_memory():
    original, masked = drawn(9, 4000, (4, 13) * 5, least=0)
    measure = CLASSES["prl"](CLASSES["prl"].Params()).fit(original)
    state = measure.start(masked)
    assert state[1].pairs.sum() == len(original) ** 2
    assert 0.0 < measure.value(state) < 100.0


def test_what_was_interrupted_is_not_remembered(monkeypatch):
    sizes = (9, 8, 7, 6, 5, 4, 3)
    original, masked = drawn(3, 400, sizes)
    measure = fitted("prl", original)
    interrupted = []

    def stopped(records, originals, profiles):
        interrupted.append(len(records))
        profiles[:] = 1 << 20  # what happened to lie there
        raise OutOfTime

    with monkeypatch.context() as patched:
        patched.setattr(profile_cache, "fill", stopped)
        with pytest.raises(OutOfTime):
            measure.score(masked)
    assert interrupted
    assert measure.score(masked) == fitted("prl", original).score(masked)
