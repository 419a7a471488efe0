"""The benchmark of reading and writing runs in its smoke profile; figures are for people to read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.studies

ROOT = Path(__file__).parents[2]


def test_the_smoke_profile_times_both_doors():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.doors", "--smoke"],
        capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    for row in ("mdav", "rank-swapping", "individual-risk", "mask mdav", "risk --models", "read cents", "write digits"):
        assert [line for line in done.stdout.splitlines() if row in line], row
