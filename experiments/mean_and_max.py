"""Evolve the cells of every experiment beside this file with mean and with max fitness; print what was gained.

    python experiments/mean_and_max.py [--smoke] [-o FOLDER] [EXPERIMENT.toml ...]

For each it prints, and writes to ``scores.csv``, the score of the original, of the best file of the portfolio and of
the best file found; ``runs.csv`` names the run folders for ``populations.py``. The exit status is 1 when a search did
not improve on its portfolio. ``--smoke`` runs a few generations only.
"""

from __future__ import annotations

import csv
import os
from pathlib import Path

import click
from rich.console import Console
from rich.table import Column, Table

from evosdc.experiment.reader import read_experiment
from evosdc.experiment.study import run_study
from evosdc.plugins.registry import default_registry
from evosdc.report import write_report

HERE = Path(__file__).parent
DEFAULT = [HERE / name for name in ("housing/cells.toml", "german/cells.toml", "flare/cells.toml")]
DEFAULT += [HERE / "adult/cells-1000.toml", HERE / "adult/cells.toml"]


@click.command()
@click.argument("experiments", type=click.Path(path_type=Path), nargs=-1)
@click.option("--smoke", is_flag=True, help="A few generations only.")
@click.option("--report/--no-report", default=True, help="Whether a page is written about the runs.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("runs/mean-and-max"), show_default=True)
def main(experiments: tuple[Path, ...], smoke: bool, report: bool, output: Path) -> None:
    """Run the experiments, print the table and write it."""
    headings = ("fitness", "original", "best of portfolio", "best found", "gained", "seconds")
    table = Table(Column("experiment", no_wrap=True), *headings)
    folders, improved = [], True
    scored, ran = [["file", *headings[:-1], "IL", "DR", "evaluations"]], [["folder", "file", "fitness", "CPU seconds"]]
    for path in experiments or DEFAULT:
        for fitness in ("mean", "max"):
            settings = [f"fitness.name={fitness}", "second_opinion=false"] + ["algorithm.generations=5"] * smoke
            experiment = read_experiment(path, settings)
            folder = output / f"{path.parent.name}-{path.stem}-{fitness}"
            before = processor_time()
            result = run_study(experiment, folder, default_registry())
            folders.append(folder)
            ran.append([folder.name, f"{path.parent.name}-{path.stem}", fitness, f"{processor_time() - before:.1f}"])
            scores = [result[key]["fitness"][0] for key in ("identity", "best")]
            start = result["portfolio"]["best"]["fitness"][0]
            improved = improved and scores[1] < start
            figures = [f"{value:.3f}" for value in (scores[0], start, scores[1], start - scores[1])]
            table.add_row(
                str(path.relative_to(HERE)) if HERE in path.parents else str(path),
                fitness,
                *figures,
                f"{result['seconds']:.1f}",
            )
            pair = [f"{result['best']['scores'][name]:.3f}" for name in ("il", "dr")]
            scored.append([ran[-1][1], fitness, *figures, *pair, str(result["evaluations"])])
    write(output / "scores.csv", scored)
    write(output / "runs.csv", ran)
    Console().print(table)
    if report:
        click.echo(f"Report: {write_report(folders, output / 'report.html')}")
    raise SystemExit(0 if improved else 1)


def write(path: Path, rows: list[list[str]]) -> None:
    """Write a table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def processor_time() -> float:
    """Return the processor time of this process and of those that it waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


if __name__ == "__main__":
    main()
