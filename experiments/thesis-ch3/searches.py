"""The runs of the study: files and fitnesses, each in a folder of its own."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evosdc.experiment.experiment import Experiment
from evosdc.experiment.reader import read_experiment
from evosdc.experiment.study import run_study
from evosdc.plugins.registry import default_registry
from evosdc.runs.journal import read_journal

HERE = Path(__file__).parent
FILES = ("housing", "german", "flare", "adult-1000", "adult", "tarragona", "census", "eia")
ROBUST = "flare"
"""The file that is also searched without the best of its portfolio (thesis, 3.5)."""


@dataclass(frozen=True)
class Variant:
    """How a file is searched: a fitness, and how many per cent of the portfolio, the best, are left out."""

    fitness: str
    without_best: int = 0

    @property
    def name(self) -> str:
        """What tables and figures call it."""
        return f"{self.fitness} without the best {self.without_best} %" if self.without_best else self.fitness


@dataclass(frozen=True)
class Search:
    """One finished run; `records` is its journal, `seconds` the processor time, `execution` tells runs of one kind."""

    file: str
    variant: Variant
    execution: int
    experiment: Experiment
    folder: Path
    result: dict[str, Any]
    records: list[dict[str, Any]]
    seconds: float

    @property
    def portfolio_best(self) -> float:
        """Score of the best file of the whole portfolio, those left out included."""
        portfolio = self.result["portfolio"]
        entries = [portfolio["best"], portfolio.get("left_out", {}).get("best")]
        return min(float(entry["fitness"][0]) for entry in entries if entry is not None)


def variants_of(file: str, smoke: bool) -> list[Variant]:
    """Return how a file is searched."""
    robust = [Variant("max", 5), Variant("max", 10)] if file == ROBUST or smoke else []
    return [Variant("mean"), Variant("max"), *robust, Variant("pareto")]


def search(
    file: str, variant: Variant, algorithm: str, output: Path, evaluations: int | None, execution: int = 1
) -> Search:
    """Run one search, with a limit of evaluations if given; each execution has its own seed."""
    settings = [
        f"fitness.name={variant.fitness}",
        f"algorithm.name={'nsga2' if variant.fitness == 'pareto' else algorithm}",
        f"start.without_best={variant.without_best}",
        "second_opinion=false",
    ]
    settings += [] if evaluations is None else [f"stop.evaluations={evaluations}"]
    experiment = read_experiment(HERE / f"{file}.toml", settings)
    again = f", run {execution}" if execution > 1 else ""
    changes = {"title": f"{experiment.title}, {variant.name}{again}", "seed": experiment.seed + execution - 1}
    experiment = experiment.model_copy(update=changes)
    folder = output / f"{file}-{variant.name.replace(' %', '').replace(' ', '-')}{again.replace(', run ', '-')}"
    before = processor_time()
    result = run_study(experiment, folder, default_registry())
    spent = processor_time() - before
    return Search(file, variant, execution, experiment, folder, result, read_journal(folder / "journal.jsonl"), spent)


def processor_time() -> float:
    """Return the processor time of this process and of those that it waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system
