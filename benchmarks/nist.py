"""What `evosdc protect` gives of NIST's data excerpts by its defaults, judged by NIST's own program.

Run from the repository's root: ``python -m benchmarks.nist [NAME ...] [--time 60s] [--sdnist PYTHON]``. Each excerpt is
protected with NIST's consistency rules in its schema, and with a schema that states no rules, by a fresh key.
``--sdnist`` is an interpreter with the package ``sdnist``, whose requirements are old: give it an environment of its
own. Rows go to ``benchmarks/results/nist.csv``; one of the same name is replaced. The exit status is 1 where a goal is
missed: the k-marginal score, unique people found, anybody who is impossible, or the verdict.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from benchmarks.honest_files import File, excerpts, without_rules
from benchmarks.whole_command import whole

RESULTS = Path(__file__).parent / "results" / "nist.csv"
SCORER = Path(__file__).parent / "nist_scores.py"
ROW = ("file", "publishable", "loss", "classical", "k_marginal", "wanted", "unique_found", "impossible", "missed")


def nist(python: str, file: File, published: Path) -> dict[str, Any]:
    """Return the scores of NIST's program."""
    done = subprocess.run([python, str(SCORER), file.data, str(published)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise click.ClickException(f"sdnist: {done.stderr.strip()}")
    scores: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return scores


def released(file: File, time: str, python: str, folder: Path) -> dict[str, Any]:
    """Protect a file and judge the result: a row."""
    whole(["protect", file.data, *file.options, "--time", time, "--quiet", "--json", "-o", str(folder)])
    result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    scores, publishable = nist(python, file, folder / result["best"]["file"]), result["verdict"]["publishable"]
    assert file.goal is not None, "each excerpt has a goal"
    missed = ["k-marginal"] * (scores["k_marginal"] < file.goal.k_marginal)
    missed += ["unique people"] * (scores["unique_found"] > file.goal.unique_found)
    missed += [f"{name} {number}" for name, number in scores["broken"].items()]
    return {
        "file": file.name,
        "publishable": publishable,
        "loss": round(result["best"]["scores"]["il"], 3),
        "classical": round(result["portfolio"]["best"]["scores"]["il"], 3),
        "k_marginal": round(scores["k_marginal"], 1),
        "wanted": file.goal.k_marginal,
        "unique_found": scores["unique_found"],
        "impossible": sum(scores["broken"].values()),
        "missed": "; ".join(missed + ["verdict"] * (not publishable)),
    }


def keep(row: dict[str, Any], path: Path) -> None:
    """Write a row, in place of that of the same name."""
    rows: list[dict[str, Any]] = []
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            rows = [one for one in csv.DictReader(file) if one["file"] != row["file"]]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ROW, lineterminator="\n")
        writer.writeheader()
        writer.writerows([*rows, row])


@click.command()
@click.argument("names", nargs=-1)
@click.option("--time", default="60s", show_default=True)
@click.option("--sdnist", "python", default=sys.executable, help="Interpreter that has sdnist; default: this one.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=RESULTS, show_default=True)
def main(names: tuple[str, ...], time: str, python: str, output: Path) -> None:
    """Protect NIST's excerpts by the defaults, and score what comes out."""
    table, rows = Table(*ROW, title=f"evosdc protect --time {time}, by NIST's program"), []
    with TemporaryDirectory() as place:
        folder = Path(place)
        files = excerpts(folder)
        if not files:
            raise click.ClickException(
                "NIST's excerpts are missing: set EVOSDC_DATA to a folder with nist_acs_excerpts"
            )
        for file in [*files, *without_rules(files)]:
            if not names or file.name in names:
                rows.append(released(file, time, python, folder / f"run-{file.name}"))
                keep(rows[-1], output)
                table.add_row(*(str(rows[-1][name]) for name in ROW))
    Console(width=140).print(table)
    raise SystemExit(1 if any(row["missed"] for row in rows) else 0)


if __name__ == "__main__":
    main()
