"""A whole experiment: one run or several replicates, and the report."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from evosdc.data.files import write_text
from evosdc.experiment.assembly import assemble
from evosdc.experiment.folder import EXPERIMENT, RESOLVED, RESULT, STATUS, RunFolder, experiment_of
from evosdc.experiment.model import Experiment
from evosdc.experiment.observers import Display, Silent
from evosdc.experiment.resolution import experiment_text
from evosdc.experiment.runner import resume_once, run_once
from evosdc.model.individual import precedence_of
from evosdc.registry import Registry
from evosdc.seeds import replicate_seed


def run_study(
    experiment: Experiment,
    path: Path,
    registry: Registry,
    display: Display | None = None,
) -> dict[str, Any]:
    """Run an experiment with all its replicates in a new folder; return the content of its ``result.json``.

    With one replicate `path` is the run folder; with several it holds a run folder for each, and a summary.

    Raises
    ------
    InputError, RunError
        As `evosdc.experiment.runner.run_once`.
    """
    if experiment.replicates == 1:
        return run_once(experiment, path, registry, experiment.seed, display).result
    folder = RunFolder(path)
    assemble(experiment, registry)  # all that is wrong is told before anything is written
    folder.create()
    write_text(folder.file(EXPERIMENT), experiment_text(experiment))
    folder.write_json(RESOLVED, experiment.document())
    return _replicates(experiment, folder, registry, display or Silent())


def resume_study(path: Path, registry: Registry, display: Display | None = None) -> dict[str, Any]:
    """Go on with a stopped run or with the missing replicates of a study; return its ``result.json``.

    A run that had already ended is returned as it is.

    Raises
    ------
    CheckpointError
        As `evosdc.experiment.runner.resume_once`.
    """
    folder = RunFolder(path)
    experiment = experiment_of(folder)
    if experiment.replicates > 1:
        return _replicates(experiment, folder, registry, display or Silent())
    if _done(folder):
        result: dict[str, Any] = folder.read_json(RESULT)
        return result
    return resume_once(path, registry, display).result


def _replicates(experiment: Experiment, folder: RunFolder, registry: Registry, display: Display) -> dict[str, Any]:
    results = []
    for replicate in range(experiment.replicates):
        own = RunFolder(folder.file(f"replicate-{replicate + 1:03d}"))
        display.message(f"replicate {replicate + 1} of {experiment.replicates}")
        if not own.file(RESOLVED).exists():
            seed = replicate_seed(experiment.seed, replicate)
            result = run_once(experiment, own.path, registry, seed, display).result
        elif _done(own):
            result = own.read_json(RESULT)
        else:
            result = resume_once(own.path, registry, display).result
        results.append({"folder": own.path.name} | result)
    ranks = [precedence_of(result["best"]["scores"], result["best"]["fitness"]) for result in results]
    best = results[ranks.index(min(ranks))]
    values = [figures[0] for _, figures in ranks]
    summary = best | {
        "title": experiment.heading,
        "seed": experiment.seed,
        "replicates": [
            {key: result[key] for key in ("folder", "seed", "evaluations", "generations", "seconds", "digest")}
            | {"best": {key: result["best"][key] for key in ("scores", "fitness")}}
            for result in results
        ],
        "spread": {"mean": fmean(values), "sd": stdev(values), "min": min(values), "max": max(values)},
    }
    summary["best"] = best["best"] | {"file": f"{best['folder']}/{best['best']['file']}"}
    folder.write_json(RESULT, summary)
    return summary


def _done(folder: RunFolder) -> bool:
    return folder.file(RESULT).exists() and folder.read_json(STATUS).get("state") == "done"
