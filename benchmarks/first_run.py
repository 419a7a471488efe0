"""What the first run after an installation costs, and the same again: whole processes.

python -m benchmarks.first_run [--smoke]

evosdc is installed in a new folder for each command. The last figures are how many evaluations a search reaches in its
first run, which compiles kernels, and in its second.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from benchmarks.whole_command import whole

ROOT = Path(__file__).parents[1]
ORDINAL = "built,degree,grade1"
HEADINGS = f"{'command':<20}{'first':>8}{'CPU s':>8}{'kernels':>9}{'second':>8}{'CPU s':>8}{'times':>7}  reached"
COMMANDS: tuple[tuple[str, list[str]], ...] = (
    ("mask mdav", ["mask", "mdav", "housing", "--protect", ORDINAL, "--seed", "1", "-o", "masked-{}.csv"]),
    ("measure", ["measure", "housing", "masked-{}.csv"]),
    ("protect --time 30s", ["protect", "housing", "--time", "30s", "--seed", "1", "--quiet", "-o", "timed-{}"]),
)


def install(folder: Path) -> float:
    """Install evosdc in a folder, with the requirements borrowed from here, and return the seconds that took."""
    began = perf_counter()
    words = ["install", "--quiet", "--no-deps", "--no-build-isolation", "--target", str(folder), str(ROOT)]
    subprocess.run([sys.executable, "-m", "pip", *words], check=True)
    return perf_counter() - began


def main() -> None:
    """Print a line for each command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="the first command alone, to see that it works")
    smoke = parser.parse_args().smoke
    with TemporaryDirectory(prefix="evosdc-") as place:
        folder = Path(place)
        kept = folder / "installed"
        print(f"installation: {install(kept):.1f} s", flush=True)
        print(HEADINGS)
        for name, words in COMMANDS[:1] if smoke else COMMANDS:
            print(line(name, words, kept, folder / "used"), flush=True)


def line(name: str, words: list[str], kept: Path, folder: Path) -> str:
    """Run a command twice with a copy of an installation and return what that took."""
    folder.mkdir(exist_ok=True)
    installed = folder / "installed"
    shutil.copytree(kept, installed)
    before, runs = machine_code(installed), []
    for turn in ("first", "second"):
        found = whole([word.format(turn) for word in words], installed, folder)
        if found.status not in (0, 1):
            sys.exit(found.said)
        runs.append(found)
    first, second = runs
    kernels = machine_code(installed) - before
    shutil.rmtree(installed)
    reached = [folder / words[-1].format(turn) / "result.json" for turn in ("first", "second")]
    counts = [f"{json.loads(file.read_text())['evaluations']}" for file in reached if file.exists()]
    return (
        f"{name:<20}{first.seconds:>8.1f}{first.processor:>8.1f}{kernels:>9}{second.seconds:>8.1f}"
        f"{second.processor:>8.1f}{first.seconds / second.seconds:>7.1f}  {' and '.join(counts)}"
    )


def machine_code(folder: Path) -> int:
    """Return how many signatures of kernels have machine code in a folder."""
    return len(list(folder.rglob("*.nbc")))


if __name__ == "__main__":
    main()
