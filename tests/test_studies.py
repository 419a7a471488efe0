"""Every benchmark and every script of a study can be loaded; what they do is tested by ``pytest -m studies``."""

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SCRIPTS = sorted(
    path.relative_to(ROOT) for folder in ("benchmarks", "experiments") for path in (ROOT / folder).rglob("*.py")
)


@pytest.mark.parametrize("path", SCRIPTS, ids=str)
def test_it_can_be_loaded(path, monkeypatch):
    of_a_package = (ROOT / path).with_name("__init__.py").exists()
    name = ".".join(path.with_suffix("").parts) if of_a_package else path.stem
    monkeypatch.setattr(sys, "path", [str((ROOT / path).parent), str(ROOT), *sys.path])
    monkeypatch.setattr(sys, "modules", dict(sys.modules))  # scripts of two studies may have the same name
    assert importlib.import_module(name).__doc__
