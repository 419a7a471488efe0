"""The digests of results are repeatable, tell what differs, and leave out no masking method."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from evosdc.plugins.registry import default_registry

pytestmark = pytest.mark.studies

SCRIPT = Path(__file__).parents[2] / "experiments" / "digests.py"
CASE = "mask mdav housing --set k=3"


def digests(store, *options):
    command = [sys.executable, str(SCRIPT), "--store", str(store), "--only", CASE, *options]
    return subprocess.run(command, capture_output=True, text=True)


def test_what_was_recorded_is_found_again_and_a_change_is_named(tmp_path):
    store = tmp_path / "digests.json"
    done = digests(store, "--record")
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(store.read_text())
    assert set(document["digests"]) == {f"{CASE}: masked.csv", f"{CASE}: masked.manifest.json"}

    document["digests"][f"{CASE}: masked.csv"] = "0" * 64
    document["digests"] |= {f"{CASE}: gone.csv": "0" * 64, "another case: best.csv": "0" * 64}
    del document["digests"][f"{CASE}: masked.manifest.json"]
    store.write_text(json.dumps(document))
    done = digests(store)
    assert done.returncode == 1
    found = [line for line in done.stdout.splitlines() if line.startswith(("differs", "missing", "new"))]
    expected = {("missing", "gone.csv"), ("differs", "masked.csv"), ("new", "masked.manifest.json")}
    assert {(line.split()[0], line.rpartition(": ")[2]) for line in found} == expected

    assert digests(store, "--record").returncode == 0
    assert digests(store).returncode == 0
    assert "another case: best.csv" in json.loads(store.read_text())["digests"], "cases that were not run are kept"


def test_every_masking_method_has_a_case(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    from digest_cases import MASKS

    assert {line.split()[0] for line in MASKS.strip().splitlines()} == set(default_registry().names("masking-method"))
