"""Figures 4 and 5 of Cui, Kim and Lee (2011): average DM against k of the three searches.

The paper does not say how many records may be suppressed, nor which hierarchies it used: here one per cent, and
hierarchies that evosdc builds (intervals that double in width, neighbours merged). So its absolute figures cannot be
met, only its comparison. A run ends early once it has the optimum, which the exact search finds beforehand.

Tabu search and the hybrid are compared by one reading at a time: both go on from all candidates of a cycle, as the
paper says, or both from the best one, as evosdc does by default. ``--future`` tries what the paper leaves to future
work in the hybrid: two-point crossover and an aspiration criterion. Rows of other k that the output has already stay,
so a long comparison can be made in parts.

    python experiments/ga-tabu/compare.py --data pima -o runs/ga-tabu
    python experiments/ga-tabu/compare.py --future --data pima -k 3 -k 6 -o runs/ga-tabu
    python experiments/ga-tabu/compare.py --quick -o runs/ga-tabu-quick
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from time import process_time
from typing import Any

import click
import numpy as np

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
HYBRID = GENETIC_CYCLES * (TABU_CYCLES + 1) + 1
SEARCHES: dict[str, tuple[str, Mapping[str, object], int]] = {
    "genetic": ("genetic", {}, ALONE + 1),
    "tabu-best": ("tabu", {}, ALONE + 1),
    "tabu-all": ("tabu", {"follow": "all"}, ALONE + 1),
    "hybrid-best": ("ga-tabu", {}, HYBRID),
    "hybrid-all": ("ga-tabu", {"follow": "all"}, HYBRID),
}
"""Algorithm, parameters, and the paper's cycles in generations of the engine; the first one draws the first nodes."""

FUTURE: dict[str, tuple[str, Mapping[str, object], int]] = {
    "tabu-best": SEARCHES["tabu-best"],
    "tabu-best, aspiration": ("tabu", {"aspiration": True}, ALONE + 1),
    "hybrid-best": SEARCHES["hybrid-best"],
    "hybrid-best, two-point": SEARCHES["hybrid-best"],
    "hybrid-best, aspiration": ("ga-tabu", {"aspiration": True}, HYBRID),
}
"""Searches with and without the paper's future work; two-point crossover is the genotype's."""


def problem_of(data: str, k: int, suppression: float, crossover: str = "one-point") -> Problem:
    """Return the search for the least DM, all attributes of Pima or the cards of Poker Hand protected."""
    registry = default_registry()
    source = load_dataset(registry.spec("dataset", data))
    roles = (Role.QUASI_IDENTIFIER, Role.SENSITIVE) if data == "pima" else (Role.QUASI_IDENTIFIER,)
    microdata = Microdata(source.table, source.table.schema.with_role(*roles))
    params = {"k": k, "suppression": suppression, "crossover": crossover}
    lattice = registry.build("genotype", "lattice", params, microdata)
    measures = {"dm": registry.build("measure", "dm", {}).fit(microdata.original)}
    return Problem(lattice, measures, Aggregation(()), SingleMeasure("dm"), Streams(1))


def solved(problem: Problem, name: str, params: Mapping[str, object], stop: Stop, seed: int) -> tuple[float, int]:
    """Return the least DM that a search met within the limit, and how many nodes it had judged when it ended."""
    toolbox = toolbox_of(problem.genotype, problem.measures, problem.fitness)
    algorithm = default_registry().build("algorithm", name, params, toolbox)
    start = first_state(algorithm, [individual_of(problem, problem.genotype.reference, "highest")])
    state, _ = search(algorithm, Evaluator(problem), Streams(seed), stop, start, lambda state, record: None)
    return state.best.objectives[0], state.progress.evaluations


def least(problem: Problem, k: int) -> float:
    """Return the least DM of a node within the limit. With k = 1 nothing is suppressed, and the lowest node has it."""
    if k == 1:
        lowest = np.zeros_like(problem.genotype.reference)
        return individual_of(problem, lowest, "lowest").objectives[0]
    return solved(problem, "optimal", {}, Stop(generations=10_000), 1)[0]


