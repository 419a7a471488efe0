"""Speed of whole searches, by the clock of their journals, and of one evaluation against evaluating from scratch.

Run from the repository's root: ``python -m benchmarks.engine [EXPERIMENT.toml] [--evaluations N] [--smoke]``.

The first table is measured in real runs, with journal and checkpoints: offspring a second as the journal counts them,
and how many of them were evaluated, the others being known from the cache. The processor's time is given besides the
clock's, since a loaded machine slows the clock most. A short run of each comes first: what loading takes, a second at
most, is measured by `benchmarks.startup` and `benchmarks.first_run`.

Then such searches on a file of 30162 records and eight attributes, Adult, where ``EVOSDC_DATA`` names a folder with it.

The last table evaluates children that differ from their parent in one cell: by the parent's tracker, and from scratch
in two ways. *Fitted*: fitted once. *Alone*: fitted for each file, as ``evosdc measure ORIGINAL MASKED`` and every
program does that evaluates a file by itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any
from unittest.mock import patch

import click
import numpy as np

from evosdc.engine.objectives import Objectives
from evosdc.engine.problem import Problem
from evosdc.engine.trackers import Trackers
from evosdc.experiment import early_verdict
from evosdc.experiment.assembly import assemble
from evosdc.experiment.reader import read_experiment
from evosdc.experiment.single_run import run_once
from evosdc.experiment.start import individual_of
from evosdc.plugins.registry import default_registry
from evosdc.runs.journal import read_journal

FRONTS = ("nsga2", "sms-emoa", "moead")
ALGORITHMS = (
    "parent-child", "generational", "steady-state", *FRONTS, "hill-climbing", "memetic", "islands",
)  # fmt: skip
HOUSING = Path("experiments/housing/cells.toml")
PROTECT = (
    'measures={ il = ["ctbil", "ctbil-across"], dr = ["dbrl", "prl", "informed-linkage", "ranked-linkage"],'
    ' other = ["worst-relabelling"] }',
    'fitness={ name = "max" }',
    'constraints=["worst-relabelling <= 3"]',
    "structural_zeros=true",
)
"""What ``evosdc protect`` asks of a file of categories, its rules of records included."""
ADULT = Path("experiments/adult/cells.toml")
LOADED = 3000
"""Offspring after which all that a search needs has been loaded."""
EIGHT = (
    'data={ name = "adult", complete = true, protect = ["workclass", "education", "marital-status", "occupation",'
    ' "relationship", "race", "sex", "native-country"] }',
    'genotype={ name = "cells" }',
)
"""All complete records of Adult, and its categorical attributes."""


NAMES = ("tracked", "fitted", "alone")
"""Ways to evaluate a child."""


def searched(path: Path, algorithm: str, evaluations: int, settings: tuple[str, ...] = ()) -> dict[str, float]:
    """Run an experiment with another algorithm; return the evaluations from the start on, and their time.

    `settings` are further KEY=VALUE, as of ``evosdc run --set``.
    """
    fitness = ('fitness={ name = "pareto" }',) if algorithm in FRONTS else ()
    if fitness:
        settings = tuple(setting for setting in settings if not setting.startswith("fitness"))
    # On one core: the default executor would start workers for islands.
    serial = 'executor={ name = "serial" }'
    chosen = read_experiment(path, (f'algorithm={{ name = "{algorithm}" }}', serial, *fitness, *settings))
    chosen = chosen.model_copy(update={"stop": type(chosen.stop)(evaluations=evaluations)})
    judge, together, search = Problem.judge, Objectives.judge_columns, early_verdict.search
    count, spent = [0], [0.0]

    def counted(self: Problem, *given: Any, **named: Any) -> Any:
        count[0] += 1
        return judge(self, *given, **named)

    def counted_together(self: Objectives, scores: Any) -> Any:
        found = together(self, scores)
        count[0] += len(next(iter(scores.values()))) if found is not None else 0
        return found

    def timed(*given: Any, **named: Any) -> Any:
        count[0], spent[0] = 0, -process_time()
        try:
            return search(*given, **named)
        finally:
            spent[0] += process_time()

    with (
        TemporaryDirectory() as folder,
        patch.object(Problem, "judge", counted),
        patch.object(Objectives, "judge_columns", counted_together),
        patch.object(early_verdict, "search", timed),
    ):
        seed = 1 if chosen.seed is None else chosen.seed
        finished = run_once(chosen, Path(folder) / "run", default_registry(), seed)
        records = read_journal(finished.folder / "journal.jsonl")
    first, last = records[0], records[-1]
    return {
        "offspring": last["evaluations"] - first["evaluations"],
        "evaluated": count[0],
        "seconds": max(last["seconds"] - first["seconds"], 1e-3),
        "processor": max(spent[0], 1e-3),
    }


def microseconds(work: Callable[[Any], object], items: Sequence[Any], repeats: int = 3) -> float:
    """Return the median processor time of `work` on an item."""
    work(items[0])  # compiles
    times = []
    for _ in range(repeats):
        began = process_time()
        for item in items:
            work(item)
        times.append((process_time() - began) / len(items))
    return 1e6 * median(times)


def compared(path: Path, children: int) -> dict[str, dict[str, float]]:
    """Return microseconds of one evaluation by measure and way; under ``all`` those of the whole evaluation."""
    experiment = read_experiment(path, ("genotype={ name = 'cells', mutations = 0 }",))
    assembly = assemble(experiment, default_registry(), 1 if experiment.seed is None else experiment.seed)
    problem, original = assembly.problem, assembly.microdata.original
    genotype, rng = problem.genotype, np.random.default_rng(1)
    genome = genotype.seeded(original)
    for _ in range(len(original) // 3):
        genome = genotype.mutate(genome, rng)
    parent = individual_of(problem, genome, "parent")
    made = [parent.child(genotype.mutate(genome, rng), "mutation") for _ in range(children)]
    for child in made:
        child.key = genotype.key(child.genome)
    masked = problem.decode(genome, parent.key)
    followed = Trackers(genotype, problem.measures, problem.decode)
    changes = [followed.changes([genome], [child.genome]) for child in made]
    some = [problem.decode(child.genome, child.key) for child in made[: max(children // 10, 2)]]
    ways: dict[str, dict[str, float]] = {}
    for chosen in assembly.experiment.measures.all:
        measure = default_registry().build("measure", chosen.name, chosen.params)
        fitted = measure.fit_in(assembly.microdata)
        ways[chosen.name] = {
            "tracked": microseconds(fitted.track(masked).tries, changes),
            "fitted": microseconds(fitted.score, some),
            "alone": microseconds(lambda file, own=measure: own.fit_in(assembly.microdata).score(file), some),
        }
    ways["measures"] = {way: sum(times[way] for times in ways.values()) for way in NAMES}
    whole = microseconds(problem.evaluate, made)
    rest = whole - ways["measures"]["tracked"]
    ways["all"] = {way: max(time + rest, time) for way, time in ways["measures"].items()}
    return ways


def _tell_searches(path: Path, algorithms: Sequence[str], evaluations: int, settings: tuple[str, ...]) -> None:
    click.echo(f"{'algorithm':<14}{'offspring/s':>13}{'evaluated/s':>13}{'by processor':>14}{'evaluated':>11}")
    for algorithm in algorithms:
        searched(path, algorithm, min(evaluations, LOADED), settings)
        found = searched(path, algorithm, evaluations, settings)
        rates = [found["offspring"] / found["seconds"], found["evaluated"] / found["seconds"]]
        share = found["evaluated"] / found["offspring"]
        click.echo(
            f"{algorithm:<14}{rates[0]:>13.0f}{rates[1]:>13.0f}"
            f"{found['evaluated'] / found['processor']:>14.0f}{share:>11.1%}"
        )
    click.echo()


@click.command()
@click.argument("experiment", type=click.Path(exists=True, dir_okay=False, path_type=Path), default=HOUSING)
@click.option("--evaluations", default=100_000, show_default=True, help="offspring of each search")
@click.option("--smoke", is_flag=True, help="a few evaluations, to see that it works")
def main(experiment: Path, evaluations: int, smoke: bool) -> None:
    """Print how fast searches are, and what following a child saves."""
    comparisons = (
        ("the experiment's measures", (), evaluations),
        ("the measures of evosdc protect", PROTECT, evaluations // 4),
    )
    for title, settings, most in comparisons:
        click.echo(title)
        _tell_searches(experiment, ALGORITHMS, 700 if smoke else most, settings)
    if not smoke:
        # Its rounds have the more probes the longer it searches: as many as by the experiment's measures.
        click.echo(f"the measures of evosdc protect, {evaluations} offspring")
        _tell_searches(experiment, ("memetic",), evaluations, PROTECT)
    if os.environ.get("EVOSDC_DATA") and not smoke:
        for title, settings, most in comparisons:
            click.echo(f"Adult, 30162 x 8, {title}")
            _tell_searches(ADULT, ("hill-climbing", "memetic"), most, (*EIGHT, *settings))
    click.echo("microseconds of a child that differs in one cell, and how many times as long it takes from scratch")
    click.echo(f"{'measure':<14}" + "".join(f"{name:>13}" for name in NAMES) + f"{'ratios':>16}")
    for name, times in compared(experiment, 20 if smoke else 1000).items():
        ratios = "".join(f"{times[way] / times['tracked']:>8.0f}" for way in NAMES[1:])
        click.echo(f"{name:<14}" + "".join(f"{times[way]:>13.1f}" for way in NAMES) + ratios)


if __name__ == "__main__":
    main()
