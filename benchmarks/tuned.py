"""The best masking method after long tuning, within the bounds that `evosdc protect` keeps for public files.

Run from the repository's root: ``python -m benchmarks.tuned [--time 10m] [FILE ...]``. The files are those of
`benchmarks.publishable`, each tuned once by a fresh key. Rows go to ``benchmarks/results/tuned.csv``; one of the same
name is replaced. A file is not judged by what a learner guesses, which the verdict of `protect` asks for: its loss is
the least that a method may have, and may be of a file that must not be published.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from benchmarks.honest_files import File, excerpts, people, registered
from benchmarks.publishable import with_numbers

RESULTS = Path(__file__).parent / "results"
ROWS, FOUND = RESULTS / "tuned.csv", RESULTS / "publishable-files.csv"
ROW = ("file", "loss", "within", "method", "files", "seconds")


def tuned(file: File, time: str) -> dict[str, Any]:
    """Tune all methods for a file: a row."""
    words = ["tune", file.data, *file.options, "--audience", "public", "--time", time, "--quiet", "--json"]
    done = subprocess.run([sys.executable, "-m", "evosdc", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise click.ClickException(f"{file.name}: {done.stderr.strip()}")
    result = json.loads(done.stdout)
    best = result["best"]
    return {
        "file": file.name,
        "loss": best["scores"]["il"],
        "within": best["scores"]["infeasibility"] == 0.0,
        "method": best["label"],
        "files": result["evaluations"],
        "seconds": round(result["seconds"]),
    }


def stored(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table; none where there is no file."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@click.command()
@click.argument("names", nargs=-1, metavar="[FILE ...]")
@click.option("--time", default="10m", show_default=True)
def main(names: tuple[str, ...], time: str) -> None:
    """Tune files, and print the losses beside those that `protect` finds in a minute."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        for file in [*registered(folder), *people(folder), *excerpts(folder), *with_numbers(folder)]:
            if names and file.name not in names:
                continue
            row = tuned(file, time)
            rows = [one for one in stored(ROWS) if one["file"] != file.name] + [row]
            with ROWS.open("w", encoding="utf-8", newline="") as written:
                writer = csv.DictWriter(written, ROW, lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
    table = Table(
        "file", "tuned", "method", "files", "seconds", "found by protect", title=f"Loss after {time} of tuning"
    )
    for row in stored(ROWS):
        losses = [float(run["loss"]) for run in stored(FOUND) if run["file"] == row["file"]]
        loss = f"{float(row['loss']):.3f}{'' if row['within'] == 'True' else ' (outside the bounds)'}"
        found = f"{mean(losses):.3f}" if losses else ""
        table.add_row(row["file"], loss, row["method"], row["files"], row["seconds"], found)
    Console(width=150).print(table)


if __name__ == "__main__":
    main()