def compared(
    data: str, k: int, repetitions: int, longest: int, suppression: float, searches: Mapping[str, Any]
) -> list[dict[str, object]]:
    """Return a row for each search with one k; `longest` repetitions of the search that takes longest."""
    rows: list[dict[str, object]] = []
    problems = {kind: problem_of(data, k, suppression, kind) for kind in ("one-point", "two-point")}
    # All nodes are judged in one pass, which takes less than many searches that then only look them up.
    evaluator = problems["one-point"].genotype.evaluator
    evaluator.judge_all()
    problems["two-point"].genotype.evaluator = evaluator
    optimum = least(problems["one-point"], k)
    for label, (name, params, generations) in searches.items():
        problem = problems["two-point" if label.endswith("two-point") else "one-point"]
        began = process_time()
        stop = Stop(generations=generations, target=optimum)
        count = min(repetitions, longest) if label == "hybrid-all" else repetitions
        results = [solved(problem, name, params, stop, replicate_seed(k, r)) for r in range(count)]
        hits = [evaluations for value, evaluations in results if value == optimum]
        row = {
            "k": k,
            "search": label,
            "repetitions": count,
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


def summed(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, object]]:
    """Return a row for each search over all k: runs, optima, mean of DM over the optimum, mean of nodes judged."""
    result: list[dict[str, object]] = []
    for label in dict.fromkeys(row["search"] for row in rows):
        own = [row for row in rows if row["search"] == label]
        result.append(
            {
                "search": label,
                "runs": sum(int(row["repetitions"]) for row in own),
                "optimal_runs": sum(int(row["optimal_runs"]) for row in own),
                "dm_over_optimum": f"{fmean(float(row['mean_dm']) / float(row['optimum']) for row in own):.4f}",
                "mean_evaluations": f"{fmean(float(row['mean_evaluations']) for row in own):.0f}",
            }
        )
    return result


def side_by_side(rows: Sequence[Mapping[str, object]]) -> list[list[object]]:
    """Return a row for each k: the optimum, then mean DM and runs that reached it of each search."""
    figures = ("mean_dm", "optimal_runs")
    header = ["k", "optimum", *(f"{label}: {name.replace('_', ' ')}" for label in SEARCHES for name in figures)]
    found = {(row["k"], row["search"]): row for row in rows}
    optima = {row["k"]: row["optimum"] for row in rows}
    return [
        header,
        *([k, optimum, *(found[k, label][name] for label in SEARCHES for name in figures)]
          for k, optimum in optima.items()),
    ]  # fmt: skip


def joined(rows: Sequence[Mapping[str, Any]], path: Path) -> list[Mapping[str, Any]]:
    """Return rows with those of other k that a file has already, in the order of k."""
    known: list[dict[str, str]] = []
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            known = list(csv.DictReader(file))
    fresh = {int(row["k"]) for row in rows}
    return sorted([*(row for row in known if int(row["k"]) not in fresh), *rows], key=lambda row: int(row["k"]))


def write_rows(rows: Sequence[Mapping[str, object]], path: Path) -> None:
    """Write rows as a table."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


@click.command()
@click.option("--data", type=click.Choice(["pima", "poker-hand"]), default="pima", show_default=True)
@click.option("--repetitions", type=click.IntRange(1), default=50, show_default=True)
@click.option("--longest", type=click.IntRange(1), default=50, help="Repetitions of hybrid-all, at most.")
@click.option("--suppression", type=click.FloatRange(0, 1), default=0.01, show_default=True)
@click.option("-k", "ks", type=click.IntRange(1), multiple=True, default=tuple(range(1, 16)))
@click.option("--future", is_flag=True, help="Two-point crossover and aspiration, beside the searches without them.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("runs/ga-tabu"))
def main(
    data: str, repetitions: int, longest: int, suppression: float, ks: tuple[int, ...], future: bool, output: Path
) -> None:
    """Compare genetic, tabu and ga-tabu on Pima or Poker Hand."""
    name = f"{data}-future" if future else data
    for k in ks:
        made = compared(data, k, repetitions, longest, suppression, FUTURE if future else SEARCHES)
        rows = joined(made, output / f"{name}.csv")
        write_rows(rows, output / f"{name}.csv")
        write_rows(summed(rows), output / f"{name}-summed.csv")
        if not future:
            with (output / f"{name}-by-k.csv").open("w", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerows(side_by_side(rows))


if __name__ == "__main__":
    main()
