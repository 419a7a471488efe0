"""A distribution that evosdc knows nothing of, built and installed as a stranger's would be."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.packaging

TESTS = Path(__file__).parent


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the installed distribution; its source is copied first, since building leaves traces."""
    folder = tmp_path_factory.mktemp("stranger")
    source = shutil.copytree(TESTS / "stranger", folder / "source")
    target = folder / "installed"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"]
    done = subprocess.run([*command, "--target", str(target), str(source)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return target


def run(installed: Path, *arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    # Not the repository itself: the working folder would put it in front of what is installed.
    paths = os.pathsep.join(filter(None, [str(installed), os.environ.get("PYTHONPATH", "")]))
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths, **environment},
    )


@pytest.fixture(scope="module")
def outcome(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what the program that uses all of the stranger's offers printed, and what is in the diary."""
    folder = tmp_path_factory.mktemp("elsewhere")
    diary = folder / "diary.txt"
    done = run(installed, str(TESTS / "stranger_program.py"), folder=folder, EVOSDC_STRANGER_DIARY=str(diary))
    assert done.returncode == 0, done.stderr
    return {**json.loads(done.stdout), "diary": diary.read_text()}


def test_it_is_listed_with_its_distribution_and_version(outcome: dict[str, Any]) -> None:
    assert outcome["plugins"]["stranger"] == [
        "evosdc-stranger",
        "0.1.0",
        {
            "masking-method": ["scramble"],
            "measure": ["share-changed"],
            "fitness": ["product"],
            "genotype": ["suppressions"],
        },
    ]
    assert outcome["provider"] == "stranger (evosdc-stranger 0.1.0)"
    assert outcome["problems"] == []


def test_what_it_offers_works(outcome: dict[str, Any]) -> None:
    assert outcome["unchanged"] == 0.0
    assert 0.0 < outcome["masked"] < 50.0
    assert 0 < outcome["missing"] <= outcome["suppressed"]
    assert outcome["objectives"] == [10.0]


def test_its_command_is_there(outcome: dict[str, Any]) -> None:
    assert outcome["greeting"] == "hello, Ada\n"


def test_the_command_line_lists_it_and_has_its_command(installed: Path, tmp_path: Path) -> None:
    listing = run(installed, "-m", "evosdc", "plugins", "list", "--json", folder=tmp_path)
    assert listing.returncode == 0, listing.stderr
    found = json.loads(listing.stdout)
    assert {"name": "stranger", "distribution": "evosdc-stranger", "version": "0.1.0"} in found["plugins"]
    assert "scramble" in found["offers"]["masking-method"]
    greeting = run(installed, "-m", "evosdc", "greet", "Ada", folder=tmp_path)
    assert (greeting.returncode, greeting.stdout) == (0, "hello, Ada\n"), greeting.stderr


def test_it_hears_events_and_cannot_change_results(outcome: dict[str, Any]) -> None:
    assert outcome["diary"] == "Trial: 12.5\n"
    assert outcome["result"] == {"best": {"fitness": 12.5}}


def test_its_own_tests_pass(installed: Path, tmp_path: Path) -> None:
    source = shutil.copytree(TESTS / "stranger" / "tests", tmp_path / "tests")
    done = run(installed, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", str(source), folder=tmp_path)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout
    skipped = [line for line in done.stdout.splitlines() if line.startswith("SKIPPED")]
    # Some tests of measures ask for what this one does not offer; nothing else may be left out.
    offered = (
        "its score belongs to no records",
        "judges all attributes of a file",
        "judges children one by one",
        "judges all children of a file in one call",
    )
    assert [line for line in skipped if not line.endswith(offered)] == []
