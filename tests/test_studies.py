"""Benchmarks and scripts of studies can be loaded; before a release (``-m studies``) every benchmark runs, in short."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("benchmarks", "experiments")
SCRIPTS = sorted(path.relative_to(ROOT) for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
ELSEWHERE = ("sdnist",)
"""Packages that a script needs in an environment of its own."""


def load(path):
    """Import a script, and forget what it imported from a folder of studies: two may use the same names."""
    before = set(sys.modules)
    name = path.stem if path.parts[0] == "experiments" else ".".join(path.with_suffix("").parts)
    try:
        return importlib.import_module(name)
    finally:
        for name in set(sys.modules) - before:
            if str(ROOT / "experiments") in str(getattr(sys.modules[name], "__file__", "")):
                del sys.modules[name]


def test_scripts_can_be_loaded(monkeypatch):
    usual = [str(ROOT), *sys.path]
    for path in SCRIPTS:
        monkeypatch.setattr(sys, "path", [str((ROOT / path).parent), *usual])
        try:
            assert load(path).__doc__, path
        except ModuleNotFoundError as missing:
            if missing.name not in ELSEWHERE:
                raise


PRINTED = {
    "doors": ("mdav", "rank-swapping", "individual-risk", "mask mdav", "risk --models", "read cents", "write digits"),
    "clustered": ("correlated lognormal",),
    "engine": ("parent-child", "hill-climbing", "islands", "prl", "measures"),
    "growth": ("candidates a second",),
    "informed": ("with relabelling", "uniform"),
    "masking": ("mdav", "rank-swapping", "pram", "local-suppression", "k-member", "r-gather", "mondrian"),
    "measures": ("prefix tree and", "growing file", "recordlinkage", "mean-variation", "k-d tree", "privacy models"),
    "million --only measure": ("command", "mask", "measure"),
    "search --algorithms memetic,parent-child": ("equal processor time", "equal evaluations", "offspring a second"),
}


@pytest.mark.studies
@pytest.mark.parametrize("words", PRINTED)
def test_a_benchmark_runs_in_its_smoke_profile(words, tmp_path):
    name, *options = words.split()
    if name == "search":
        options += ["-o", str(tmp_path)]
    command = [sys.executable, "-m", f"benchmarks.{name}", "--smoke", *options]
    environment = {**os.environ, "COLUMNS": "200", "EVOSDC_DATA": ""}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [text for text in PRINTED[words] if text not in done.stdout] == []
