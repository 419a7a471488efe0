"""The benchmark of the informed measures runs."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.studies

ROOT = Path(__file__).parents[3]


def test_informed_benchmark_runs():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.informed", "--smoke"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "with relabelling" in done.stdout
    assert done.stdout.count("uniform") == 3
