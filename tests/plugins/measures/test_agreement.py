"""Profiles by subsets and by pairs are as the definition reads; the memory that keeps them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.table.schema import MissingRule
from evosdc.time_limit import OutOfTime
from evosdc_measures.linkage import agreement
from evosdc_measures.linkage.agreement import DistinctOriginals, Profiles, pattern_of
from tests.plugins.measures.cases import fitted, noisy, schema, table
from tests.plugins.measures.test_trackers import check


def drawn(seed, n, sizes, na=MissingRule.CATEGORY, least=-1):
    rng = np.random.default_rng(seed)
    original = table(schema(sizes, ("nominal",) * len(sizes), na), rng.integers(least, sizes, (n, len(sizes))))
    return original, noisy(original, 0.5, rng)


def by_definition(records, original):
    wildcard = original.schema.na is MissingRule.WILDCARD
    profiles = np.zeros((len(records), 1 << records.shape[1]), dtype=np.int32)
    for record, profile in zip(records, profiles, strict=True):
        for other in original.codes:
            profile[pattern_of(record, other, wildcard)] += 1
    return profiles


@pytest.mark.parametrize("cheap", ["LOOKING_UP", "COMPARING"])
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 80),
    sizes=st.lists(st.integers(1, 6), min_size=1, max_size=5).map(tuple),
    na=st.sampled_from([MissingRule.CATEGORY, MissingRule.WILDCARD]),
)
def test_profiles_are_as_defined(cheap, seed, n, sizes, na):
    original, masked = drawn(seed, n, sizes, na)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agreement, cheap, 0.0)
        found = DistinctOriginals(original).profiles_of(masked.codes.copy())
    assert np.array_equal(found, by_definition(masked.codes, original))


@pytest.mark.parametrize("na", [MissingRule.CATEGORY, MissingRule.WILDCARD])
@pytest.mark.parametrize(("n", "sizes"), [(3000, (4, 13, 4, 13, 4, 13)), (500, (3,)), (80, (4, 3) * 7)])
def test_larger_tables(n, sizes, na, monkeypatch):
    original, masked = drawn(5, n, sizes, na)
    found = DistinctOriginals(original).profiles_of(masked.codes.copy())
    assert (found.sum(axis=1) == n).all()
    monkeypatch.setattr(agreement, "COMPARING", 0.0)
    assert np.array_equal(DistinctOriginals(original).profiles_of(masked.codes.copy()), found)


def test_more_different_records_than_integers_tell_apart():
    original, masked = drawn(2, 60, (1000,) * 7, least=0)
    assert DistinctOriginals(original).possible > 1 << 63
    assert np.array_equal(
        DistinctOriginals(original).profiles_of(masked.codes.copy()), by_definition(masked.codes, original)
    )


def test_profiles_are_kept_until_there_is_no_room():
    original, masked = drawn(7, 90, (5, 6, 7))
    originals, distinct = DistinctOriginals(original), np.unique(masked.codes, axis=0)
    wanted, kept = by_definition(distinct, original), Profiles(len(distinct) - 5, 3)
    rows = np.random.default_rng(8).permutation(len(distinct))
    first = kept.places_of(distinct[rows[:20]], originals)
    assert np.array_equal(kept.counts[first], wanted[rows[:20]])
    again = kept.places_of(distinct[rows[:-5]], originals)
    assert np.array_equal(again[:20], first), "a record stays where it is"
    assert np.array_equal(kept.counts[again], wanted[rows[:-5]])
    assert kept.used[0] == len(distinct) - 5
    assert kept.places_of(distinct, originals) is None


@pytest.mark.parametrize("room", [1, 3, 300])
def test_trackers_whose_memory_is_full(adult, room, monkeypatch):
    rng = np.random.default_rng(10)
    masked = noisy(adult, 0.3, rng)
    wanted = fitted("prl", adult).score(masked)
    distinct = len(np.unique(masked.codes, axis=0))
    monkeypatch.setattr(agreement, "MEMORY", (distinct + room) << masked.codes.shape[1])
    measure = fitted("prl", adult)
    assert measure.score(masked) == pytest.approx(wanted, abs=1e-9)
    check(measure, masked, rng, 8)


def test_what_was_interrupted_is_not_remembered(monkeypatch):
    original, masked = drawn(3, 400, (9, 8, 7, 6, 5, 4, 3))
    measure = fitted("prl", original)

    def stopped(originals, records):
        raise OutOfTime

    with monkeypatch.context() as patched:
        patched.setattr(DistinctOriginals, "profiles_of", stopped)
        with pytest.raises(OutOfTime):
            measure.score(masked)
    assert measure.score(masked) == fitted("prl", original).score(masked)
