"""The runs of the study: files, fitnesses, algorithms and depth limits, each in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from informed import judging_problem

from evosdc.engine.problem import Problem
from evosdc.experiment.reader import read_experiment
from evosdc.experiment.study import run_study
from evosdc.plugins.registry import default_registry
from evosdc.randomisation.equations.equation import Equation
from evosdc.randomisation.equations.equation_design import read_equation_design

HERE = Path(__file__).parent
FILES = ("german", "flare", "housing")
FITNESSES = ("mean", "max")
ALGORITHMS = ("steady-state", "generational")
DEPTHS = (3, 5, 7, 9)
DEPTH, ALGORITHM = 5, "steady-state"


@dataclass(frozen=True)
class Search:
    """One finished run."""

    file: str
    fitness: str
    algorithm: str
    depth: int
    folder: Path
    result: dict[str, Any]
    problem: Problem
    equation: Equation


def wanted(files: tuple[str, ...], depths: tuple[int, ...]) -> Iterator[tuple[str, str, str, int]]:
    """Yield file, fitness, algorithm and depth limit of every run, each once."""
    for file in files:
        for fitness in FITNESSES:
            for algorithm in ALGORITHMS:
                yield file, fitness, algorithm, DEPTH
        for depth in depths:
            if depth != DEPTH:
                yield file, "max", ALGORITHM, depth


def search(
    file: str, fitness: str, algorithm: str, depth: int, output: Path, population: int, generations: int
) -> Search:
    """Run one search and return it with its equation."""
    # A generational generation makes twice as many children as a round of tournaments that involves everyone.
    steps = generations if algorithm == "steady-state" else generations // 2
    settings = [
        f"fitness.name={fitness}",
        f"algorithm.name={algorithm}",
        f"algorithm.generations={steps}",
        f"genotype.max_depth={depth}",
        f"genotype.initial_depth={min(depth, 4)}",
        f"start.random={population}",
        f"title=Equation of {file}: {fitness}, {algorithm}, depth {depth}",
    ]
    experiment = read_experiment(HERE / f"{file}.toml", settings)
    registry = default_registry()
    folder = output / f"{file}-{fitness}-{algorithm}-{depth}"
    result = run_study(experiment, folder, registry)
    equation = read_equation_design(folder / "equation.toml").equation
    assert equation is not None
    return Search(file, fitness, algorithm, depth, folder, result, judging_problem(experiment), equation)
