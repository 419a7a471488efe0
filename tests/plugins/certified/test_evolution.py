"""The evolution: its counts, its rules, and that it comes near the original."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from evosdc.runs.layout import RunFolder
from evosdc_certified import evolution
from evosdc_certified.annealing import anneal
from evosdc_certified.domain import domain_of
from evosdc_certified.evolution import evolved, guesses, independent, lay_out
from evosdc_certified.measurement import budget_of, measure, workload_of_order
from evosdc_certified.tables import NoisyTable, PrivateTables, groups_of, on_simplex
from tests.plugins.certified.conftest import BOUNDS, SCHEMA, survey


@pytest.fixture(scope="module")
def tables() -> PrivateTables:
    table = survey()
    domain = domain_of(table.schema, table.schema.attributes, BOUNDS)
    return measure(table, domain, budget_of(3.0, 1e-6, len(table)), workload_of_order(4, 3), guesses(rng()))


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def misfit_of(tables, cells):
    """The squared differences of a file's tables to noisy ones, each over the variance of its noise, summed."""
    scale = tables.records / len(cells)
    return sum(
        float((((tables.count(cells, t.columns) * scale - t.counts) / t.sigma) ** 2).sum()) for t in tables.tables
    )


def test_moves_fit_the_tables_better_and_the_records_that_were_given_stay(tables) -> None:
    before = independent(tables, 500, rng())
    given_records = before.copy()
    after = anneal(tables, before, 20_000, 0.0, 1.0, rng())
    assert np.array_equal(before, given_records)
    assert misfit_of(tables, after) < 0.5 * misfit_of(tables, before)


def test_moves_in_two_parts_are_the_same_moves(tables) -> None:
    """The counts that a kernel keeps are those of the records: the second part counts them anew."""
    start, one, two = independent(tables, 500, rng()), rng(7), rng(7)
    half = anneal(tables, start, 10_000, 0.0, 0.5, one)
    assert np.array_equal(anneal(tables, half, 10_000, 0.5, 1.0, one), anneal(tables, start, 20_000, 0.0, 1.0, two))


def test_no_record_ever_breaks_a_rule(tables) -> None:
    cells = independent(tables, 1000, rng())
    assert len(tables.domain.rules) == 2
    assert not tables.domain.broken(cells).any()
    assert not tables.domain.broken(anneal(tables, cells, 100_000, 0.0, 1.0, rng())).any()


def of_engine(path, tables, records, moves=None, seconds=None, seed=5, say=lambda text: None):
    """A file evolved in a folder, new or not: the search, its moves, its cells."""
    folder = RunFolder(path)
    if not path.exists():
        lay_out(folder, tables, SCHEMA, seed)
    search, made = evolved(folder, tables, records, moves, seconds, seed, say)
    return search, made, tables.domain.cells(search.best.table)


def test_the_file_fits_the_tables_as_the_original_does_and_better_than_independent_attributes(tables, tmp_path) -> None:
    original = tables.domain.cells(survey())
    search, _, cells = of_engine(tmp_path / "run", tables, tables.records)
    start = independent(tables, tables.records, rng())
    assert misfit_of(tables, cells) < misfit_of(tables, original) < misfit_of(tables, start)
    assert search.best.scores["private-tables"] == pytest.approx(tables.score(misfit_of(tables, cells)), abs=1e-9)

    def distance(cells):
        asked = workload_of_order(4, 2)
        counts = [(tables.count(cells, c) / len(cells), tables.count(original, c) / len(original)) for c in asked]
        return np.mean([np.abs(one - two).sum() / 2 for one, two in counts])

    assert distance(cells) < 0.4 * distance(start)


def test_moves_and_a_key_repeat_a_file(tables, tmp_path) -> None:
    _, whole, _ = of_engine(tmp_path / "whole", tables, 300)
    assert whole >= 100 * 300 * 4
    search, moves, cells = of_engine(tmp_path / "first", tables, 300, 450_001)
    assert (search.generation, moves) == (3, 450_003)
    _, same_moves, same = of_engine(tmp_path / "again", tables, 300, moves)
    assert same_moves == moves
    assert np.array_equal(cells, same)
    assert not np.array_equal(cells, of_engine(tmp_path / "other", tables, 300, moves, seed=6)[2])


def test_a_time_is_kept_and_its_moves_repeat_the_file(tables, tmp_path) -> None:
    _, moves, cells = of_engine(tmp_path / "timed", tables, 3000, seconds=1.0)
    _, same_moves, same = of_engine(tmp_path / "again", tables, 3000, moves)
    assert same_moves == moves
    assert np.array_equal(cells, same)


def test_an_interrupted_evolution_goes_on(tables, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(evolution, "SAVED", 0.0)
    _, _, whole = of_engine(tmp_path / "whole", tables, 300, 1_000_000)

    def interrupting(text: str) -> None:
        if "60%" in text:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        of_engine(tmp_path / "run", tables, 300, 1_000_000, say=interrupting)
    said = []
    search, _, cells = of_engine(tmp_path / "run", tables, 300, say=said.append)
    assert len(said) == 3, "two of five generations were in the checkpoint"
    assert search.generation == 5
    assert np.array_equal(cells, whole)


def test_missing_values_that_the_noise_hides_do_not_occur(tables) -> None:
    single = [replace(t, counts=np.append(t.counts[:-1], 3.9 * t.sigma)) for t in tables.tables[:4]]
    hidden = replace(tables, tables=(*single, *tables.tables[4:]))
    cells = anneal(hidden, independent(hidden, 1000, rng()), 50_000, 0.0, 1.0, rng())
    assert (cells < np.array(tables.domain.sizes) - 1).all()


def test_guesses_see_more_with_every_table(tables) -> None:
    first = PrivateTables(tables.domain, tables.budget, tables.tables[:4], tables.groups)
    answers, asked = guesses(rng(), 1000), [tables.tables[5].columns]
    wanted = tables.tables[5].counts

    def error() -> float:
        return float(np.abs(answers(now, asked)[0] - wanted).sum())

    now = first
    before = error()
    now = first.with_tables(tables.tables[5])
    assert error() < before
    late = guesses(rng(), 1000, deadline=0.0)
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
