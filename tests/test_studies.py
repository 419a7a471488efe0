"""Every benchmark and every script of a study can be loaded; what they do is tested by ``pytest -m studies``."""

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("benchmarks", "experiments")
SCRIPTS = sorted(path.relative_to(ROOT) for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
ELSEWHERE = ("sdnist",)
"""Packages that a script needs in an environment of its own."""


@pytest.fixture
def alone():
    """Forget afterwards what was imported from a folder of studies: two of them may use the same names."""
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if str(ROOT / "experiments") in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


@pytest.mark.parametrize("path", SCRIPTS, ids=str)
def test_it_can_be_loaded(path, monkeypatch, alone):
    monkeypatch.setattr(sys, "path", [str((ROOT / path).parent), str(ROOT), *sys.path])
    name = path.stem if path.parts[0] == "experiments" else ".".join(path.with_suffix("").parts)
    try:
        assert importlib.import_module(name).__doc__
    except ModuleNotFoundError as missing:
        if missing.name not in ELSEWHERE:
            raise
        pytest.skip(f"{missing.name} is not installed")
