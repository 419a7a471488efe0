"""Figures 4 and 5 of Cui, Kim and Lee (2011): average DM against k of the three searches.

The paper does not say how many records may be suppressed, nor which hierarchies it used: here one per cent, and
hierarchies that evosdc builds (intervals that double in width, neighbours merged). So its absolute figures cannot be
met, only its
comparison. A run ends early once it has the optimum, which the exact search finds beforehand.

    python experiments/ga-tabu/compare.py --data pima -o runs/ga-tabu
    python experiments/ga-tabu/compare.py --smoke -o runs/ga-tabu-smoke
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, median
from time import perf_counter

import click
import plotly.graph_objects as go

from evosdc.datasets.loading import load_dataset
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.loop import first_state, search
from evosdc.engine.problem import Problem
from evosdc.engine.stop import Stop
from evosdc.experiment.build.start import individual_of
from evosdc.model import Aggregation, Microdata, toolbox_of
from evosdc.model.fitness import SingleMeasure
from evosdc.plugins.registry import default_registry
from evosdc.seeds import Streams, replicate_seed
from evosdc.table.schema import Role

GENETIC_CYCLES = 20
TABU_CYCLES = 20
ALONE = 300
GENERATIONS = {"genetic": ALONE + 1, "tabu": ALONE + 1, "ga-tabu": GENETIC_CYCLES * (TABU_CYCLES + 1) + 1}
"""The paper's cycles in generations of the engine; the first one draws the first nodes."""

FIELDS = (
    "data",
    "k",
    "algorithm",
    "repetitions",
    "optimum",
    "mean_dm",
    "share_optimal",
    "median_evaluations",
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


def solved(problem: Problem, name: str, stop: Stop, seed: int) -> tuple[float, int]:
    """Return the least DM that a search met within the limit, and how many nodes it had judged when it ended."""
    toolbox = toolbox_of(problem.genotype, problem.measures, problem.fitness)
    algorithm = default_registry().build("algorithm", name, {}, toolbox)
    start = first_state(algorithm, [individual_of(problem, problem.genotype.reference, "highest")])
    state, _ = search(algorithm, Evaluator(problem), Streams(seed), stop, start, lambda state, record: None)
    return state.best.objectives[0], state.progress.evaluations


def compared(
    data: str, ks: Sequence[int], repetitions: int, suppression: float, hybrid: int
) -> list[dict[str, object]]:
    """Return a row for each k and algorithm."""
    rows: list[dict[str, object]] = []
    for k in ks:
        problem = problem_of(data, k, suppression)
        optimum, _ = solved(problem, "optimal", Stop(generations=10_000), 1)
        for name, generations in GENERATIONS.items():
            began = perf_counter()
            count = min(repetitions, hybrid) if name == "ga-tabu" else repetitions
            stop = Stop(generations=generations, target=optimum)
            results = [solved(problem, name, stop, replicate_seed(k, r)) for r in range(count)]
            hits = [evaluations for value, evaluations in results if value == optimum]
            rows.append(
                {
                    "data": data,
                    "k": k,
                    "algorithm": name,
                    "repetitions": count,
                    "optimum": optimum,
                    "mean_dm": fmean(value for value, _ in results),
                    "share_optimal": len(hits) / count,
                    "median_evaluations": median(hits) if hits else "",
                    "seconds": round(perf_counter() - began, 2),
                }
            )
            click.echo("  ".join(f"{key} {value}" for key, value in rows[-1].items()))
    return rows


def write(rows: Sequence[dict[str, object]], folder: Path, data: str) -> None:
    """Write table and figure."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{data}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        writer.writerows(rows)
    figure = go.Figure()
    for name in GENERATIONS:
        own = [row for row in rows if row["algorithm"] == name]
        figure.add_scatter(
            x=[row["k"] for row in own], y=[row["mean_dm"] for row in own], name=name, mode="lines+markers"
        )
    own = [row for row in rows if row["algorithm"] == "tabu"]
    figure.add_scatter(
        x=[row["k"] for row in own],
        y=[row["optimum"] for row in own],
        name="optimum",
        line={"dash": "dot", "color": "black"},
    )
    figure.update_layout(title=f"Average DM of {data}", xaxis_title="k", yaxis_title="DM (less is better)")
    figure.write_html(folder / f"{data}.html", include_plotlyjs=True)


@click.command()
@click.option("--data", type=click.Choice(["pima", "poker-hand"]), multiple=True, default=("pima", "poker-hand"))
@click.option("--repetitions", type=click.IntRange(1), default=50, show_default=True)
@click.option("--hybrid", type=click.IntRange(1), default=50, show_default=True, help="Repetitions of ga-tabu at most.")
@click.option("--suppression", type=click.FloatRange(0, 1), default=0.01, show_default=True)
@click.option("-k", "ks", type=click.IntRange(1), multiple=True, default=tuple(range(2, 16)))
@click.option("--smoke", is_flag=True, help="Pima, k = 5, two repetitions.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("runs/ga-tabu"))
def main(
    data: tuple[str, ...],
    repetitions: int,
    hybrid: int,
    suppression: float,
    ks: tuple[int, ...],
    smoke: bool,
    output: Path,
) -> None:
    """Compare genetic, tabu and ga-tabu on Pima and Poker Hand."""
    if smoke:
        data, ks, repetitions = ("pima",), (5,), 2
    for name in data:
        write(compared(name, ks, repetitions, suppression, hybrid), output, name)


if __name__ == "__main__":
    main()
