"""Figures that lie over those of a base are those of the file, and their sum is numpy's to the last bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.table.table import Table
from evosdc_measures.linkage.ties import matches_of_children, matches_of_sizes
from evosdc_measures.record_figures import (
    LEAF,
    Overlay,
    followed_sum,
    laid_over,
    means_of,
    room_of,
    sum_after,
    sums_of,
    total_over,
    totals_after,
)
from tests.plugins.measures.numeric.cases import fitted, noisy, numeric

LENGTHS = (1, 2, 7, 8, 9, 127, LEAF, LEAF + 1, 136, 255, 257, 1000, 4095, 4097, 10_001)


@pytest.mark.parametrize("n", LENGTHS)
def test_sums_are_numpy_s_to_the_last_bit(n):
    rng = np.random.default_rng(n)
    base = rng.random(n) ** 3 * 10.0 ** rng.integers(-3, 4, n)
    sums, over, now = sums_of(base), Overlay(np.zeros(0, dtype=np.intp), np.zeros(0)), base.copy()
    assert sums[0] == base.sum() == total_over(base, sums, *over, False)
    for _ in range(20):
        rows = rng.choice(n, size=min(n, int(rng.integers(1, 5))), replace=False)
        latest = np.where(rng.random(len(rows)) < 0.4, base[rows], rng.random(len(rows)) * 1e3)
        now[rows] = latest
        over = Overlay(*laid_over(base, *over, rows, latest))
        assert over.rows.tolist() == np.flatnonzero(now != base).tolist()
        assert over.figures.tolist() == now[now != base].tolist()
        assert total_over(base, sums, *over, False) == now.sum()


@pytest.mark.parametrize("length", [1, 7, 8, 100, LEAF, LEAF + 1, 152, 2 * LEAF, 2 * LEAF + 1, 700])
def test_means_are_numpy_s_to_the_last_bit(length):
    figures = np.random.default_rng(length).random(length + 5)
    parts = [slice(0, 3), slice(3, 3 + length)]
    assert means_of(figures, parts) == [float(np.mean(figures[part])) for part in parts]


@given(st.lists(st.integers(0, 40) | st.just(500), min_size=1, max_size=60))
def test_matches_are_those_of_all_ties(ties):
    sizes = np.bincount(np.array(ties))
    shares = sizes[1:] / np.arange(1, len(sizes))
    assert matches_of_sizes(sizes.astype(np.int64)) == float(shares.sum())


@given(st.integers(0, 2**32), st.integers(1, 300), st.integers(0, 6), st.sampled_from([3, LEAF, 400]))
def test_children_are_added_up_as_each_by_itself(seed, n, children, most):
    rng = np.random.default_rng(seed)
    ties, figures = rng.integers(0, most, n).astype(np.int32), rng.random(n)
    counts = rng.integers(0, min(n, 4) + 1, children)
    rows = np.concatenate([np.arange(0), *(rng.choice(n, count, replace=False) for count in counts)]).astype(np.intp)
    ends = np.cumsum(counts).astype(np.int64)
    latest, risen = rng.integers(0, most, len(rows)).astype(np.int32), rng.random(len(rows))
    first = rng.choice(n, min(n, 2), replace=False)
    nothing = np.zeros(0, dtype=np.intp)
    over = Overlay(*laid_over(ties, nothing, np.zeros(0, np.int32), first, np.full(len(first), most - 1, np.int32)))
    known = sum_after(followed_sum(figures), first, np.full(len(first), 0.5))
    before = ties.copy()
    before[over.rows] = over.figures
    sizes = np.bincount(before).astype(np.int64)
    matches = matches_of_children(ties, *over, rows, ends, latest, sizes)
    totals = totals_after(known, rows, ends, risen)
    for child, own in enumerate(np.split(np.arange(len(rows)), ends)[:children]):
        after = before.copy()
        after[rows[own]] = latest[own]
        assert matches[child] == matches_of_sizes(np.bincount(after).astype(np.int64))
        assert totals[child] == sum_after(known, rows[own], risen[own]).total


@pytest.mark.parametrize("name", ["il1s", "dbrl", "apil", "mean-variation"])
@pytest.mark.parametrize("kind", ["distinct", "tied", "constant"])
def test_long_chains_and_relatives(name, kind):
    rng = np.random.default_rng(5)
    n = 1500
    columns = np.round(rng.normal(size=(2, n)), {"distinct": 6, "tied": 0, "constant": 0}[kind])
    if kind == "constant":
        columns[1] = 4.0
    columns[0, ::9] = np.nan
    original = numeric(*columns)
    masked = noisy(original, 0.5, rng)
    measure, fresh = fitted(name, original), fitted(name, original)
    family = [(masked, measure.start(masked))]
    for step in range(4 * room_of(n) + 60):
        # mostly the youngest goes on, so that bases are made anew, and sometimes an old one
        masked, state = family[-1] if step % 5 else family[int(rng.integers(len(family)))]
        numbers = masked.numbers.copy()
        rows = rng.choice(n, size=int(rng.integers(1, 3)), replace=False)
        numbers[rows, int(rng.integers(2))] = original.numbers[int(rng.integers(n)), 0]
        masked = Table(original.schema, original.codes, numbers)
        family.append((masked, measure.update(state, masked, rows)))
    for masked, state in family[:: len(family) // 12]:
        assert measure.value(state) == fresh.score(masked)
