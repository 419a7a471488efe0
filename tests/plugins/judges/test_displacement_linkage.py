"""Linkage by how far values were moved: by plain loops, and of files whose values stay near without being kept."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evosdc.model import Changes
from evosdc.table.schema import Attribute, Role, Scale
from evosdc.table.table import Table
from evosdc_judges.linkage import UNIT, Ordered
from tests.plugins.judges.cases import attribute, fitted, table

PAY = Attribute("pay", Role.QUASI_IDENTIFIER, Scale.NUMERIC, decimals=2)


def staff(pays, jobs):
    """Return records of a pay and a job of three."""
    return table([PAY, attribute("job", 3)], np.asarray(jobs)[:, None], np.asarray(pays, dtype=np.float64)[:, None])


def by_loops(pays, after, jobs, others, bins, halves):
    """Return the share of records linked, in per cent; what links a half is counted in the other one."""
    values = sorted({pay for pay in pays if not np.isnan(pay)})
    most, n = len(values), len(pays)

    def place(pay):
        return most if np.isnan(pay) else min(range(most), key=lambda at: (abs(values[at] - pay), at))

    def power(moved):
        return (abs(moved).bit_length(), moved < 0)

    at, now = [place(pay) for pay in pays], [place(pay) for pay in after]
    if most <= bins:
        raise ValueError("too few values")
    width = [power(moved) for moved in range(-most, most + 1)]

    def cost(i, j, taught):
        counts = [power(now[k] - at[k]) for k in taught]
        found = counts.count(power(now[j] - at[i])) / width.count(power(now[j] - at[i]))
        moved = -log((found + 1.0 / len(width)) / (len(taught) + 1.0))
        kept = sum(jobs[k] == others[k] for k in taught) / (len(taught) + 1.0)
        share = (sum(others[k] == others[j] for k in taught) + 1.0) / (len(taught) + 4.0)
        same = [k for k in taught if jobs[k] == jobs[i]]
        so = sum(others[k] == others[j] for k in same)
        exchanged = -log((so + kept * (jobs[i] == others[j]) + (1.0 - kept) * share) / (len(same) + 1.0))
        return round(moved * UNIT) + round(exchanged * UNIT)

    credit = 0.0
    for j in range(n):
        taught = halves[1] if j in halves[0] else halves[0]
        costs = [cost(i, j, taught) for i in range(n)]
        credit += (costs[j] == min(costs)) / costs.count(min(costs))
    return 100.0 * credit / n


@given(st.integers(0, 2**32), st.booleans())
def test_it_is_that_of_plain_loops(seed, missing):
    rng = np.random.default_rng(seed)
    pays = rng.integers(0, 40, 24).astype(np.float64)
    after = pays + rng.integers(-3, 4, 24) + rng.choice([0.0, 0.25], 24)
    jobs = rng.permutation(np.arange(24) % 3).astype(np.int32)
    others = np.where(rng.random(24) < 0.7, jobs, rng.integers(0, 3, 24)).astype(np.int32)
    if missing:
        pays[0] = after[5] = np.nan
    linkage = fitted("displacement-linkage", staff(pays, jobs), bins=2)
    halves = [half.tolist() for half in linkage.people.halves()]
    found = linkage.score(staff(after, others))
    assert found == pytest.approx(by_loops(pays.tolist(), after.tolist(), jobs.tolist(), others.tolist(), 2, halves))


def test_neighbours_who_change_places_are_found_by_that():
    pays = np.arange(1000.0, 1400.0)
    changed = pays.reshape(-1, 2)[:, ::-1].reshape(-1)
    jobs = np.zeros(400, dtype=np.int32)
    original = staff(pays, jobs)
    assert fitted("exact-linkage", original).score(staff(changed, jobs)) == pytest.approx(0.25)
    assert fitted("displacement-linkage", original).score(staff(changed, jobs)) >= 45.0
    assert fitted("displacement-linkage", original).score(original) == 100.0


def test_who_moves_far_is_not_found():
    rng = np.random.default_rng(1)
    pays, jobs = np.arange(1000.0, 1400.0), np.zeros(400, dtype=np.int32)
    assert fitted("displacement-linkage", staff(pays, jobs)).score(staff(rng.permutation(pays), jobs)) < 3.0


@pytest.mark.parametrize("jobs", [3, 100, 250])
def test_rare_categories_link_nobody_in_a_file_whose_records_are_in_random_order(jobs):
    rng = np.random.default_rng(1)
    pays, codes, order = rng.normal(1000.0, 200.0, 500), rng.integers(0, jobs, 500), rng.permutation(500)
    original = table([PAY, attribute("job", jobs)], codes[:, None], pays[:, None])
    shuffled = table([PAY, attribute("job", jobs)], codes[order, None], pays[order, None])
    linkage = fitted("displacement-linkage", original)
    assert linkage.score(shuffled) < 1.5, "by chance 0.2"
    assert linkage.score(original) == 100.0
    nearby = table([PAY, attribute("job", jobs)], codes[:, None], pays[:, None] + rng.normal(0.0, 20.0, (500, 1)))
    assert linkage.score(nearby) > 3.0 * linkage.score(shuffled) + 2.0


def test_children_are_estimated_by_what_they_change_at_the_costs_of_their_parent():
    rng = np.random.default_rng(2)
    pays, jobs = np.arange(1000.0, 1300.0), np.arange(300) % 3
    original = staff(pays, jobs)
    after = staff(pays + rng.normal(0.0, 3.0, 300), jobs)
    tracker, rows = fitted("displacement-linkage", original).track(after), np.arange(100, 104, dtype=np.intp)
    moved = Table(after.schema, after.codes[rows], after.numbers[rows[::-1]] + 200.0)
    change = Changes.of_one(rows, after.take(rows), moved)
    before, about, found = tracker.score, tracker.estimates(change)[0], tracker.tries(change)[0]
    assert found < before
    assert about == pytest.approx(found, abs=0.5)
    assert tracker.contributions().sum() == pytest.approx(before)


@given(st.lists(st.one_of(st.floats(-1e6, 1e6), st.just(float("nan"))), min_size=1, max_size=30))
def test_every_value_has_the_place_of_the_nearest(column):
    values = np.array(column)
    ordered = Ordered.of(values)
    if len(ordered.values):
        apart = np.abs(ordered.values[None, :] - values[:, None])
        nearest = np.where(np.isnan(values), len(ordered.values), np.nan_to_num(apart, nan=0.0).argmin(axis=1))
        assert ordered.published(values).tolist() == nearest.tolist() == ordered.places.tolist()
    else:
        assert ordered.places.tolist() == [0] * len(column)
