"""Figures of what a search costs: tracked against fresh evaluation, offspring a second, memory."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from math import isclose
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks.search_runs import EXPERIMENTS, FILES, started
from evosdc.engine.fresh import ROUNDING
from evosdc.engine.problem import Problem
from evosdc.experiment.reader import read_experiment
from evosdc.experiment.single_run import run_once
from evosdc.model import Individual
from evosdc.plugins.registry import default_registry
from evosdc.runs.journal import read_journal


def evaluation_costs(file: str, portfolio: int | None, repeats: int) -> tuple[float, float, float]:
    """Return the median microseconds of evaluating mutants in one cell: from scratch, afresh and tracked.

    From scratch: measures are fitted on the original and judge the whole file, as where nothing is kept between two
    evaluations. Afresh: measures that are fitted already judge the whole file. All are processor time.
    """
    assembly, files = started(file, portfolio)
    problem, rng = assembly.problem, np.random.default_rng(1)
    genotype = default_registry().build("genotype", "cells", {"mutations": 0}, assembly.microdata)
    parent = min(files, key=lambda individual: individual.precedence)
    children = [_child(problem, parent, genotype.mutate(parent.genome, rng)) for _ in range(repeats)]
    fresh, tracked = [], []
    for child in children:
        began = process_time()
        afresh = problem.evaluate(child, from_scratch=True)
        between = process_time()
        followed = problem.evaluate(child)
        tracked.append(process_time() - between)
        fresh.append(between - began)
        if not _alike(afresh.scores, followed.scores):
            raise AssertionError(f"{file}: a mutant judged by what it changes scores otherwise than afresh")
    scratch = []
    measures, registry = assembly.experiment.measures, default_registry()
    assert measures is not None, "the assembly fills in the measures"
    for child in children[: max(3, repeats // 20)]:
        masked = problem.decode(child.genome, child.key)
        began = process_time()
        built = {measure.name: registry.build("measure", measure.name, measure.params) for measure in measures.all}
        scores = {name: measure.fit_in(assembly.microdata).score(masked) for name, measure in built.items()}
        scratch.append(process_time() - began)
        if not _alike(scores, problem.evaluate(child, from_scratch=True).scores):
            raise AssertionError(f"{file}: measures fitted again give other scores")
    return 1e6 * median(scratch), 1e6 * median(fresh), 1e6 * median(tracked)


def _child(problem: Problem, parent: Individual, genome: Any) -> Individual:
    """Return a child that was not evaluated, with its key."""
    child = parent.child(genome, "mutation")
    child.key = problem.genotype.key(genome)
    return child


def _alike(one: Mapping[str, float], other: Mapping[str, float]) -> bool:
    """Whether scores are the same but for rounding."""
    return all(isclose(score, other[name], rel_tol=ROUNDING, abs_tol=ROUNDING) for name, score in one.items())


def offspring_a_second(file: str, evaluations: int) -> tuple[float, float]:
    """Return the offspring a second of a run, by its journal, and which share of a processor the process had."""
    experiment = read_experiment(EXPERIMENTS / FILES[file], ["fitness.name=mean"])
    experiment = experiment.model_copy(update={"stop": type(experiment.stop)(evaluations=evaluations)})
    with TemporaryDirectory() as folder:
        wall, processor = perf_counter(), process_time()
        finished = run_once(experiment, Path(folder) / "run", default_registry(), experiment.seed)
        share = (process_time() - processor) / (perf_counter() - wall)
        records = read_journal(finished.folder / "journal.jsonl")
    # The first generation makes trackers and loads compiled code.
    first, last = records[min(1, len(records) - 1)], records[-1]
    return (last["evaluations"] - first["evaluations"]) / max(last["seconds"] - first["seconds"], 1e-9), share


def population_memory(file: str, members: int, portfolio: int | None) -> float:
    """Return by how many MB a process grows that tracks `members` different files."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(_population_memory, (file, members, portfolio))


def _population_memory(file: str, members: int, portfolio: int | None) -> float:
    assembly, files = started(file, portfolio)
    problem, rng = assembly.problem, np.random.default_rng(1)
    parent = files[0]
    child = _child(problem, parent, problem.genotype.mutate(parent.genome, rng))
    problem.evaluate(child)
    gc.collect()
    before = _resident()
    population = []
    for _ in range(members):
        member = _child(problem, parent, problem.genotype.mutate(parent.genome, rng))
        member.fitness.values = problem.evaluate(member)
        problem.evaluate(_child(problem, member, problem.genotype.mutate(member.genome, rng)))
        population.append(member)
    gc.collect()
    grown = _resident() - before
    if len(population) != members:
        raise AssertionError("the population must be alive while it is measured")
    return grown


def _resident() -> float:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024
