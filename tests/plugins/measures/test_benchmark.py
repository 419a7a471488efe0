"""The benchmark runs in its smoke profile; figures are for people to read."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.studies

ROOT = Path(__file__).parents[3]


def test_the_smoke_profile_prints_every_section():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.measures", "--smoke"],
        capture_output=True, text=True, check=True, cwd=ROOT, env={"PATH": ""},
    )  # fmt: skip
    for section in ("prefix tree and", "growing file", "recordlinkage", "mean-variation", "k-d tree", "privacy models"):
        assert section in done.stdout
