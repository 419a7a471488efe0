"""The least suppression, against all possibilities, and what the heuristics cost beside it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from time import monotonic

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from evosdc.cli import main
from evosdc.errors import ParameterError
from evosdc.files.reading import read_source
from evosdc.table.table import Table
from evosdc_masking.suppression import exact
from evosdc_masking.suppression.agreement import alike
from evosdc_masking.suppression.choices import centre_choices, class_choices
from evosdc_masking.suppression.column_generation import Group, relaxed
from evosdc_masking.suppression.groups import least_groups, solved_at_once
from evosdc_masking.suppression.keys import Values, key_values
from evosdc_masking.suppression.local_suppression import LocalSuppression
from evosdc_masking.suppression.pricing import within
from tests.plugins.masking.tables import NOMINAL, categorical, categorical_tables, masked
from tests.published import DataSets

FACTOR = {"wildcard": 2.5, "category": 2.0}
MEAN = {"wildcard": 1.5, "category": 1.2}
"""How much more than the least the heuristics may cost on the tables below: each, and over all of them."""


def small_table(seed: int, records: tuple[int, int], width: tuple[int, int], missing: bool) -> Table:
    rng = np.random.default_rng(seed)
    n, columns, sizes = int(rng.integers(*records)), int(rng.integers(*width)), int(rng.integers(2, 5))
    codes = rng.integers(-1 if missing else 0, sizes, (n, columns))
    return categorical(codes, (sizes,) * columns, (NOMINAL,) * columns)


def cost(table: Table, published: Table, weights: np.ndarray) -> float:
    return float((((key_values(published) < 0) & (key_values(table) >= 0)) * weights).sum())


def least_cost(values: Values, k: int, wildcard: bool, weights: np.ndarray) -> float:
    """Try every set of cells."""
    best = np.inf
    for chosen in product((False, True), repeat=values.size):
        cut = np.array(chosen).reshape(values.shape)
        if (cut & (values < 0)).any() or (cut * weights).sum() >= best:
            continue
        if alike(np.where(cut, -1, values).astype(np.int32), wildcard).min() >= k:
            best = (cut * weights).sum()
    return float(best)


@pytest.mark.parametrize("missing", ["wildcard", "category"])
@pytest.mark.parametrize("seed", range(6))
def test_the_exact_method_costs_the_least_of_all_possibilities(seed: int, missing: str) -> None:
    table = small_table(seed, (3, 6), (2, 3), missing=seed % 2 == 1)
    weights = np.array([1.0, 2.5])
    k = 2 + seed % 2
    published = masked(LocalSuppression, table, k=k, missing=missing, search="exact", importance={"c1": 2.5})
    expected = least_cost(key_values(table), k, missing == "wildcard", weights)
    assert cost(table, published, weights) == pytest.approx(expected)


@pytest.mark.endurance
@pytest.mark.parametrize("missing", ["wildcard", "category"])
def test_the_heuristics_stay_within_their_factors_of_the_least(missing: str) -> None:
    spent, least = [], []
    for seed in range(12):
        table = small_table(seed, (6, 12), (2, 5), missing=seed % 2 == 1)
        importance = {} if seed % 3 else {"c0": 3.0}
        weights = np.array([importance.get(name, 1.0) for name in table.schema.names])
        for store, search in ((spent, "heuristic"), (least, "exact")):
            published = masked(
                LocalSuppression, table, k=2 + seed % 2, missing=missing, search=search, importance=importance
            )
            store.append(cost(table, published, weights))
    ratios = [a / b for a, b in zip(spent, least, strict=True) if b]
    print(f"{missing}: {sum(spent):.0f} against {sum(least):.0f}, largest factor {max(ratios):.2f}")
    assert all(b <= a + 1e-9 for a, b in zip(spent, least, strict=True))
    assert max(ratios) <= FACTOR[missing]
    assert sum(spent) <= MEAN[missing] * sum(least)


def test_thousands_of_records_are_solved_where_few_are_distinct() -> None:
    rng = np.random.default_rng(5)
    codes = np.column_stack([np.minimum(rng.geometric(0.45, 3000) - 1, size - 1) for size in (6, 5, 4)])
    table = categorical(codes, (6, 5, 4), (NOMINAL,) * 3)
    least = masked(LocalSuppression, table, k=3, missing="category", search="exact")
    heuristic = masked(LocalSuppression, table, k=3, missing="category")
    weights = np.ones(3)
    assert alike(key_values(least), False).min() >= 3
    assert 0 < cost(table, least, weights) <= cost(table, heuristic, weights)


def divisions(records: list[int], k: int) -> Iterator[list[list[int]]]:
    """Yield every way to divide records into groups of k or more."""
    if not records:
        yield []
    for chosen in product((False, True), repeat=max(len(records) - 1, 0)):
        group = records[:1] + [r for r, taken in zip(records[1:], chosen, strict=True) if taken]
        if len(group) >= k:
            rest = [r for r in records if r not in group]
            yield from ([group, *others] for others in divisions(rest, k))


def least_of_divisions(values: Values, k: int, wildcard: bool, weights: np.ndarray) -> float:
    """Divide in every way. A group agrees where all but the most frequent value of an attribute are suppressed; it is
    the same, holes included, where all values are that differ."""

    def lost(column: np.ndarray) -> int:
        present = column[column >= 0]
        most = max((int((present == value).sum()) for value in present), default=0)
        if wildcard:
            return present.size - most
        return 0 if most == column.size else int(present.size)

    return min(
        sum(weight * lost(values[group, a]) for group in groups for a, weight in enumerate(weights))
        for groups in divisions(list(range(len(values))), k)
        if groups
    )


@pytest.mark.parametrize("missing", ["wildcard", "category"])
@effort(max_examples=40, deadline=None)
@given(table=categorical_tables(max_records=6), k=st.integers(2, 3), dear=st.sampled_from([1.0, 2.0, 2.5]))
def test_own_groups_cost_the_least_of_all_divisions(table: Table, k: int, dear: float, missing: str) -> None:
    k, names = min(k, len(table)), table.schema.names
    if k < 2:
        return
    weights = np.array([dear, *[1.0] * (len(names) - 1)])
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        published = masked(
            LocalSuppression,
            table,
            k=k,
            missing=missing,
            search="exact",
            own_groups=True,
            importance={names[0]: dear},
        )
    assert alike(key_values(published), missing == "wildcard").min() >= k
    expected = least_of_divisions(key_values(table), k, missing == "wildcard", weights)
    assert cost(table, published, weights) == pytest.approx(expected)


@pytest.mark.endurance
@pytest.mark.parametrize("wildcard", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_generated_columns_cost_as_little_as_all_choices_at_once(seed: int, wildcard: bool) -> None:
    rng = np.random.default_rng(seed)
    rows = np.column_stack([np.minimum(rng.geometric(0.4, 60) - 1, 3), *rng.integers(0, 3, (2, 60))]).astype(np.int32)
    values, counts = np.unique(rows, axis=0, return_counts=True)
    sizes, k, weights = counts.astype(np.int64), 3 + seed % 3, np.array([1.0, 2.0, 1.5 if seed % 2 else 1.0])
    choices = centre_choices(values, weights) if wildcard else class_choices(values, sizes, k, weights)
    everybody = [Group(np.arange(sizes.size), sizes, 60 * float(weights.sum()))]
    at_once = solved_at_once(choices, sizes, k, 60.0)
    found = least_groups(choices, sizes, k, weights, everybody, 60.0)
    assert at_once.proven
    assert found.proven
    assert found.cost == pytest.approx(at_once.cost)
    relaxation = relaxed(choices, sizes, k, everybody, monotonic() + 60.0)
    assert 0.0 < relaxation.bound <= at_once.cost + 1e-6
    # what the bound's prices leave out is in no better solution: all of the best one is left
    left = within(choices, sizes, relaxation.prices, k, at_once.cost - relaxation.bound)
    assert solved_at_once(choices.where(left), sizes, k, 60.0).cost == pytest.approx(at_once.cost)


def survey(data_sets: DataSets, *keys: str) -> Table:
    return read_source(data_sets.path("ihsn_testdata/testdata.csv")).table.select(keys)


@pytest.mark.parametrize(("k", "least"), [(2, 32), (3, 67)])
def test_a_survey_loses_as_few_values_as_by_the_whole_program(data_sets: DataSets, k: int, least: int) -> None:
    """The figures are of the program with all groups at once, which this file is small enough for."""
    table = survey(data_sets, "urbrur", "roof", "walls", "relat", "sex")
    published = masked(LocalSuppression, table, k=k, missing="category", search="exact")
    assert alike(key_values(published), False).min() >= k
    assert cost(table, published, np.ones(5)) == least


def test_groups_of_their_own_need_more_than_wildcards_that_count_for_all_and_less_than_categories(
    data_sets: DataSets,
) -> None:
    table = survey(data_sets, "urbrur", "roof", "walls", "relat", "sex")
    own = masked(LocalSuppression, table, k=3, missing="wildcard", search="exact", own_groups=True)
    shared = masked(LocalSuppression, table, k=3, missing="wildcard")
    weights = np.ones(5)
    assert alike(key_values(own), True).min() >= 3
    assert cost(table, shared, weights) < cost(table, own, weights) < 67


def test_empty_records_do_not_serve_all_others_in_groups_of_their_own() -> None:
    codes = np.vstack([np.repeat(np.arange(4)[:, np.newaxis], 3, axis=1), [[-1, -1, -1]] * 2])
    table = categorical(codes, (4,) * 3, (NOMINAL,) * 3, "wildcard")
    assert masked(LocalSuppression, table, k=3).same_records(table)
    own = masked(LocalSuppression, table, k=3, search="exact", own_groups=True)
    # one group of a person and the empty ones, which costs nothing, and one of the three others, of whom two lose all
    assert cost(table, own, np.ones(3)) == 6 == least_of_divisions(key_values(table), 3, True, np.ones(3))


def test_what_is_not_proven_is_said_with_a_bound_and_is_anonymous_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exact, "SECONDS", -1.0)
    table = categorical(np.random.default_rng(3).integers(0, 4, (60, 4)), (4,) * 4, (NOMINAL,) * 4)
    for missing in ("category", "wildcard"):
        with pytest.warns(UserWarning, match=r"not proven to be the least: it costs \d+, any costs .* or more"):
            published = masked(LocalSuppression, table, missing=missing, search="exact", own_groups=True)
        assert alike(key_values(published), missing == "wildcard").min() >= 3


@pytest.mark.parametrize("params", [{}, {"search": "exact", "subsets": (1,)}])
def test_own_groups_are_found_by_the_exact_search_of_all_attributes(params: dict) -> None:
    table = categorical(np.zeros((5, 2)), (2, 2), (NOMINAL,) * 2, "wildcard")
    with pytest.raises(ParameterError, match="own_groups: given"):
        masked(LocalSuppression, table, own_groups=True, **params)


def test_the_command_masks_by_own_groups_and_tells_what_is_not_proven(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = np.random.default_rng(2).integers(0, 3, (40, 3))
    data = tmp_path / "data.csv"
    data.write_text("a,b,c\n" + "".join(",".join(f"v{code}" for code in row) + "\n" for row in rows))
    sets = [f"--set={given}" for given in ("search=exact", "missing=wildcard", "own_groups=true")]
    call = ["mask", "local-suppression", str(data), "--protect", "a,b,c", *sets, "--force"]

    def told() -> str:
        with pytest.raises(SystemExit, match="0"):
            main([*call, "-o", str(tmp_path / "masked.csv")])
        return capsys.readouterr().err

    assert "not proven" not in told()
    monkeypatch.setattr(exact, "SECONDS", -1.0)
    assert told().count("Warning: local-suppression: within") == 1
