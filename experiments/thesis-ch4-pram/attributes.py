"""Part one: attributes alone and together, evolved against the standard matrices."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from informed import INFORMED, informed_figures, judging_problem, rank
from tables import publish

from evosdc.engine.fresh import advantage, fresh_scores
from evosdc.experiment.reader import read_experiment
from evosdc.experiment.single_run import run_once
from evosdc.plugins.registry import default_registry

DATA = {
    "german": ("existacc", "presemploy", "savings"),
    "flare": ("class", "largspot", "spotdist"),
    "housing": ("built", "degree", "grade1"),
}
SEARCHES = {
    "population": (),
    "1+1": ("algorithm.population=1", "algorithm.mutation=1.0", "algorithm.generations=1000"),
}
HEADER = ["data", "attributes", "fitness", "search", "initial", "initial score", "final score", "final IL", "final DR"]
HEADER += [
    "best standard PRAM",
    "fresh standard",
    "se",
    "fresh evolved",
    "se evolved",
    "advantage",
    "se advantage",
    "z",
    *(f"{name} evolved" for name in INFORMED),
    *(f"{name} standard" for name in INFORMED),
    "requirements hold",
]


def run(here: Path, output: Path, smoke: bool, generations: int | None) -> tuple[list[Path], bool]:
    """Run part one; return the run folders, and whether all evolved matrices beat the standard ones by 2 errors.

    Their requirements have to hold on fresh draws besides. `generations`, where given, is that of the population; the
    (1+1) search makes as many children.
    """
    folders, rows = [], []
    for data, names in {"german": DATA["german"]}.items() if smoke else DATA.items():
        for protect in (names, *((name,) for name in names))[: 2 if smoke else None]:
            for fitness in ("mean", "max"):
                for search, settings in SEARCHES.items():
                    label = f"{data}-{'-'.join(protect)}-{fitness}-{search.replace('+', '-')}"
                    changes = [f"data.protect={json.dumps(protect)}", f"fitness.name={fitness}", *settings]
                    changes += [f"title='{data}: {', '.join(protect)}; {fitness}, {search}'"]
                    if generations is not None:
                        steps = generations if search == "population" else 20 * generations
                        changes.append(f"algorithm.generations={steps}")
                    if smoke:
                        changes += ["genotype.draws=2", "genotype.fresh_draws=10"]
                    if smoke and generations is None:
                        changes.append("algorithm.generations=15")
                    row, folder = one_run(here / f"{data}.toml", changes, output / label)
                    folders.append(folder)
                    rows.append([data, ", ".join(protect), fitness, search, *row])
    publish(output / "attributes.csv", "Initial and final scores, and the best standard PRAM", HEADER, rows)
    return folders, all(row[HEADER.index("z")] > 2.0 and row[-1] == "yes" for row in rows)


def one_run(path: Path, changes: list[str], folder: Path) -> tuple[list[Any], Path]:
    """Run one experiment and judge its winner and all standard matrices on the same fresh draws."""
    registry = default_registry()
    experiment = read_experiment(path, changes)
    finished = run_once(experiment, folder, registry, experiment.seed)
    best, result = finished.state.best, finished.result
    problem = judging_problem(experiment)
    draws = problem.genotype.fresh_draws
    evolved = fresh_scores(problem, best.genome, best.key, draws)
    standard = [
        (masking.label, fresh_scores(plain, genome, plain.genotype.key(genome), draws))
        for plain in [standard_problem(experiment)]
        for masking, genome in plain.initial_genomes
    ]
    label, other = min(standard, key=lambda entry: rank(entry[1]))
    gained, error = advantage(evolved, other)
    start = json.loads((folder / "portfolio.json").read_text())
    founders = [entry for entry in start[1:] if entry["label"] == result["fresh"]["founder"]["label"]]
    return [
        founders[0]["label"],
        founders[0]["fitness"][0],
        result["best"]["fitness"][0],
        evolved.scores["il"],
        evolved.scores["dr"],
        label,
        other.objectives[0],
        other.objective_errors[0],
        evolved.objectives[0],
        evolved.objective_errors[0],
        gained,
        error,
        gained / error if error else float(np.sign(gained)) * float("inf"),
        *informed_figures(evolved),
        *informed_figures(other),
        "yes" if all(entry["met"] for entry in result["fresh"]["requirements"]) else "no",
    ], folder


def standard_problem(experiment: Any) -> Any:
    """Return the same problem with the matrices of designs a and b as founders, nothing bounded, finely rounded."""
    document = experiment.to_json()
    kept = {key: document["genotype"][key] for key in ("name", "draws", "fresh_draws") if key in document["genotype"]}
    document["genotype"] = kept | {"start": ["a", "b"], "scale": 1_000_000}
    return judging_problem(type(experiment).model_validate(document))
