"""The least suppression, against all possibilities, and what the heuristics cost beside it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from evosdc.table.table import Table
from evosdc_masking.suppression.agreement import alike
from evosdc_masking.suppression.keys import Values, key_values
from evosdc_masking.suppression.local_suppression import LocalSuppression
from tests.plugins.masking.tables import NOMINAL, categorical, masked

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
