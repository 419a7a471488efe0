"""The evolution: its counts, its rules, and that it comes near the original."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from evosdc_certified.domain import domain_of
from evosdc_certified.evolution import Evolution, Guesses
from evosdc_certified.measurement import budget_of, measure, workload_of_order
from evosdc_certified.tables import NoisyTable, PrivateTables, groups_of, on_simplex
from tests.plugins.certified.conftest import BOUNDS, survey


@pytest.fixture(scope="module")
def tables() -> PrivateTables:
    table = survey()
    domain = domain_of(table.schema, table.schema.attributes, BOUNDS)
    return measure(table, domain, budget_of(3.0, 1e-6, len(table)), workload_of_order(4, 3), Guesses(rng()))


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def misfit_of(tables, cells):
    """The squared differences of a file's tables to noisy ones, each over the variance of its noise, summed."""
    scale = tables.records / len(cells)
    return sum(
        float((((tables.count(cells, t.columns) * scale - t.counts) / t.sigma) ** 2).sum()) for t in tables.tables
    )


def test_counts_are_kept_while_records_change(tables) -> None:
    evolution = Evolution(tables, 500, rng())
    assert evolution.run(20_000, 1.0, 0.1) > 1000
    recounted = [tables.count(evolution.cells, table.columns) for table in tables.tables]
    assert np.array_equal(evolution.counts, np.concatenate(recounted))
    assert evolution.misfit == pytest.approx(misfit_of(tables, evolution.cells), rel=1e-9)


def test_no_record_ever_breaks_a_rule(tables) -> None:
    evolution = Evolution(tables, 1000, rng())
    assert len(tables.domain.rules) == 2
    assert not tables.domain.broken(evolution.cells).any()
    evolution.evolve(moves=100_000)
    assert not tables.domain.broken(evolution.cells).any()


def test_the_file_fits_the_tables_as_the_original_does_and_better_than_independent_attributes(tables) -> None:
    original = tables.domain.cells(survey())
    evolution = Evolution(tables, tables.records, rng())
    before = evolution.misfit
    evolution.evolve()
    assert evolution.misfit < misfit_of(tables, original) < before

    def distance(cells):
        asked = workload_of_order(4, 2)
        counts = [(tables.count(cells, c) / len(cells), tables.count(original, c) / len(original)) for c in asked]
        return np.mean([np.abs(one - two).sum() / 2 for one, two in counts])

    independent = Evolution(tables, tables.records, rng()).cells
    assert distance(evolution.cells) < 0.4 * distance(independent)


def test_moves_and_random_numbers_repeat_a_file(tables) -> None:
    files = []
    for moves in (None, 300_000, 300_000):
        evolution = Evolution(tables, 300, rng(5))
        made = evolution.evolve(moves)
        files.append((made, evolution.cells.tolist()))
    assert files[1] == files[2]
    assert files[0][0] == 100 * 300 * 4


def test_a_time_is_kept_and_its_moves_repeat_the_file(tables) -> None:
    evolution = Evolution(tables, 3000, rng(2))
    made = evolution.evolve(seconds=0.8)
    again = Evolution(tables, 3000, rng(2))
    assert again.evolve(moves=made) == made
    assert np.array_equal(evolution.cells, again.cells)


def test_missing_values_that_the_noise_hides_do_not_occur(tables) -> None:
    single = [replace(t, counts=np.append(t.counts[:-1], 3.9 * t.sigma)) for t in tables.tables[:4]]
    evolution = Evolution(replace(tables, tables=(*single, *tables.tables[4:])), 1000, rng())
    evolution.evolve(moves=50_000)
    assert (evolution.cells < np.array(tables.domain.sizes) - 1).all()


def test_guesses_see_more_with_every_table(tables) -> None:
    first = PrivateTables(tables.domain, tables.budget, tables.tables[:4], tables.groups)
    guesses, asked = Guesses(rng(), 1000), [tables.tables[5].columns]
    wanted = tables.tables[5].counts

    def error() -> float:
        return float(np.abs(guesses(now, asked)[0] - wanted).sum())

    now = first
    before = error()
    now = first.with_tables(tables.tables[5])
    assert error() < before
    late = Guesses(rng(), 1000, deadline=0.0)
    now = first
    unmoved = late(now, asked)[0]
    now = first.with_tables(tables.tables[5])
    still = late(now, asked)[0]
    assert still / still.sum() == pytest.approx(unmoved / unmoved.sum()), "after the deadline the file stays as it is"


@given(st.lists(st.floats(-50, 100), min_size=1, max_size=8), st.floats(1, 200))
@settings(deadline=None, max_examples=20)
def test_the_simplex_is_reached_on_the_shortest_way(counts, total) -> None:
    given_counts = np.array(counts)
    found = on_simplex(given_counts, total)
    assert found.sum() == pytest.approx(total)
    assert (found >= 0.0).all()
    start = np.full(len(counts), total / len(counts))
    slow = minimize(
        lambda x: ((x - given_counts) ** 2).sum(),
        start,
        bounds=[(0, None)] * len(counts),
        constraints={"type": "eq", "fun": lambda x: x.sum() - total},
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert ((found - given_counts) ** 2).sum() <= slow.fun + 1e-5 * max(1.0, slow.fun)


def test_groups_join_what_the_noise_hides() -> None:
    counts = np.array([100.0, 2.0, 90.0, -3.0, 80.0, 1.0])
    assert groups_of(counts, 5.0, 270.0, False).tolist() == [0, 3, 1, 3, 2, 3]
    ages = np.append(np.full(100, 10.0), 0.0)
    groups = groups_of(ages, 5.0, 1000.0, True)
    assert (np.diff(groups[:-1]) >= 0).all()
    assert 10 <= groups.max() + 1 <= 20


def test_tables_are_read_as_they_were_written(tables, tmp_path) -> None:
    tables.write(tmp_path / "t.json")
    read = PrivateTables.read(tmp_path / "t.json")
    assert read.domain == tables.domain
    assert read.budget == tables.budget
    assert read.payments == tables.payments
    assert all(
        one.columns == two.columns and one.sigma == two.sigma and np.array_equal(one.counts, two.counts)
        for one, two in zip(read.tables, tables.tables, strict=True)
    )
    assert (tmp_path / "t.json").stat().st_mode & 0o077 == 0


def test_the_number_of_records_is_estimated_from_all_tables(tables) -> None:
    assert abs(tables.records - 3000) < 150
    exact = NoisyTable((1,), np.array([1500.0, 1500.0, 0.0]), 0.01)
    assert tables.with_tables(exact).records == 3000
