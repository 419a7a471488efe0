"""The folder of published data sets, where there is one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture
def data() -> Path:
    """The folder that EVOSDC_DATA names; the test is skipped without it."""
    named = os.environ.get("EVOSDC_DATA")
    if not named or not Path(named).is_dir():
        pytest.skip("EVOSDC_DATA names no folder with the published data sets")
    return Path(named)
