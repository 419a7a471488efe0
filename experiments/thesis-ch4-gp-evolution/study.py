"""Figures 4.16 to 4.19 of the thesis: how the best equation changes, by shorter runs than the study of its equations.

    python experiments/thesis-ch4-gp-evolution/study.py [--generations 15] [--files german,flare] [-o FOLDER]

``evolution.csv`` has score, IL and DR of the best equation of each generation, by the mean and by the maximum.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import click

from evosdc.experiment.reader import read_experiment
from evosdc.experiment.single_run import run_once
from evosdc.plugins.registry import default_registry
from evosdc.runs.journal import read_journal

EXPERIMENTS = Path(__file__).resolve().parents[1] / "thesis-ch4-gp"
FILES = ("german", "housing", "flare")


def evolution(file: str, generations: int, output: Path) -> Iterator[list[object]]:
    """Yield file, fitness, evaluations, score, IL and DR of the best equation of each generation."""
    for fitness in ("mean", "max"):
        changes = [f"fitness.name={fitness}", f"algorithm.generations={generations}", "start.random=40"]
        experiment = read_experiment(EXPERIMENTS / f"{file}.toml", changes)
        folder = output / f"{file}-{fitness}"
        run_once(experiment, folder, default_registry(), experiment.seed)
        for record in read_journal(folder / "journal.jsonl"):
            best = record["best"]
            figures = (best["fitness"][0], best["il"], best["dr"])
            yield [file, fitness, record["evaluations"], *(f"{figure:.3f}" for figure in figures)]


@click.command()
@click.option("--generations", type=click.IntRange(min=1), default=15, show_default=True)
@click.option("--files", default=",".join(FILES), show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("runs/thesis-ch4-gp-evolution"))
def main(generations: int, files: str, output: Path) -> None:
    """Run the study."""
    output.mkdir(parents=True, exist_ok=True)
    rows = [row for name in files.split(",") for row in evolution(name, generations, output)]
    with (output / "evolution.csv").open("w", newline="", encoding="utf-8") as table:
        header = ["file", "fitness", "evaluations", "score", "IL", "DR"]
        csv.writer(table, lineterminator="\n").writerows([header, *rows])


if __name__ == "__main__":
    main()
