"""Losses that analysts of numbers share: tables of quantile classes, and shifts of estimates."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import log

import numpy as np
import pytest

from evosdc.errors import ParameterError
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import Table
from tests.plugins.measures.numeric.cases import fitted, noisy, numeric


def mixed(n: int, seed: int = 1) -> Table:
    """Return two numbers that go together, and a category."""
    rng = np.random.default_rng(seed)
    first = rng.normal(size=n)
    numbers = np.column_stack([first, first + rng.normal(size=n)])
    attributes = (
        Attribute("income", scale=Scale.NUMERIC),
        Attribute("hours", scale=Scale.NUMERIC),
        Attribute("sex", scale=Scale.NOMINAL, categories=("f", "m")),
        Attribute("job", scale=Scale.NOMINAL, categories=("a", "b", "c")),
    )
    codes = np.column_stack([rng.integers(0, 2, n), rng.integers(0, 3, n)]).astype(np.int32)
    return Table(Schema(attributes), codes, numbers)


def classes(original: np.ndarray, values: np.ndarray, bins: int) -> list[int]:
    limits = [q for q in sorted(set(np.quantile(original, np.arange(1, bins) / bins))) if q > original.min()]
    return [sum(value >= limit for limit in limits) for value in values.tolist()]


def tables_moved(original: Table, masked: Table, bins: int) -> float:
    """Return the share of records that moved, by counting each table with a number cell by cell."""
    sides = []
    for table in (original, masked):
        columns = [classes(a, b, bins) for a, b in zip(original.numbers.T, table.numbers.T, strict=True)]
        sides.append([*columns, *(column.tolist() for column in table.codes.T)])
    n, numbers = len(original), original.numbers.shape[1]
    shares = []
    for size in (1, 2):
        for members in combinations(range(len(sides[0])), size):
            if min(members) >= numbers:
                continue
            x, y = (Counter(zip(*(side[v] for v in members), strict=True)) for side in sides)
            shares.append(sum(abs(x[cell] - y[cell]) for cell in x | y) / (2 * n))
    return 100 * sum(shares) / len(shares)


@pytest.mark.parametrize(("n", "bins"), [(60, 4), (900, 6), (3000, 10)])
def test_tables_are_counted_by_quantile_classes_that_grow_with_the_file(n, bins) -> None:
    original = mixed(n)
    masked = noisy(original, 0.5, np.random.default_rng(2))
    loss = fitted("quantile-tables", original)
    assert loss.score(masked) == pytest.approx(tables_moved(original, masked, bins))
    assert loss.score(original) == 0.0
    assert loss.score(masked) == fitted("quantile-tables", original, bins=bins).score(masked)


def test_an_exchange_of_records_and_moves_within_a_class_are_no_loss() -> None:
    original = mixed(200)
    order = np.random.default_rng(3).permutation(200)
    exchanged = Table(original.schema, original.codes[order], original.numbers[order])
    assert fitted("quantile-tables", original).score(exchanged) == 0.0
    highest = original.numbers.copy()
    highest[highest.argmax(axis=0), [0, 1]] += 100.0
    assert fitted("quantile-tables", original).score(Table(original.schema, original.codes, highest)) == 0.0


def test_tables_of_categories_are_for_others() -> None:
    original = mixed(50).select(["sex", "job"])
    with pytest.raises(ParameterError, match="attributes without numbers; wanted at least one number"):
        fitted("quantile-tables", original)


def shift(x: np.ndarray, y: np.ndarray) -> float:
    """Return the score of the estimates of several columns, by numpy's own statistics."""

    def coefficients(values: np.ndarray) -> np.ndarray:
        whole = np.corrcoef(values, rowvar=False) + 1e-3 * np.eye(values.shape[1])
        listed = []
        for v in range(values.shape[1]):
            rest = [w for w in range(values.shape[1]) if w != v]
            listed.append(np.linalg.solve(whole[np.ix_(rest, rest)], whole[rest, v]))
        return np.concatenate(listed)

    upper = np.triu_indices(x.shape[1], 1)
    parts = [
        (y.mean(axis=0) - x.mean(axis=0)) / x.std(axis=0),
        np.log(y.std(axis=0) / x.std(axis=0)),
        (np.corrcoef(y, rowvar=False) - np.corrcoef(x, rowvar=False))[upper] / 2,
        coefficients(y) - coefficients(x),
    ]
    return 100 * float(np.mean([np.minimum(abs(part), 1).mean() for part in parts]))


def test_estimates_are_those_of_an_analyst() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(300, 4)) @ rng.normal(size=(4, 4)) + 7
    y = x + rng.normal(size=x.shape)
    original = numeric(*x.T)
    assert fitted("estimates", original).score(numeric(*y.T)) == pytest.approx(shift(x, y))
    assert fitted("estimates", original).score(original) == pytest.approx(0.0, abs=1e-9)


def test_estimates_by_hand() -> None:
    original = numeric([0.0, 2.0, 0.0, 2.0])
    assert fitted("estimates", original).score(numeric([0.5, 2.5, 0.5, 2.5])) == pytest.approx(25.0)
    assert fitted("estimates", original).score(numeric([0.0, 1.0, 0.0, 1.0])) == pytest.approx(100 * (0.5 + log(2)) / 2)
    assert fitted("estimates", original).score(numeric([1.0] * 4)) == pytest.approx(50.0)  # the mean stays
    assert fitted("estimates", numeric([3.0] * 4)).score(numeric([3.0] * 4)) == 0.0


def test_beyond_every_sample_estimates_still_have_a_direction() -> None:
    rng = np.random.default_rng(6)
    x = rng.normal(size=(2000, 5)) @ rng.normal(size=(5, 5))
    original = numeric(*x.T)
    near, far = (numeric(*(x + size * rng.normal(size=x.shape)).T) for size in (1.0, 3.0))
    apil, estimates = fitted("apil", original), fitted("estimates", original)
    assert apil.score(far) < 1.3 * apil.score(near)
    assert estimates.score(far) > 1.5 * estimates.score(near)
