from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import plain_masking
from benchmarks.peak_memory import growth
from evosdc.table.table import MISSING, Table
from evosdc_masking.microaggregation.mdav import Mdav
from evosdc_masking.microaggregation.univariate import UnivariateMicroaggregation
from tests.plugins.masking.tables import NOMINAL, ORDINAL, categorical, masked, numeric

pytestmark = pytest.mark.studies

ROOT = Path(__file__).parents[3]


@pytest.fixture
def amounts() -> Table:
    return numeric(np.random.default_rng(1).normal(size=(97, 3)))


def test_plain_versions_do_the_same_work(amounts: Table) -> None:
    np.testing.assert_allclose(
        plain_masking.mdav(amounts.numbers, 4), masked(Mdav, amounts, k=4, destandardise=False).numbers
    )
    np.testing.assert_allclose(
        plain_masking.univariate(amounts.numbers, 4), masked(UnivariateMicroaggregation, amounts, k=4).numbers
    )
    swapped = plain_masking.rank_swapping(amounts.numbers, 10, np.random.default_rng(1))
    np.testing.assert_array_equal(np.sort(swapped, axis=0), np.sort(amounts.numbers, axis=0))


def test_plain_versions_for_categories_keep_their_promises() -> None:
    rng = np.random.default_rng(2)
    table = categorical(rng.integers(0, 4, (100, 3)), [4, 4, 4], [ORDINAL, NOMINAL, NOMINAL])
    assert np.bincount(plain_masking.mdav_of_categories(table, 6)).min() >= 6
    suppressed = plain_masking.local_suppression(table.codes, 3)
    assert ((suppressed == table.codes) | (suppressed == MISSING)).all()
    np.testing.assert_array_equal(plain_masking.pram(table.codes[:, 0], np.eye(4), rng), table.codes[:, 0])


def block(size: int, share: float) -> object:
    return lambda: np.ones(int(size * 2**20 * share / 8)).sum()


def test_growth_of_memory_is_told() -> None:
    grown = growth(block, 200, 1.0)
    if grown is None:
        pytest.skip("this system does not tell the peak of a process's memory")
    assert 150 < grown < 260
