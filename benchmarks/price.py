"""What the bounds cost on what a file discloses of its own people beyond others: loss with and without them.

Run from the repository's root: ``python -m benchmarks.price [--time 60s] [--rows FILE.csv] [FILE ...]``. The fifteen
files of `benchmarks.honest_files` are searched by the defaults of `evosdc protect`, but without the bounds on values
that are looked up, on the surest matches and on the linkage by displacements, and without a verdict before the end.
Beside stands the loss with all of that, the mean over keys of `benchmarks.publishable` as stored. A difference is also
chance: two keys of one search differ, too.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

import click
from rich.console import Console
from rich.table import Table

from benchmarks.honest_files import File, excerpts, people, registered
from evosdc.experiment.protection import protection
from evosdc.experiment.reader import experiment_text
from evosdc.model.constraint import Constraint
from evosdc.options.search import ProtectOptions
from evosdc.plugins.registry import default_registry

STORED = Path("benchmarks/results/publishable-files.csv")

PROGRAM = """
import sys
from evosdc.cli import main
from evosdc.experiment import early_verdict
early_verdict.CHECKED = ()
main(sys.argv[1:])
"""
"""The command line, without a verdict before the end of a search."""


def unbounded(file: File, time: str) -> tuple[str, list[str]]:
    """Return the experiment without the bounds, as the text of a file, and the bounds that it lacks."""
    registry = default_registry()
    given = dict(zip(file.options[::2], file.options[1::2], strict=True))
    source = {"file" if Path(file.data).exists() else "name": file.data}
    source |= {"schema": given["--schema"]} if "--schema" in given else {}
    protect = given["--protect"].split(",") if "--protect" in given else None
    options = ProtectOptions.model_validate({"data": file.data, "time": time, "protect": protect})
    experiment = protection(source | ({"protect": protect} if protect else {}), registry, options)
    members = {name for use in ("lookup", "followed") for name in registry.defaults("measure", use)}
    lacking = [text for text in experiment.limits if Constraint.parse(text).name in members]
    kept = tuple(text for text in experiment.limits if text not in lacking)
    return experiment_text(experiment.model_copy(update={"limits": kept})), lacking


@click.command()
@click.argument("names", nargs=-1, metavar="[FILE ...]")
@click.option("--time", default="60s", show_default=True)
@click.option("--rows", "listed", type=click.Path(path_type=Path, dir_okay=False))
def main(names: tuple[str, ...], time: str, listed: Path | None) -> None:
    """Search each file without the bounds, and print the losses."""
    with STORED.open(encoding="utf-8", newline="") as stored:
        bounded = list(csv.DictReader(stored))
    rows = []
    with TemporaryDirectory() as place:
        folder = Path(place)
        for file in [*registered(folder), *people(folder), *excerpts(folder)]:
            if names and file.name not in names:
                continue
            text, lacking = unbounded(file, time)
            experiment, run = folder / f"{file.name}-experiment.toml", folder / f"{file.name}-run"
            experiment.write_text(text, encoding="utf-8")
            words = [sys.executable, "-c", PROGRAM, "run", str(experiment), "--quiet", "-o", str(run)]
            done = subprocess.run(words, text=True, capture_output=True, check=False)
            if not (run / "result.json").exists():
                raise click.ClickException(f"{file.name}: {done.stderr}")
            loss = json.loads((run / "result.json").read_text())["best"]["scores"]["il"]
            within = mean(float(row["loss"]) for row in bounded if row["file"] == file.name)
            rows.append((file.name, f"{within:.4f}", f"{loss:.4f}", f"{within - loss:.4f}", " ".join(lacking)))
            click.echo(f"{file.name}: {within:.2f} with, {loss:.2f} without", err=True)
    head = ("file", "loss", "without", "price", "bounds")
    if listed is not None:
        with listed.open("w", encoding="utf-8", newline="") as written:
            csv.writer(written, lineterminator="\n").writerows((head, *rows))
    table = Table(*head, title=f"Loss with and without bounds on what members disclose, {time} each")
    for row in rows:
        table.add_row(*row)
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
