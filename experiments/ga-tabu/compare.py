"""Figures 4 and 5 of Cui, Kim and Lee (2011): average DM against k of the three searches, 50 repetitions each.

The paper does not say how many records may be suppressed, nor which hierarchies it used: here one per cent, and
hierarchies that evosdc builds (intervals that double in width, neighbours merged). So its absolute figures cannot be
met, only its comparison. A run ends early once it has the optimum, which the exact search finds beforehand.

Tabu search is run as the paper has it, which goes on from all candidates of a cycle, and as evosdc has it by default,
which goes on from the best one.

    python experiments/ga-tabu/compare.py --data pima -o runs/ga-tabu
    python experiments/ga-tabu/compare.py --quick -o runs/ga-tabu-quick
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from time import process_time

import click

from evosdc.datasets.loading import load_dataset
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.loop import first_state, search
from evosdc.engine.problem import Problem
from evosdc.engine.stop import Stop
from evosdc.experiment.start import individual_of
from evosdc.model import Aggregation, Microdata, toolbox_of
from evosdc.model.fitness import SingleMeasure
from evosdc.plugins.registry import default_registry
from evosdc.secret import Streams, replicate_seed
from evosdc.table.schema import Role

GENETIC_CYCLES = 20
TABU_CYCLES = 20
ALONE = 300
SEARCHES: dict[str, tuple[str, Mapping[str, object], int]] = {
    "genetic": ("genetic", {}, ALONE + 1),
    "tabu": ("tabu", {}, ALONE + 1),
    "tabu, all candidates": ("tabu", {"follow": "all"}, ALONE + 1),
    "ga-tabu": ("ga-tabu", {}, GENETIC_CYCLES * (TABU_CYCLES + 1) + 1),
}
"""Algorithm, parameters, and the paper's cycles in generations of the engine; the first one draws the first nodes."""

FIELDS = (
    "k",
    "search",
    "repetitions",
    "optimum",
    "mean_dm",
    "optimal_runs",
    "median_evaluations",
    "mean_evaluations",
    "seconds",
)


def problem_of(data: str, k: int, suppression: float) -> Problem:
    """Return the search for the least DM, all attributes of Pima or the cards of Poker Hand protected."""
    registry = default_registry()
    source = load_dataset(registry.spec("dataset", data))
    roles = (Role.QUASI_IDENTIFIER, Role.SENSITIVE) if data == "pima" else (Role.QUASI_IDENTIFIER,)
    microdata = Microdata(source.table, source.table.schema.with_role(*roles))
    lattice = registry.build("genotype", "lattice", {"k": k, "suppression": suppression}, microdata)
    measures = {"dm": registry.build("measure", "dm", {}).fit(microdata.original)}
    return Problem(lattice, measures, Aggregation(()), SingleMeasure("dm"), Streams(1))


def solved(problem: Problem, name: str, params: Mapping[str, object], stop: Stop, seed: int) -> tuple[float, int]:
    """Return the least DM that a search met within the limit, and how many nodes it had judged when it ended."""
    toolbox = toolbox_of(problem.genotype, problem.measures, problem.fitness)
    algorithm = default_registry().build("algorithm", name, params, toolbox)
    start = first_state(algorithm, [individual_of(problem, problem.genotype.reference, "highest")])
    state, _ = search(algorithm, Evaluator(problem), Streams(seed), stop, start, lambda state, record: None)
    return state.best.objectives[0], state.progress.evaluations


def compared(data: str, ks: Sequence[int], repetitions: int, suppression: float) -> list[dict[str, object]]:
    """Return a row for each k and search."""
    rows: list[dict[str, object]] = []
    for k in ks:
        problem = problem_of(data, k, suppression)
        optimum, _ = solved(problem, "optimal", {}, Stop(generations=10_000), 1)
        for label, (name, params, generations) in SEARCHES.items():
            began = process_time()
            stop = Stop(generations=generations, target=optimum)
            results = [solved(problem, name, params, stop, replicate_seed(k, r)) for r in range(repetitions)]
            hits = [evaluations for value, evaluations in results if value == optimum]
            row = {
                "k": k,
                "search": label,
                "repetitions": repetitions,
                "optimum": f"{optimum:.0f}",
                "mean_dm": f"{fmean(value for value, _ in results):.2f}",
                "optimal_runs": len(hits),
                "median_evaluations": f"{median(hits):.0f}" if hits else "",
                "mean_evaluations": f"{fmean(evaluations for _, evaluations in results):.0f}",
                "seconds": f"{process_time() - began:.1f}",
            }
            rows.append(row)
            click.echo(f"{data}: {', '.join(f'{key} {value}' for key, value in row.items())}")
    return rows


def side_by_side(rows: Sequence[Mapping[str, object]]) -> list[list[object]]:
    """Return a row for each k: the optimum, then mean DM, runs that reached it, and nodes judged of each search."""
    figures = ("mean_dm", "optimal_runs", "mean_evaluations")
    header = ["k", "optimum", *(f"{label}: {name.replace('_', ' ')}" for label in SEARCHES for name in figures)]
    found = {(row["k"], row["search"]): row for row in rows}
    optima = {row["k"]: row["optimum"] for row in rows}
    return [
        header,
        *([k, optimum, *(found[k, label][name] for label in SEARCHES for name in figures)]
          for k, optimum in optima.items()),
    ]  # fmt: skip


def write(rows: Sequence[Mapping[str, object]], folder: Path, data: str) -> None:
    """Write the table, a row a search, and the one for people, a row a k."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{data}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    with (folder / f"{data}-by-k.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(side_by_side(rows))


@click.command()
@click.option("--data", type=click.Choice(["pima", "poker-hand"]), multiple=True, default=("pima", "poker-hand"))
@click.option("--repetitions", type=click.IntRange(1), default=50, show_default=True)
@click.option("--suppression", type=click.FloatRange(0, 1), default=0.01, show_default=True)
@click.option("-k", "ks", type=click.IntRange(1), multiple=True, default=tuple(range(2, 16)))
@click.option("--quick", is_flag=True, help="Pima, k = 10, two repetitions.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("runs/ga-tabu"))
def main(
    data: tuple[str, ...], repetitions: int, suppression: float, ks: tuple[int, ...], quick: bool, output: Path
) -> None:
    """Compare genetic, tabu and ga-tabu on Pima and Poker Hand."""
    if quick:
        data, ks, repetitions = ("pima",), (10,), 2
    for name in data:
        write(compared(name, ks, repetitions, suppression), output, name)


if __name__ == "__main__":
    main()
