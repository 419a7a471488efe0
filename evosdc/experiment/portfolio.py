"""Masking and evaluating what a search starts from, here or on workers, and keeping the scores for the report."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

from evosdc.engine.evaluation import Dispatch, run_items
from evosdc.executors.chunking import worth_sending
from evosdc.experiment.assembly import Assembly
from evosdc.experiment.folder import PORTFOLIO, RunFolder
from evosdc.experiment.outputs import scored
from evosdc.experiment.start import StartingFile, individual_of, starting_candidate
from evosdc.model import Individual, Masking
from evosdc.registry import Registry

BATCH = 16
"""Candidates between two signs of progress."""


def identity_file(assembly: Assembly) -> StartingFile:
    """Return the original itself as a baseline: no loss, full risk (less where records are duplicates)."""
    original = assembly.microdata.original
    scores, objectives = assembly.problem.score(original)
    return StartingFile("original", None, Individual(None, b"", scores, objectives, "original"))


def starting_candidates(
    assembly: Assembly,
    registry: Registry,
    seed: int,
    dispatch: Dispatch | None,
    begin: str,
    tell: Callable[[int, int], None],
) -> list[Individual]:
    """Return all starting candidates, evaluated: one for each masking, then the random ones.

    Parameters
    ----------
    begin : str
        Name of the worker's function that makes and evaluates a candidate.
    tell : callable
        Called with the number done and the total.
    """
    problem, maskings = assembly.problem, assembly.maskings
    total = len(maskings) + assembly.experiment.start.random
    labels = [m.label for m in maskings] + ["random"] * assembly.experiment.start.random
    individuals: list[Individual] = []
    seconds = 0.0
    while (done := len(individuals)) < total:
        tell(done, total)
        batch = range(done, min(done + BATCH, total))
        if dispatch is not None and dispatch.executor.remote and worth_sending(seconds * (total - done)):
            batch = range(done, min(done + BATCH * dispatch.executor.workers, total))
            items = [(position, position) for position in batch]
            outcomes = run_items(dispatch.executor, dispatch.context, begin, seed, items, seconds)
            for outcome in outcomes:
                dump, scores, objectives = outcome.value
                genome = problem.genotype.load(dump)
                key = problem.genotype.key(genome)
                individuals.append(Individual(genome, key, scores, objectives, labels[outcome.id]))
            continue
        for position in batch:
            began = perf_counter()
            genome = starting_candidate(problem, maskings, registry, position, seed)
            individuals.append(individual_of(problem, genome, labels[position]))
            seconds = 0.5 * (seconds + perf_counter() - began)
    tell(total, total)
    return individuals


def files_of(assembly: Assembly, individuals: list[Individual]) -> list[StartingFile]:
    """Return the original and the portfolio's files, without random genomes."""
    maskings = assembly.maskings
    files = [StartingFile(m.label, m, i) for m, i in zip(maskings, individuals, strict=False)]
    return [identity_file(assembly), *files]


def write_portfolio(folder: RunFolder, files: list[StartingFile]) -> None:
    """Keep the scores of the starting files, for a report after a resume."""
    folder.write_json(
        PORTFOLIO,
        [{"label": f.label, "masking": _entry(f.masking)} | scored(f.individual) for f in files],
    )


def read_portfolio(folder: RunFolder) -> list[StartingFile]:
    """Return what `write_portfolio` wrote; genomes are not kept."""
    return [
        StartingFile(
            entry["label"],
            Masking(**entry["masking"] | {"attributes": tuple(entry["masking"]["attributes"])})
            if entry["masking"]
            else None,
            Individual(None, b"", entry["scores"], tuple(entry["fitness"]), entry["label"]),
        )
        for entry in folder.read_json(PORTFOLIO)
    ]


def _entry(masking: Masking | None) -> dict[str, Any] | None:
    if masking is None:
        return None
    return {"method": masking.method, "params": dict(masking.params), "attributes": list(masking.attributes)}
