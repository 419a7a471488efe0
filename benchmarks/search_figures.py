"""Figures of what a search costs: incremental against fresh evaluation, offspring a second, memory."""

from __future__ import annotations

import gc
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import numpy as np

from benchmarks.search_runs import EXPERIMENTS, FILES, started
from evosdc.experiment.config.reader import read_experiment
from evosdc.experiment.run.run import run_once
from evosdc.model import Individual
from evosdc.plugins.registry import default_registry
from evosdc.runs.journal import read_journal


def evaluation_costs(file: str, portfolio: int | None, repeats: int) -> tuple[float, float, float]:
    """Return the median microseconds of evaluating mutants in one cell: from scratch, afresh and incrementally.

    From scratch: measures are fitted on the original and judge the whole file, as where nothing is kept between two
    evaluations. Afresh: measures that are fitted already judge the whole file. All are processor time.
    """
    assembly, files = started(file, portfolio)
    problem, rng = assembly.problem, np.random.default_rng(1)
    genotype = default_registry().build("genotype", "cells", {"mutations": 0}, assembly.microdata)
    parent = min(files, key=lambda individual: individual.precedence)
    parent.states = problem.evaluate(parent.genome, parent.key).states
    mutants = [genotype.mutate(parent.genome, rng) for _ in range(repeats)]
    fresh, followed = [], []
    for mutant in mutants:
        key = genotype.key(mutant)
        began = process_time()
        afresh = problem.evaluate(mutant, key)
        between = process_time()
        incrementally = problem.evaluate(mutant, key, parent)
        followed.append(process_time() - between)
        fresh.append(between - began)
        if afresh.scores != incrementally.scores:
            raise AssertionError(f"{file}: a mutant followed from its parent scores otherwise than afresh")
    scratch = []
    measures, registry = assembly.experiment.measures, default_registry()
    assert measures is not None, "the assembly fills in the measures"
    for mutant in mutants[: max(3, repeats // 20)]:
        masked = problem.decode(mutant, genotype.key(mutant))
        began = process_time()
        built = {measure.name: registry.build("measure", measure.name, measure.params) for measure in measures.all}
        scores = {name: measure.fit_in(assembly.microdata).score(masked) for name, measure in built.items()}
        scratch.append(process_time() - began)
        if any(problem.evaluate(mutant, b"").scores[name] != score for name, score in scores.items()):
            raise AssertionError(f"{file}: measures fitted anew score otherwise")
    return 1e6 * median(scratch), 1e6 * median(fresh), 1e6 * median(followed)


def offspring_a_second(file: str, evaluations: int) -> tuple[float, float]:
    """Return the offspring a second of a run, by its journal, and which share of a processor the process had."""
    experiment = read_experiment(EXPERIMENTS / FILES[file], ["fitness.name=mean"])
    experiment = experiment.model_copy(update={"stop": type(experiment.stop)(evaluations=evaluations)})
    with TemporaryDirectory() as folder:
        wall, processor = perf_counter(), process_time()
        finished = run_once(experiment, Path(folder) / "run", default_registry(), experiment.seed)
        share = (process_time() - processor) / (perf_counter() - wall)
        records = read_journal(finished.folder / "journal.jsonl")
    # The first generation makes states and loads compiled code.
    first, last = records[min(1, len(records) - 1)], records[-1]
    return (last["evaluations"] - first["evaluations"]) / max(last["seconds"] - first["seconds"], 1e-9), share


def population_memory(file: str, members: int, portfolio: int | None) -> float:
    """Return by how many MB a process grows for so many different files with their incremental states."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(_population_memory, (file, members, portfolio))


def _population_memory(file: str, members: int, portfolio: int | None) -> float:
    assembly, files = started(file, portfolio)
    problem, rng = assembly.problem, np.random.default_rng(1)
    parent = files[0]
    problem.evaluate(parent.genome, parent.key)
    gc.collect()
    before = _resident()
    population = []
    for _ in range(members):
        genome = problem.genotype.mutate(parent.genome, rng)
        key = problem.genotype.key(genome)
        evaluation = problem.evaluate(genome, key)
        population.append(Individual(genome, key, evaluation.scores, evaluation.objectives, "", evaluation.states))
    gc.collect()
    grown = _resident() - before
    if len(population) != members:
        raise AssertionError("the population must be alive while it is measured")
    return grown


def _resident() -> float:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024
