"""The best file so far of a run that was stopped: written when it stops, or later from its newest checkpoint."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evosdc.engine.checkpoint import newest_checkpoint, save_so_far
from evosdc.engine.loop import SearchState
from evosdc.errors import ExperimentError, Fault
from evosdc.experiment.assembly import Assembly
from evosdc.experiment.environment import opened
from evosdc.experiment.outputs import write_outputs
from evosdc.experiment.planning import with_known_plan
from evosdc.experiment.portfolio import files_of, read_portfolio, search_from
from evosdc.experiment.provenance import require_same_data
from evosdc.experiment.recorder import Recorder
from evosdc.experiment.start import starting_individual
from evosdc.experiment.tuned_start import with_found, with_tuned
from evosdc.model import Individual
from evosdc.plugins.registry import Registry
from evosdc.runs.layout import ENVIRONMENT, PORTFOLIO, STATUS, TUNING, RunFolder

STOPPED, OUT_OF_MEMORY = "stopped by the user", "not enough memory"  # why there is only the best so far

# The status of a run that `evosdc finish` ended: by its folder, not by a signal.
REQUESTED = "stopped by evosdc finish"


def write_partial_result(recorder: Recorder, reason: str = STOPPED) -> dict[str, Any] | None:
    """Write the best file so far of a run that ends early, whatever it was at; return its result, None without any."""
    # Before the search that is the best of the starting files, or of what tuning has found. A resume makes them anew.
    # `reason` says in the result of a search why it ended.
    folder, assembly = recorder.folder, recorder.assembly
    if recorder.state is not None:
        return _write_found(folder, assembly, recorder.state, reason)
    if recorder.tuned is not None:
        found = recorder.tuned
        begun = with_tuned(assembly, found.maskings, made=found.made)
        return _write_first(folder, begun, found.seconds, found.evaluations)
    return _write_started(folder, assembly, recorder.judged) or _write_tuned(folder, assembly)


def _write_found(folder: RunFolder, assembly: Assembly, state: SearchState, reason: str = STOPPED) -> dict[str, Any]:
    return write_outputs(folder, assembly, read_portfolio(folder), state, reason, partial=True)


def _write_started(
    folder: RunFolder, assembly: Assembly, judged: Sequence[Individual], seconds: float = 0.0, evaluations: int = 0
) -> dict[str, Any] | None:
    if all(individual.failed for individual in judged[: assembly.plan.candidates]):
        return None
    state, files = search_from(assembly, judged, seconds, evaluations), files_of(assembly, judged)
    save_so_far(folder.path, state, assembly.problem.genotype)  # what commands about its front read
    return write_outputs(folder, assembly, files, state, STOPPED, partial=True)


def _write_tuned(folder: RunFolder, assembly: Assembly) -> dict[str, Any] | None:
    """Write the best file that ``tuning.json`` tells of, whose methods are in the assembly's start; None without it."""
    if not folder.file(TUNING).exists():
        return None
    spent = folder.read_object(TUNING, "seconds", "evaluations")
    return _write_first(folder, assembly, spent["seconds"], spent["evaluations"])


def _write_first(folder: RunFolder, assembly: Assembly, seconds: float, evaluations: int) -> dict[str, Any] | None:
    """Judge the first starting files, the best that tuning has found, and write the best of them."""
    problem, plan, rule = assembly.problem, assembly.plan, assembly.experiment.on_error.rule
    positions = range(min(plan.assured, len(plan.labels)))
    judged = [starting_individual(problem, plan, position, rule) for position in positions]
    return _write_started(folder, assembly, judged, seconds, evaluations)


def finish_stopped(path: Path, registry: Registry) -> dict[str, Any]:
    """Write the best file so far of a run that no process goes on with, from its newest checkpoint."""
    # Before the search it is the best file that tuning has found, where that was done.
    folder = RunFolder(path)
    assembly = opened(folder, registry)
    require_same_data(folder.read_object(ENVIRONMENT), assembly.source.table, folder.key())
    with folder:
        assembly = with_known_plan(with_found(assembly, folder), folder)
        state, _ = newest_checkpoint(path, assembly.problem.genotype)
        if state is not None and folder.file(PORTFOLIO).exists():
            result: dict[str, Any] | None = _write_found(folder, assembly, state)
        else:
            result = _write_tuned(folder, assembly)
        if result is None:
            advice = "Go on with it by evosdc resume."
            raise ExperimentError(Fault(str(path), "a run whose search had not begun", "a best file so far", advice))
        said = folder.read_object(STATUS) if folder.file(STATUS).exists() else {}
        # How it ended is known where it ended in good order, and it was this command where its process was killed.
        message = said.get("message", STOPPED) if said.get("state") == "interrupted" else REQUESTED
        folder.write_json(STATUS, said | {"state": "interrupted", "message": message})
        return result
