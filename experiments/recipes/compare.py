"""Recipes against tuned methods on six files, and recipes on files that they were not made for.

    python experiments/recipes/compare.py [--smoke] [--seeds 3] [-o FOLDER] [FILE ...]     # scores.csv
    python experiments/recipes/compare.py --means [-o FOLDER]                            # means.csv, of scores.csv
    python experiments/recipes/compare.py --waves [--smoke] [-o FOLDER]                    # waves.csv

Files are judged as ``evosdc protect`` judges them, by the greater of IL and DR. Methods, alone and in chains of two,
are tuned by up to 2000 files. Recipes have as many files as that took, or half of them: 150 of them tune methods, and
by the others plans are evolved from these and from simple plans. All are then judged on 30 new draws. Both depend on
random numbers: each is done with three seeds, with two where that takes long.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import click
import numpy as np

from evosdc.datasets.housing import survey
from evosdc.datasets.loading import load_dataset
from evosdc.engine.evaluation import Evaluator
from evosdc.engine.loop import SearchState, search
from evosdc.engine.problem import Problem
from evosdc.engine.stop import Stop
from evosdc.experiment.assembly import Assembly, assemble
from evosdc.experiment.data import with_own_data
from evosdc.experiment.experiment import Experiment, MaskingEntry, Named, Start, StopRule, TunedStart
from evosdc.experiment.protection import plan_genotype, protection
from evosdc.experiment.recipe import mean_scores
from evosdc.experiment.start import search_from, starting_individuals
from evosdc.experiment.tuned_start import tune_alone
from evosdc.model import Masking
from evosdc.options.search import ProtectOptions
from evosdc.plugins.registry import default_registry
from evosdc.table.table import Table
from evosdc.tuning.designs import Budget

REGISTRY = default_registry()
FILES: dict[str, dict[str, Any]] = {
    "german-credit": {"name": "german-credit", "protect": ["existacc", "savings", "presemploy"]},
    "solar-flare": {"name": "solar-flare"},
    "housing": {"name": "housing"},
    "adult-1000": {"name": "adult", "first": 1000},
    "census": {"name": "census"},
    "tarragona": {"name": "tarragona"},
}
MOST_SEEDS = {"census": 2, "tarragona": 2}
"""Files of many numeric attributes, whose tuning takes up to twenty minutes."""
FOR_TUNING = 150
FILES_JUDGED, FRESH, FRESH_SEED = 2000, 30, 777
FEW_FILES = 80
KINDS = {"method": "method", "by attribute": "method, by attribute", "chain": "chain of two"}
FIELDS = ("file", "seed", "what", "files", "cpu seconds", "score", "steps", "plan")
MEAN_FIELDS = ("file", "tuned best", "recipe, half the files", "change in %", "recipe", "change in % with all")
WAVE_FIELDS = ("made for", "carried out on", "score there", "score here", "change in %", "own recipe here", "plan")


def judged(source: dict[str, Any], seed: int) -> Experiment:
    """Return the experiment that judges a file as ``evosdc protect`` does."""
    return protection(
        source, REGISTRY, ProtectOptions(fitness="max", seed=seed, second_opinion=False, executor="serial")
    )


def fresh(assembly: Assembly, masking: Masking) -> float:
    """Return the mean score of files that a plan makes by draws of no search."""
    mean = mean_scores(
        assembly.problem, REGISTRY, [replace(one, draw=None) for one in masking.steps], FRESH_SEED, FRESH
    )
    return float("nan") if mean is None else mean.scores["score"]


def row(
    file: str, seed: int, what: str, files: int, seconds: float, assembly: Assembly, plan: Masking
) -> dict[str, Any]:
    """Return a row of the result, judged from scratch."""
    figures = (file, seed, what, files, f"{seconds:.0f}", f"{fresh(assembly, plan):.4f}", len(plan.steps), plan.label)
    return dict(zip(FIELDS, figures, strict=True))


def tuned(name: str, source: dict[str, Any], most: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the best methods of each kind."""
    assembly = assemble(judged(source, seed), REGISTRY)
    began = process_time()
    found = tune_alone(assembly, TunedStart(evaluations=most), Budget(most, None))
    seconds = process_time() - began
    for kind, words in KINDS.items():
        best = next((one for one in found.rows if one.kind == kind), None)
        if best is not None:
            yield row(name, seed, words, found.evaluations, seconds, assembly, best.masking)


