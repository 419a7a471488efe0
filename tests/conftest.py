"""Shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

# A distribution of its own, with tests that run only where it is installed: see test_stranger.py.
collect_ignore = ["stranger"]

# Kernels compile at their first call, so no single example has a deadline.
hypothesis_settings.register_profile(
    "evosdc", deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
hypothesis_settings.load_profile("evosdc")


@pytest.fixture
def data() -> Path:
    """The folder that EVOSDC_DATA names; the test is skipped without it."""
    named = os.environ.get("EVOSDC_DATA")
    if not named or not Path(named).is_dir():
        pytest.skip("EVOSDC_DATA names no folder with the published data sets")
    return Path(named)
