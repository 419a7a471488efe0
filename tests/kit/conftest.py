"""The frozen plugin is imported as any installed one would be, and no test leaves a plugin behind."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent / "frozen"))


@pytest.fixture(autouse=True)
def none_left(forgotten: None) -> None:
    """Forget what each test of this folder has loaded."""
