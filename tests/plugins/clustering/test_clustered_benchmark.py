from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.clustered import by_clusters, plain, squares, timed
from benchmarks.masking import amounts

ROOT = Path(__file__).parents[3]


@pytest.mark.studies
def test_the_smoke_profile_prints_both() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.clustered", "--smoke"],
        capture_output=True, text=True, check=True, cwd=ROOT, env={"COLUMNS": "200", "PATH": ""},
    )  # fmt: skip
    assert "correlated lognormal" in done.stdout


def test_loss_is_a_share_of_the_sum_of_squares() -> None:
    table = amounts(300)
    assert squares(table, table) == 0.0
    means = table.numbers.mean(axis=0) + np.zeros_like(table.numbers)
    assert squares(table, type(table)(table.schema, table.codes, means)) == pytest.approx(100.0)
    assert 0.0 < timed(table, plain()).loss < timed(table, by_clusters(30)).loss < 100.0
