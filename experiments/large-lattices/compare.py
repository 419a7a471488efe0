"""Heuristics against baselines on lattices of 10^8 to 10^13 nodes, at equal evaluations.

German Credit with 16 and with 21 attributes (hierarchies built by evosdc), and a made-up file of 24 attributes drawn
from six latent classes. Nobody can enumerate these lattices; each search judges the same number of nodes. The best
of the first 1000 is reported as well.

    python experiments/large-lattices/compare.py -o runs/large-lattices
    python experiments/large-lattices/compare.py --smoke -o runs/large-smoke
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, stdev
from time import process_time

import click
import numpy as np

from evosdc.datasets.loading import load_dataset
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.loop import first_state, search
from evosdc.engine.problem import Problem
from evosdc.engine.stop import Stop
from evosdc.experiment.start import individual_of
from evosdc.model import Aggregation, Individual, Microdata, toolbox_of
from evosdc.model.fitness import SingleMeasure
from evosdc.model.individual import Values
from evosdc.plugins.registry import default_registry
from evosdc.secret import Purpose, Streams, replicate_seed, stream
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table

SEARCHES = ("tabu", "genetic", "ga-tabu", "random-restarts", "bottom-up", "top-down")
"""Heuristics with their defaults, and the three baselines."""


def latent_classes(records: int = 3000, attributes: int = 24, classes: int = 6) -> Microdata:
    """Return a made-up file of ordinal attributes with 3 to 6 categories that depend on a hidden class."""
    rng = stream(2011, Purpose.GENERATE, 24)
    hidden = rng.integers(0, classes, records)
    described, columns = [], []
    for j in range(attributes):
        size = int(rng.integers(3, 7))
        centres = rng.integers(0, size, classes)
        values = np.rint(centres[hidden] + rng.normal(0.0, 0.1 * size, records)).astype(np.int64)
        labels = tuple(f"c{i:02}" for i in range(size))
        described.append(Attribute(f"a{j + 1:02}", Role.QUASI_IDENTIFIER, Scale.ORDINAL, labels))
        columns.append(np.clip(values, 0, size - 1))
    table = Table(Schema(tuple(described)), np.array(columns, dtype=np.int32).T.copy(), np.empty((records, 0)))
    return Microdata(table, tuple(attribute.name for attribute in described))


def german_credit(attributes: int) -> Microdata:
    """Return German Credit with the first attributes protected."""
    table = load_dataset(default_registry().spec("dataset", "german-credit")).table
    return Microdata(table, table.schema.names[:attributes])


def problem_of(microdata: Microdata, measure: str, k: int, suppression: float) -> Problem:
    """Return the search for the least loss."""
    registry = default_registry()
    lattice = registry.build("genotype", "lattice", {"k": k, "suppression": suppression}, microdata)
    measures = {measure: registry.build("measure", measure, {}).fit(microdata.original)}
    return Problem(lattice, measures, Aggregation(()), SingleMeasure(measure), Streams(1))


def solved(problem: Problem, label: str, marks: Sequence[int], seed: int) -> list[float]:
    """Return the least loss within the limit among the first nodes that a search judges, for each number in `marks`."""
    toolbox = toolbox_of(problem.genotype, problem.measures, problem.fitness)
    algorithm = default_registry().build("algorithm", label, {}, toolbox)
    start = first_state(algorithm, [individual_of(problem, problem.genotype.reference, "highest")])
    evaluator = Marked(problem, marks)
    search(algorithm, evaluator, Streams(seed), Stop(evaluations=max(marks)), start, lambda state, record: None)
    return [min(best, start.best.objectives[0]) for best in evaluator.best.values()]


class Marked(Evaluator):
    """Keeps the best of the first nodes, by numbers in `marks`, across generations; the highest node is one of them."""

    def __init__(self, problem: Problem, marks: Sequence[int]) -> None:
        super().__init__(problem)
        self.judged, self.best = 1, dict.fromkeys(marks, float("inf"))

    def values_of(self, individuals: Sequence[Individual]) -> list[Values]:
        """Evaluate, and count."""
        values = super().values_of(individuals)
        for mark, best in self.best.items():
            counted = values[: max(mark - self.judged, 0)]
            self.best[mark] = min([best, *(objectives[0] for objectives in counted)])
        self.judged += len(values)
        return values


@click.command()
@click.option("--repetitions", type=click.IntRange(2), default=10, show_default=True)
@click.option("--evaluations", type=click.IntRange(2), multiple=True, default=(1000, 5000), show_default=True)
@click.option("-k", "k", type=click.IntRange(1), default=5, show_default=True)
@click.option("--suppression", type=click.FloatRange(0, 1), default=0.05, show_default=True)
@click.option("--smoke", is_flag=True, help="German Credit with 16 attributes, two repetitions, 300 evaluations.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("runs/large-lattices"))
def main(repetitions: int, evaluations: tuple[int, ...], k: int, suppression: float, smoke: bool, output: Path) -> None:
    """Compare heuristics and baselines on lattices that cannot be enumerated."""
    files = {"german-credit 16": german_credit(16)}
    if smoke:
        repetitions, evaluations = 2, (100, 300)
    else:
        files |= {"german-credit 21": german_credit(21), "latent-classes 24": latent_classes()}
    rows = []
    for file, microdata in files.items():
        for measure in ("dm", "lm"):
            problem = problem_of(microdata, measure, k, suppression)
            size = problem.genotype.space.size
            for label in SEARCHES:
                began = process_time()
                found = [solved(problem, label, evaluations, replicate_seed(7, r)) for r in range(repetitions)]
                seconds = (process_time() - began) / repetitions
                for mark, values in zip(evaluations, zip(*found, strict=True), strict=True):
                    figures = {"mean": fmean(values), "sd": stdev(values), "best": min(values), "worst": max(values)}
                    digits = 1 if measure == "dm" else 5
                    rows.append(
                        {
                            "file": file,
                            "nodes": f"{size:.1e}",
                            "measure": measure,
                            "evaluations": mark,
                            "search": label,
                            **{name: f"{figure:.{digits}f}" for name, figure in figures.items()},
                            "seconds": f"{seconds:.2f}",
                        }
                    )
                    click.echo("  ".join(f"{key} {value}" for key, value in rows[-1].items()))
    output.mkdir(parents=True, exist_ok=True)
    with (output / "results.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
