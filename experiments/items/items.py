"""Walk the items of the literature: type the command of each, and say whether it works.

    python experiments/items/items.py                    # all; exit status 1 where one does not work
    python experiments/items/items.py --source slides

``items.csv`` has every algorithm, equation, method, measure, table and figure of the five sources whose text is at
hand, the command that gives it, and whether that meets it: yes, partly or no. A command is typed in a folder of its
own, in which an original has been masked beforehand. Of a study, whose command takes longer, the stored result that
shows the item has to be there: ``python experiments/reproduce.py STUDY --check`` compares it.
"""

from __future__ import annotations

import csv
import os
import shlex
import shutil
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import click

from evosdc.cli import main as evosdc

HERE = Path(__file__).resolve().parent
STUDIES = HERE.parent
INPUTS = (*HERE.glob("*.toml"), *HERE.glob("*.json"), *(STUDIES / "thesis-ch6").glob("karate*"))
INPUTS += (STUDIES / "kanonymity-lab" / "samarati.toml", STUDIES / "kanonymity-lab" / "marital_status.csv")
"""Files that commands name, copied into their folder."""

BEFOREHAND = (
    "evosdc mask rank-swapping census --set p=10 -o census.csv",
    "evosdc mask mdav german-credit --protect existacc,presemploy,savings --set k=5 -o german.csv",
    "evosdc mask mdav housing --protect metro --set k=5 -o housing.csv",
    "evosdc run equations.toml -o equated",
)
QUICKLY = {"mask": ("--seed", "1", "--force"), "run": ("--quiet", "--no-report", "--force", "--executor", "serial")}
QUICKLY |= {"cluster": ("--seed", "1", "--quiet", "--force"), "classes": ("--force",), "graph": ("--force",)}
QUICKLY |= {"init": ("--force",)}
"""What is added to a command so that it can be typed again and again."""


def rows() -> list[dict[str, str]]:
    """Return the items."""
    with (HERE / "items.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def typed(command: str) -> str:
    """Type a command of evosdc here; return what it said where it failed, else nothing."""
    _, name, *words = shlex.split(command)
    more = () if "--help" in words else QUICKLY.get(name, ())
    said = StringIO()
    try:
        with redirect_stdout(said), redirect_stderr(said):
            evosdc([name, *words, *more])
    except SystemExit as end:
        # A finished run ends with status 1 where a requirement does not hold, as may be after few generations.
        finished = name == "run" and end.code == 1 and "Score:" in said.getvalue()
        return "" if end.code in (0, None) or finished else said.getvalue().strip()
    return ""


def lacking(row: dict[str, str]) -> str:
    """Return why an item is not given by its command; empty where it is."""
    if row["command"].startswith("evosdc "):
        return typed(row["command"])
    study = shlex.split(row["command"])[2]
    path = STUDIES / study / row["result"]
    return "" if path.is_file() else f"{path.relative_to(STUDIES.parent)} is not stored"


@click.command()
@click.option("--source", help="Items of one source alone.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("runs/items"), show_default=True)
def main(source: str | None, output: Path) -> None:
    """Walk the items; print those that do not work, and how many do."""
    chosen = [row for row in rows() if source in (None, row["source"])]
    here, failed = Path.cwd(), []
    with tempfile.TemporaryDirectory() as folder:
        for path in INPUTS:
            shutil.copyfile(path, Path(folder) / path.name)
        os.chdir(folder)
        try:
            for command in BEFOREHAND:
                if said := typed(command):
                    raise SystemExit(f"{command}\n{said}")
            for row in chosen:
                if said := lacking(row):
                    failed.append(row)
                    click.echo(f"{row['source']}, {row['item']}\n  {row['command']}\n  {said[-400:]}", err=True)
        finally:
            os.chdir(here)
    counts = [["source", "items", "met", "partly", "not met"]]
    for name in [*dict.fromkeys(row["source"] for row in chosen), "all"]:
        own = [row for row in chosen if name in (row["source"], "all")]
        met, partly = (sum(row["met"] == said and row not in failed for row in own) for said in ("yes", "partly"))
        counts.append([name, *map(str, (len(own), met, partly, len(own) - met - partly))])
        click.echo(f"{name}: {met} of {len(own)}, partly {partly}")
    output.mkdir(parents=True, exist_ok=True)
    with (output / "counts.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(counts)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
