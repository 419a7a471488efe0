"""The frozen plugin is imported as any installed one would be, and no test leaves a plugin behind."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from evosdc.plugins import registered
from evosdc.plugins.registry import default_registry

sys.path.append(str(Path(__file__).parent / "frozen"))


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Forget plugins of single files and registered classes, in this process and its environment."""
    monkeypatch.setenv("EVOSDC_PLUGINS", "")
    monkeypatch.setenv("EVOSDC_REGISTERED", "[]")
    monkeypatch.setattr(registered, "_KNOWN", {})
    default_registry.cache_clear()
    yield
    default_registry.cache_clear()
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]
