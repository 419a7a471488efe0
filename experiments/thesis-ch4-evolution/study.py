"""Figures 4.4 to 4.9 and tables 4.1, 4.2, 4.6 and 4.7 of the thesis, by shorter runs than the study of its matrices.

    python experiments/thesis-ch4-evolution/study.py [--generations 10] [--files german,flare] [-o FOLDER]

``evolution.csv`` has score, IL and DR of the best matrices of each generation, by the maximum of IL and DR, for three
attributes together and for each alone. ``matrices.csv`` has, for degree of Housing, the initial matrix with p = .5 and
the final invariant one, the frequencies, and the mean frequencies of 30 published files.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import numpy as np

from evosdc.engine.fresh import FIRST_FRESH
from evosdc.experiment.assembly import assemble
from evosdc.experiment.reader import read_experiment
from evosdc.experiment.single_run import run_once
from evosdc.plugins.registry import default_registry
from evosdc.runs.journal import read_journal

EXPERIMENTS = Path(__file__).resolve().parents[1] / "thesis-ch4-pram"
DATA = {
    "housing": ("built", "degree", "grade1"),
    "german": ("existacc", "presemploy", "savings"),
    "flare": ("class", "largspot", "spotdist"),
}
INITIAL = "pram design=a p=0.5"
FILES = 30
"""Published files whose mean frequencies are taken."""


def evolution(data: str, generations: int, output: Path) -> Iterator[list[object]]:
    """Yield file, attributes, evaluations, score, IL and DR of the best matrices of each generation."""
    for protect in (DATA[data], *((name,) for name in DATA[data])):
        changes = [f"data.protect={json.dumps(protect)}", "fitness.name=max", f"algorithm.generations={generations}"]
        experiment = read_experiment(EXPERIMENTS / f"{data}.toml", [*changes, "genotype.fresh_draws=2"])
        folder = output / f"{data}-{'-'.join(protect)}"
        run_once(experiment, folder, default_registry(), experiment.seed)
        for record in read_journal(folder / "journal.jsonl"):
            best = record["best"]
            figures = (best["fitness"][0], best["il"], best["dr"])
            yield [data, ", ".join(protect), record["evaluations"], *(f"{figure:.3f}" for figure in figures)]


def matrices(generations: int, output: Path) -> Iterator[list[object]]:
    """Yield the header, then stage, category, frequencies and probabilities of the matrices of degree."""
    changes = ["data.protect=['degree', 'metro']", f"algorithm.generations={generations}", "genotype.fresh_draws=2"]
    experiment = read_experiment(EXPERIMENTS / "housing-pairs.toml", changes)
    finished = run_once(experiment, output / "degree", default_registry(), experiment.seed)
    problem = assemble(experiment, default_registry()).problem
    original = problem.genotype.microdata.original
    names = original.schema.attributes[0].categories
    before = np.bincount(original.codes[:, 0], minlength=len(names)).tolist()
    initial = next(genome for masking, genome in problem.initial_genomes if masking.label.startswith(INITIAL))
    yield ["stage", "degree", "records", "published", *(f"to {name}" for name in names)]
    for stage, genome in (("initial", initial), ("final", finished.state.best.genome)):
        matrix = problem.genotype.transitions(genome)[0].tolist()
        columns = (problem.decode(genome, b"", FIRST_FRESH + draw).codes[:, 0] for draw in range(FILES))
        after = np.mean([np.bincount(column, minlength=len(names)) for column in columns], axis=0).tolist()
        for name, count, mean, row in zip(names, before, after, matrix, strict=True):
            yield [stage, name, count, f"{mean:.1f}", *(f"{chance:.3f}" for chance in row)]


def write(path: Path, rows: Sequence[Sequence[object]]) -> None:
    """Write a table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


@click.command()
@click.option("--generations", type=click.IntRange(min=1), default=10, show_default=True)
@click.option("--files", default=",".join(DATA), show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("runs/thesis-ch4-evolution"))
def main(generations: int, files: str, output: Path) -> None:
    """Run the study."""
    output.mkdir(parents=True, exist_ok=True)
    rows = [row for name in files.split(",") for row in evolution(name, generations, output)]
    write(output / "evolution.csv", [["file", "attributes", "evaluations", "score", "IL", "DR"], *rows])
    write(output / "matrices.csv", list(matrices(generations, output)))


if __name__ == "__main__":
    main()
