"""Ties under orders of patterns: followed and summed as if they were counted anew, to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from evosdc.model import Changes
from evosdc.table.schema import MissingRule
from evosdc.table.table import Table
from evosdc_measures.linkage import links, prl, profile_cache
from evosdc_measures.linkage.kept_ties import move_ties
from evosdc_measures.linkage.linked_records import order_of, slot_under, ties_of_file
from evosdc_measures.linkage.links import unlinked
from evosdc_measures.linkage.ties_by_order import counted, credit_with
from tests.plugins.measures.cases import edited, fitted
from tests.plugins.measures.test_profiles import drawn

ORDER, RANKS = np.zeros(1, np.int64), np.zeros(1, np.int32)


@njit(cache=True)
def credited(sizes, numbers, credits, removed, added):
    return credit_with(sizes, numbers, credits, removed, added)


def summed(ties):
    """The sum of one in so many as are tied, from the smallest size on."""
    numbers, credit = np.bincount(ties), 0.0
    for size in range(1, len(numbers)):
        credit += int(numbers[size]) / size
    return credit


@given(data=st.data(), n=st.integers(1, 60), most=st.integers(1, 40))
def test_moved_ties_are_as_counted_and_summed_anew(data, n, most):
    sizes = st.integers(0, most)
    ties = np.array(data.draw(st.lists(sizes, min_size=n, max_size=n)), dtype=np.int32)
    rows = np.array(data.draw(st.lists(st.integers(0, n - 1), unique=True)), dtype=np.int64)
    after = ties.copy()
    after[rows] = data.draw(st.lists(sizes, min_size=len(rows), max_size=len(rows)))
    linked, wanted = unlinked(n, 1), counted(after)
    assert counted(ties)[2][-1] == summed(ties)
    # Three orders in four slots.
    slot = [linked.enter_counted(ORDER, np.full(1, rank, np.int32), ties) for rank in range(3)][-1]
    removed, added = (np.stack([part[rows]] * len(linked.kept)) for part in (ties, after))
    room = move_ties(removed, added, 0, linked.kept, linked.sizes)
    if room:
        assert room > linked.sizes.shape[2]
        assert all(np.array_equal(*arrays) for arrays in zip(linked.ties_at(slot), counted(ties), strict=True))
        linked.provide(0, room)
        assert move_ties(removed, added, 0, linked.kept, linked.sizes) == 0
    found = linked.ties_at(slot)
    assert all(np.array_equal(*arrays) for arrays in zip(found, wanted, strict=True))
    assert found[2][-1] == summed(after)
    assert credited(*counted(ties), np.sort(ties[rows]), np.sort(after[rows])) == summed(after)


def by_definition(original, masked, order, ranks, wildcard):
    """The tie of each record from all pairs."""
    agrees = masked[:, None] == original[None]
    if wildcard:
        agrees |= (masked[:, None] < 0) | (original[None] < 0)
    of_pairs = ranks[(agrees << np.arange(original.shape[1])).sum(axis=2)]
    best = of_pairs.min(axis=1)
    return np.where(of_pairs.diagonal() == best, (of_pairs == best[:, None]).sum(axis=1), 0)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    na=st.sampled_from([MissingRule.CATEGORY, MissingRule.WILDCARD]),
    crowded=st.booleans(),
    most=st.sampled_from([1, 3, 60]),
    lasting=st.booleans(),
)
def test_ties_under_any_order_follow_edits(seed, na, crowded, most, lasting):
    rng = np.random.default_rng(seed)
    original, masked = drawn(seed, 70, (4, 3, 5, 4), na)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prl, "DENSE_CELLS", 0)
        patch.setattr(links, "ORDERS", 3)
        if crowded:
            patch.setattr(profile_cache, "MEMORY", 12 << 4)
            patch.setattr(profile_cache, "SMALL", 0)
            patch.setattr(profile_cache, "CACHED", 12 << 4)
        measure = fitted("prl", original)
        model = measure._model
        orders = [np.unique(rng.integers(0, 9, 16), return_inverse=True)[1].astype(np.int32) for _ in range(4)]
        state = measure.start(masked)
        for _ in range(6):
            masked, rows = edited(masked, rng, most)
            state = measure.follow(state, masked, rows)
            linked = state[1]
            linked.keep_apart()
            for ranks in [order_of(model, linked)[1], *orders]:
                order = np.argsort(ranks, kind="stable")
                best = np.empty(70, np.uint16)
                wanted = by_definition(original.codes, masked.codes, order, ranks, na is MissingRule.WILDCARD)
                assert np.array_equal(ties_of_file(model, masked.codes, linked.copy(), order, ranks, best), wanted)
                found = linked.ties_at(slot_under(model, masked.codes, linked, order, ranks, lasting))
                assert all(np.array_equal(*pair) for pair in zip(found, counted(wanted), strict=True))
            assert len(linked.kept) <= 3


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), crowded=st.booleans(), most=st.sampled_from([1, 5]))
def test_children_are_judged_as_their_tables_are(seed, crowded, most):
    rng = np.random.default_rng(seed)
    original, masked = drawn(seed, 60, (6, 13, 5, 12), MissingRule.CATEGORY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prl, "DENSE_CELLS", 0)
        patch.setattr(links, "ORDERS", 2)
        if crowded:
            patch.setattr(profile_cache, "MEMORY", 100 << 4)
            patch.setattr(profile_cache, "SMALL", 0)
        measure = fitted("prl", original)
        state = measure.start(masked)
        for _ in range(4):
            children = [edited(masked, rng, most) for _ in range(9)]
            rows = np.concatenate([rows for _, rows in children])
            after = np.concatenate([child.codes[rows] for child, rows in children])
            ends = np.cumsum([len(rows) for _, rows in children])
            tables = (Table(masked.schema, codes, np.empty((len(rows), 0))) for codes in (masked.codes[rows], after))
            changes = Changes(np.arange(9), ends, rows, *tables)
            wanted = [measure.score(child) for child, _ in children]
            assert measure.values(state, changes).tolist() == wanted
            masked, rows = children[int(rng.integers(9))]
            state = measure.follow(state, masked, rows)
            assert state[2] == fitted("prl", original).score(masked)