@contextmanager
def counted() -> Iterator[list[int]]:
    """Count the files that are judged meanwhile; a plan is judged on several."""
    count, original = [0], Problem._scored

    def scored(self: Problem, *given: Any) -> Any:
        count[0] += 1
        return original(self, *given)

    Problem._scored = scored  # type: ignore[method-assign]
    try:
        yield count
    finally:
        Problem._scored = original  # type: ignore[method-assign]


class EnoughError(Exception):
    """Enough files were judged."""


def evolved(source: dict[str, Any], most: int, seed: int) -> tuple[Assembly, int, float, Masking, Masking]:
    """Tune methods by a part of the files, evolve plans by the others: files judged, CPU seconds, the best plan, and
    what users get, the simplest one within 2 % of it.
    """
    began, experiment = process_time(), judged(source, seed)
    first = min(FOR_TUNING, most // 4)
    assembly = assemble(experiment, REGISTRY)
    tuned = tune_alone(assembly, TunedStart(evaluations=first), Budget(first, None))
    methods = tuple(MaskingEntry.of(replace(one.masking, draw=None)) for one in tuned.rows)
    genes = Named(**plan_genotype((), assembly.microdata, REGISTRY))
    changes = {
        "genotype": genes,
        "algorithm": Named(name="racing"),
        "start": Start(methods=methods, initial=True),
        "stop": StopRule(generations=10**6),
    }
    experiment = experiment.model_copy(update=changes)
    assembly = assemble(experiment, REGISTRY)
    genotype: Any = assembly.problem.genotype
    with counted() as count:
        count[0] = tuned.evaluations
        individuals = list(starting_individuals(assembly, None, lambda done, total: None))
        reached = [search_from(assembly, individuals, 0.0, 0)]

        before = [count[0]]

        def observe(state: SearchState, record: dict[str, Any]) -> None:
            reached[0] = state
            if 2 * count[0] - before[0] > most:  # the next generation may cost as much as this one
                raise EnoughError
            before[0] = count[0]

        evaluator = Evaluator(assembly.problem, None, None, experiment.on_error.rule)
        with suppress(EnoughError):
            search(
                assembly.algorithm, evaluator, assembly.problem.streams, Stop(generations=10**6), reached[0], observe
            )
    algorithm, plans = assembly.algorithm, []
    for tolerance in (0.0, algorithm.params.tolerance):
        algorithm.params = algorithm.params.model_copy(update={"tolerance": tolerance})
        plans.append(genotype.masking(algorithm.solution(reached[0].population, reached[0].best).genome))
    return assembly, count[0], process_time() - began, plans[0], plans[1]


def scores(name: str, most: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file, found with one seed."""
    rows = list(tuned(name, FILES[name], most, seed))
    yield from rows
    files = rows[0]["files"]
    for words, most in (("recipe, half the files", files // 2), ("recipe", files)):
        assembly, count, seconds, plan, simplest = evolved(FILES[name], most, seed)
        yield row(name, seed, words, count, seconds, assembly, plan)
        if simplest != plan:
            yield row(name, seed, f"{words}, the simplest within 2 %", count, seconds, assembly, simplest)


def means(path: Path) -> Iterator[dict[str, Any]]:
    """Yield for each file the means over seeds: of the best tuned method or chain, and of recipes."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for name in dict.fromkeys(one["file"] for one in rows):
        of_file = [one for one in rows if one["file"] == name]

        def mean(*kinds: str, listed: list[dict[str, Any]] = of_file) -> float:
            found: dict[str, float] = {}
            for one in listed:
                if one["what"] in kinds:
                    found[one["seed"]] = min(float(one["score"]), found.get(one["seed"], float("inf")))
            return float(np.mean(list(found.values()) or [np.nan]))

        best, half, whole = mean(*KINDS.values()), mean("recipe, half the files"), mean("recipe")
        changes = (f"{100.0 * (value / best - 1.0):+.1f}" for value in (half, whole))
        figures = (name, f"{best:.4f}", f"{half:.4f}", next(changes), f"{whole:.4f}", next(changes))
        yield dict(zip(MEAN_FIELDS, figures, strict=True))


def halves(table: Table, seed: int) -> tuple[Table, Table]:
    """Return a file's records at random in two files of one size."""
    order = np.random.default_rng(seed).permutation(len(table))
    half = len(table) // 2
    return table.take(np.sort(order[:half])), table.take(np.sort(order[half : 2 * half]))


def waves(smoke: bool) -> Iterator[tuple[str, str, Table, Table, list[str]]]:
    """Yield files of one kind in pairs: what they are, and what is protected."""
    first = survey().table
    keys = ["built", "degree", "grade1"]
    yield "housing", "a new draw of it", first, survey(seed=2).table, keys
    adult = load_dataset(REGISTRY.spec("dataset", "adult")).table  # type: ignore[arg-type]
    adult = adult.take(np.arange(1000 if smoke else len(adult)))
    yield "half A of Adult", "half B", *halves(adult, 1), ["education", "marital-status", "occupation"]
    german = load_dataset(REGISTRY.spec("dataset", "german-credit")).table  # type: ignore[arg-type]
    yield "half A of German Credit", "half B", *halves(german, 1), ["existacc", "savings", "presemploy"]


def carried_over(folder: Path, most: int, smoke: bool, seed: int) -> Iterator[dict[str, Any]]:
    """Yield what recipes score on a file of the same kind, beside a recipe of its own."""
    for number, (name, other, first, second, protect) in enumerate(waves(smoke)):
        sources = []
        for part, table in (("a", first), ("b", second)):
            place = folder / f"{number}-{part}"
            sources.append(with_own_data({"data": {"protect": protect}}, table, place)["data"])
        made, _, _, _, plan = evolved(sources[0], most, seed)
        new, _, _, _, own = evolved(sources[1], most, seed)
        there, here, best = fresh(made, plan), fresh(new, plan), fresh(new, own)
        change = f"{100.0 * (here / there - 1.0):.1f}"
        figures = (name, other, f"{there:.4f}", f"{here:.4f}", change, f"{best:.4f}", plan.label)
        yield dict(zip(WAVE_FIELDS, figures, strict=True))


@click.command()
@click.argument("names", type=click.Choice(list(FILES)), nargs=-1)
@click.option("--waves", "over", is_flag=True, help="Carry recipes over to files of the same kind.")
@click.option("--means", "summary", is_flag=True, help="Sum scores.csv up.")
@click.option("--smoke", is_flag=True, help="Few files only.")
@click.option("--seeds", default=3, show_default=True, type=click.IntRange(min=1), help="Waves are done with seed 1.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("runs/recipes"), show_default=True)
def main(names: tuple[str, ...], over: bool, summary: bool, smoke: bool, seeds: int, output: Path) -> None:
    """Write the table, a row as soon as it is known."""
    output.mkdir(parents=True, exist_ok=True)
    if summary:
        rows, fields, file = means(output / "scores.csv"), MEAN_FIELDS, "means.csv"
    elif over:
        rows, fields, file = carried_over(output, FEW_FILES if smoke else 600, smoke, 1), WAVE_FIELDS, "waves.csv"
    else:
        listed = names or tuple(FILES)
        most = FEW_FILES if smoke else FILES_JUDGED
        each = ((name, seed) for name in listed for seed in range(1, min(seeds, MOST_SEEDS.get(name, seeds)) + 1))
        rows, fields, file = (one for name, seed in each for one in scores(name, most, seed)), FIELDS, "scores.csv"
    with (output / file).open("w", newline="", encoding="utf-8", buffering=1) as stream:
        writer = csv.DictWriter(stream, fields)
        writer.writeheader()
        for one in rows:
            writer.writerow(one)
            click.echo(", ".join(map(str, one.values())))


if __name__ == "__main__":
    main()
