from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.clustered import by_clusters, plain, squares, timed
from benchmarks.masking import amounts

ROOT = Path(__file__).parents[3]


def test_loss_is_a_share_of_the_sum_of_squares() -> None:
    table = amounts(300)
    assert squares(table, table) == 0.0
    means = table.numbers.mean(axis=0) + np.zeros_like(table.numbers)
    assert squares(table, type(table)(table.schema, table.codes, means)) == pytest.approx(100.0)
    assert 0.0 < timed(table, plain()).loss < timed(table, by_clusters(30)).loss < 100.0
