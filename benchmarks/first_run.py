"""What the first run on a machine costs: whole processes with an empty cache of compiled kernels, and again after it.

python -m benchmarks.first_run [--smoke]

The clock of ``--time`` stands still while kernels are compiled, so the last command shows what a search reaches in its
first run and in its second.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.whole_command import whole

ORDINAL = "built,degree,grade1"
COMMANDS: tuple[tuple[str, list[str]], ...] = (
    ("mask mdav", ["mask", "mdav", "housing", "--attributes", ORDINAL, "-o", "masked-{}.csv"]),
    ("measure", ["measure", "housing", "masked-{}.csv"]),
    ("protect", ["protect", "housing", "--generations", "100", "--quiet", "-o", "all-{}"]),
    ("protect --time 30s", ["protect", "housing", "--time", "30s", "--quiet", "-o", "timed-{}"]),
)


def main() -> None:
    """Print a line for each command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="the first command alone, to see that it works")
    commands = COMMANDS[:1] if parser.parse_args().smoke else COMMANDS
    print(f"{'command':<20}{'first':>8}{'CPU s':>8}{'kernels':>9}{'second':>8}{'CPU s':>8}{'times':>7}  evaluations")
    with TemporaryDirectory(prefix="evosdc-") as place:
        folder = Path(place)
        for name, words in commands:
            cache = folder / f"cache-{len(list(folder.iterdir()))}"
            runs = []
            for turn in ("first", "second"):
                found = whole([word.format(turn) for word in words], cache, folder)
                if found.status not in (0, 1):
                    sys.exit(found.said)
                runs.append(found)
            first, second = runs
            kernels = len(list(cache.rglob("*.nbc")))
            reached = [folder / words[-1].format(turn) / "result.json" for turn in ("first", "second")]
            counts = [f"{json.loads(file.read_text())['evaluations']}" for file in reached if file.exists()]
            print(
                f"{name:<20}{first.seconds:>8.1f}{first.processor:>8.1f}{kernels:>9}{second.seconds:>8.1f}"
                f"{second.processor:>8.1f}{first.seconds / second.seconds:>7.1f}  {' and '.join(counts)}",
                flush=True,
            )


if __name__ == "__main__":
    main()
