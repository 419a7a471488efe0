"""Honest figures of searches: their results against the best possible ones.

Run from the repository's root: ``python -m benchmarks.honest limit [--seeds 1,2,3] [EXPERIMENT.toml ...]``.

``limit`` runs the experiments in ``experiments/limit``, each for a minute on one core, and compares the best file with
the limit of `evosdc limit` and with the tuned classical file. The exit status is 1 where a search ends more than 8 per
cent above the limit, or above the tuned classical file. "% apart" is what the bound itself leaves (`least_apart`).
"CPU s" is the processor time of the whole run with its report; on a busy machine give it more time of the clock,
``--set stop.seconds=120``, for the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import click
import numpy as np
from rich.console import Console
from rich.table import Table

from evosdc.experiment.assembly import assemble
from evosdc.experiment.reader import read_experiment
from evosdc.experiment.single_run import run_once
from evosdc.plugins.registry import default_registry
from evosdc.table.table import Table as Original
from evosdc_limit.bound import Limit, limit_of
from evosdc_limit.channels import candidates_of
from evosdc_limit.objective import objective_of

EXPERIMENTS = Path(__file__).parents[1] / "experiments" / "limit"
NAMES = ("housing", "german-credit", "solar-flare", "adult-1000")
MOST = 8.0
"""Per cent above the limit that a search may end at."""

EFFORT = 40
"""Annealings of each attribute alone."""

LINKAGES = ("dbrl", "prl", "informed-linkage")


@dataclass(frozen=True)
class Reached:
    """How one search ended: scores of the tuned classical file and of the best one, and the limit."""

    name: str
    seed: int
    classical: float
    best: Mapping[str, float]
    score: float
    limit: Limit
    apart: float
    processor: float

    @property
    def above(self) -> float:
        """Per cent above the limit."""
        return self.limit.above(self.best["il"], self.best["dr"]) or 0.0

    @property
    def row(self) -> tuple[str, ...]:
        """Figures of a table's row."""
        best = self.best
        parts = (best["dbil"] / 3, best["ebil"] / 3, best["ctbil"] / 3, best["best-guess"] / 2, linkage_of(best) / 2)
        figures = (self.classical, self.score, self.limit.max)
        return (
            self.name,
            str(self.seed),
            *(f"{figure:.3f}" for figure in figures),
            f"{self.above:.1f}",
            f"{self.apart:.1f}",
            *(f"{part:.2f}" for part in parts),
            f"{self.processor:.0f}",
        )


def linkage_of(scores: Mapping[str, float]) -> float:
    """Return the greatest linkage of a file."""
    return max(scores[name] for name in LINKAGES)


def least_apart(original: Original, limit: Limit) -> float:
    """Return by how many per cent attributes judged apart lie above the limit, at the weight of IL that gives it.

    Each is annealed alone, two-way tables and linkages count as nothing, and IL and DR need not balance. What is left
    is that a file mixes sets of originals that the bound keeps apart: hardly any search can win it. It is the least
    that was found, which is no proof.
    """
    objective = objective_of(original)
    records = [np.round(one.frequencies * len(original)).astype(np.int64) for one in objective.attributes]
    found = candidates_of(objective, records, limit.t, EFFORT, np.random.default_rng(0)).found
    least = sum(min(limit.t * way.il + (1.0 - limit.t) * way.dr for way in ways) for ways in found)
    return 100.0 * (least / limit.max - 1.0)


def reached(path: Path, seed: int, settings: list[str], folder: Path, limit: Limit, apart: float) -> Reached:
    """Run an experiment with one seed."""
    experiment, registry, began = read_experiment(path, settings), default_registry(), process_time()
    result = run_once(experiment, folder, registry, seed).result
    spent = process_time() - began
    best, start = result.best, result.portfolio.best
    return Reached(path.stem, seed, start.fitness[0], best.scores, best.fitness[0], limit, apart, spent)


def original_of(path: Path, settings: list[str]) -> Original:
    """Return the protected attributes of an experiment's data."""
    return assemble(read_experiment(path, settings), default_registry()).microdata.original


@click.group()
def main() -> None:
    """Honest figures of searches."""


@main.command()
@click.argument("experiments", type=click.Path(path_type=Path, exists=True), nargs=-1)
@click.option("--seeds", default="1,2,3", show_default=True)
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Override a key of the experiments.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("runs/honest-limit"), show_default=True)
def limit(experiments: tuple[Path, ...], seeds: str, settings: tuple[str, ...], output: Path) -> None:
    """Compare searches with the limit, and say what their scores are made of."""
    table = Table(title="per cent above the limit, and what IL and DR of the best file are made of")
    for heading in ("data", "seed", "tuned classical", "best found", "limit", "% above", "% apart"):
        table.add_column(heading, justify="left" if heading == "data" else "right")
    for heading in ("IL: dbil", "ebil", "ctbil", "DR: guess", "linkage", "CPU s"):
        table.add_column(heading, justify="right")
    kept, console = True, Console(width=140)
    for path in experiments or [EXPERIMENTS / f"{name}.toml" for name in NAMES]:
        original = original_of(path, list(settings))
        least = limit_of(original, lines=2)
        apart = least_apart(original, least)
        for seed in map(int, seeds.split(",")):
            one = reached(path, seed, list(settings), output / f"{path.stem}-{seed}", least, apart)
            console.print(" ".join(one.row))
            table.add_row(*one.row)
            kept = kept and one.above <= MOST and one.score <= one.classical
    console.print(table)
    raise SystemExit(0 if kept else 1)


if __name__ == "__main__":
    main()
