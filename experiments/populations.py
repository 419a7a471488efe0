"""Tables of the populations of finished runs, from what the runs left; nothing is evaluated.

    python experiments/populations.py FOLDER

``runs.csv`` of the folder names the run folders below it in its column ``folder``; its other columns say what each run
is, and stand in all tables. ``dispersion.csv`` has IL and DR of the initial and the final population, rounded and
without repetitions, ``evolution.csv`` least, mean and greatest score, IL and DR at some 40 points of each run, and
``times.csv`` what the runs took.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

SETS = {"portfolio": "initial", "population": "final"}
POINTS = 40
"""Of each run at most, the first and the last among them."""

Row = dict[str, Any]


def rows_of(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(path: Path, rows: Sequence[Row]) -> None:
    """Write a table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def dispersion(run: Path) -> Iterator[Row]:
    """Yield IL and DR of both populations; populations of several objectives have their front in place of the last."""
    found = rows_of(run / "scores.csv")
    for kind, name in SETS.items():
        points = {(f"{float(row['il']):.1f}", f"{float(row['dr']):.1f}") for row in found if row["set"] == kind}
        yield from ({"set": name, "il": il, "dr": dr} for il, dr in sorted(points))


def evolution(run: Path) -> Iterator[Row]:
    """Yield scores, IL and DR of the population over the evaluations."""
    records = [json.loads(line) for line in (run / "journal.jsonl").read_text(encoding="utf-8").splitlines()]
    step = max(1, -(-len(records) // POINTS))
    for record in [*records[:-1:step], records[-1]]:
        figures = {
            f"{name} {key}": f"{record[name][key]:.2f}"
            for name in ("fitness", "il", "dr")
            if name in record
            for key in ("min", "mean", "max")
        }
        yield {"evaluations": record["evaluations"], **figures}


def times(run: Path, seconds: Mapping[str, str]) -> Row:
    """Return what a run took."""
    result = json.loads((run / "result.json").read_text(encoding="utf-8"))
    facts = {"records": result["records"], "attributes": len(result["protect"])}
    return facts | {"generations": result["generations"], "evaluations": result["evaluations"], **seconds}


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
def main(folder: Path) -> None:
    """Write the tables of the runs in FOLDER."""
    tables: dict[str, list[Row]] = {"dispersion": [], "evolution": [], "times": []}
    for said in rows_of(folder / "runs.csv"):
        run = folder / said.pop("folder")
        seconds = {key: said.pop(key) for key in list(said) if "seconds" in key}
        tables["dispersion"] += [{**said, **row} for row in dispersion(run)]
        if json.loads((run / "journal.jsonl").read_text(encoding="utf-8").splitlines()[0]).get("fitness"):
            tables["evolution"] += [{**said, **row} for row in evolution(run)]
        tables["times"].append({**said, **times(run, seconds)})
    for name, rows in tables.items():
        write(folder / f"{name}.csv", rows)


if __name__ == "__main__":
    main()
