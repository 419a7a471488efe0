"""Running an experiment: from the beginning, from its last checkpoint, or to the best file so far."""

import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from time import monotonic, process_time
from traceback import clear_frames
from typing import Any

from evosdc.engine.checkpoint import SO_FAR, newest_checkpoint, save_so_far, set_aside_newer
from evosdc.engine.dispatch import Dispatch
from evosdc.engine.loop import SearchState
from evosdc.errors import CheckpointError, EvosdcError, ExperimentError, Fault, InputError
from evosdc.experiment import environment
from evosdc.experiment import start as starting
from evosdc.experiment.assembly import Assembly, assemble, opened
from evosdc.experiment.display import Display
from evosdc.experiment.early_verdict import JudgedSearch, within
from evosdc.experiment.experiment import ExecutorChoice, Experiment
from evosdc.experiment.outputs import missed_by_all, write_outputs
from evosdc.experiment.provenance import require_same_data
from evosdc.experiment.reader import experiment_of, resolve
from evosdc.experiment.recorder import Recorder, remove_report
from evosdc.experiment.time_budget import TimeGiven, ending_within, kinds_of, rehearse, time_of
from evosdc.experiment.tuned_start import planned_start, tune_start, with_found, with_known_plan, with_tuned
from evosdc.experiment.workers import dispatch_of, executor_of, redirected
from evosdc.model import Individual
from evosdc.plugins.registry import Registry
from evosdc.runs import layout
from evosdc.runs.journal import cut_journal
from evosdc.runs.layout import RunFolder
from evosdc.runs.published import published_faults
from evosdc.runs.result import Result
from evosdc.runs.status import EndRequested, withdraw
from evosdc.secret import Key, Seed, public

STOPPED, OUT_OF_MEMORY = "stopped by the user", "not enough memory"  # why there is only the best so far

# The status of a run that `evosdc finish` ended: by its folder, not by a signal.
REQUESTED = "stopped by evosdc finish"


def write_partial_result(recorder: Recorder, reason: str = STOPPED) -> Result | None:
    """Write the best file so far of a run that ends early, whatever it was at; return its result, None without any."""
    # Before the search that is the best of the starting files, or of what tuning has found. A resume makes them again.
    # `reason` says in the result of a search why it ended.
    folder, assembly, found = recorder.folder, recorder.assembly, recorder.tuned
    if recorder.state is not None:
        return write_outputs(folder, assembly, starting.read_portfolio(folder), recorder.state, reason, partial=True)
    if found is not None:
        begun = with_tuned(assembly, found.maskings, made=found.made)
        return _write_started(folder, begun, None, found.seconds, found.evaluations)
    return _write_started(folder, assembly, recorder.judged) or _write_tuned(folder, assembly)


def _write_tuned(folder: RunFolder, assembly: Assembly) -> Result | None:
    """Write the best file of ``tuning.json``, whose methods are in the assembly's start; None without it."""
    if not folder.file(layout.TUNING).exists():
        return None
    spent = folder.read_object(layout.TUNING, "seconds", "evaluations")
    return _write_started(folder, assembly, None, spent["seconds"], spent["evaluations"])


def _write_started(
    folder: RunFolder,
    assembly: Assembly,
    judged: Sequence[Individual] | None,  # None: the first starting files, the best that tuning has found, are judged
    seconds: float = 0.0,
    evaluations: int = 0,
) -> Result | None:
    problem, plan, rule = assembly.problem, assembly.plan, assembly.experiment.on_error.rule
    if judged is None:
        positions = range(min(plan.assured, len(plan.labels)))
        judged = [starting.starting_individual(problem, plan, position, rule) for position in positions]
    if all(individual.failed for individual in judged[: plan.candidates]):
        return None
    state = starting.search_from(assembly, judged, seconds, evaluations)
    files = starting.files_of(assembly, judged)
    save_so_far(folder.path, state, problem.genotype)  # what commands about its front read
    return write_outputs(folder, assembly, files, state, STOPPED, partial=True)


def finish_stopped(path: Path, registry: Registry) -> Result:
    """Write the best file so far of a run without a process, from its newest checkpoint."""
    # Before the search it is the best file that tuning has found, where that was done.
    folder = RunFolder(path)
    assembly = opened(folder, registry)
    with folder:
        assembly = with_known_plan(with_found(assembly, folder), folder)
        state, _ = newest_checkpoint(path, assembly.problem.genotype)
        if state is not None and folder.file(layout.PORTFOLIO).exists():
            result: Result | None = write_outputs(
                folder, assembly, starting.read_portfolio(folder), state, STOPPED, partial=True
            )
        else:
            result = _write_tuned(folder, assembly)
        if result is None:
            advice = "Go on with it by evosdc resume."
            raise ExperimentError(Fault(str(path), "a run whose search had not begun", "a best file so far", advice))
        said = folder.read_object(layout.STATUS) if folder.file(layout.STATUS).exists() else {}
        # How it ended is known where it ended in good order, and it was this command where its process was killed.
        message = said.get("message", STOPPED) if said.get("state") == "interrupted" else REQUESTED
        folder.write_json(layout.STATUS, said | {"state": "interrupted", "message": message})
        return result


@dataclass(frozen=True)
class Finished:
    """A completed run: its folder, its result, and the final state of the search."""

    folder: Path
    result: Result
    state: SearchState


def run_once(
    experiment: Experiment,
    path: Path,
    registry: Registry,
    seed: Seed,  # what the run draws from. With a public seed the key of the folder is for fingerprints alone.
    display: Display | None = None,
    command: str = "",  # what the user typed, for the record
    spent: float = 0.0,  # seconds that the command has taken already, of a time for the whole run
) -> Finished:
    """Run an experiment once, in a new folder, which keeps the secret key."""
    tell = (display or Display()).message
    entered, worked = monotonic(), process_time()
    assembly = assemble(experiment, registry, seed)
    slowness = (monotonic() - entered) / max(process_time() - worked, 1e-3)
    assembly.source.try_writing(path / f"best{assembly.source.original.suffix}")
    rehearsed = monotonic()
    rehearse(
        assembly.experiment,
        kinds_of(assembly.microdata.original.schema),
        lambda short, at, key: run_once(short, at, registry, key),
        tell,
    )
    began = entered + (monotonic() - rehearsed) - spent
    folder = RunFolder(path)
    own = experiment.data.file
    folder.create(own)
    with folder.cleared_of(InputError), folder:
        folder.require_new(own)
        key = seed if isinstance(seed, Key) else Key.fresh()
        one = assembly.experiment.model_copy(update={"seed": public(seed), "replicates": 1})
        start = starting.start_of(experiment, registry, assembly.microdata.original.schema)
        full = resolve(one, registry, assembly.microdata.protect, start)
        now = environment.environment_of(replace(assembly, experiment=full), key)
        environment.begin(folder, full, now, key, command)
        given = time_of(assembly, began).slowed(slowness)
        given.remark((display or Display()).message)
        return _carry_out(Recorder(ending_within(assembly, given, folder), folder, display or Display()), given)


def resume_once(
    path: Path,
    registry: Registry,
    display: Display | None = None,
    force: bool = False,
    executor: ExecutorChoice | None = None,
) -> Finished:
    """Go on with a run from its last checkpoint; the result is that of a run that was never stopped."""
    display, began = display or Display(), monotonic()
    folder = RunFolder(path)
    experiment = experiment_of(folder)
    if executor is not None:
        experiment = experiment.model_copy(update={"executor": executor})
    before = folder.read_object(layout.ENVIRONMENT, *environment.REQUIRED)
    with environment.naming_plugins(folder, registry):
        assembly = assemble(experiment, registry, folder.seed(experiment.seed))
    key = folder.key()
    now = environment.environment_of(assembly, key)
    edits = environment.require_same_schema(before, now, force)
    require_same_data(before, assembly.source.table, key)
    if before.get("start_files", []) != now["start_files"]:
        given = "masked files that have changed since the run began from them"
        raise CheckpointError(Fault("start.files", given, "the same files", "Restore them or begin a new run."))
    changes = environment.require_same_versions(before, now, force)
    with folder:
        old, new = before["packages"], now["packages"]
        remarks = [
            *environment.edited_remark(folder),
            *(f"{fault.where}: {fault.given}; it is written again at the end" for fault in published_faults(path)),
            *([f"the run was broken off: {folder.abandoned} is gone"] if folder.abandoned is not None else []),
            *(f"going on with another version: {change}" for change in changes),
            *(
                f"{name} {old[name]} is now {version}: figures may differ in their last digits"
                for name, version in new.items()
                if old.get(name, version) != version
            ),
            *(f"going on by another schema: {edit}" for edit in edits),
        ]
        for text in remarks:
            display.message(text)
        if changes or edits:
            forced = [*before.get("forced", ()), *changes, *edits]
            folder.write_json(layout.ENVIRONMENT, environment.begun_as(before, now) | {"forced": forced})
        state, complaints = newest_checkpoint(path, assembly.problem.genotype)
        for complaint in complaints:
            display.message(f"{complaint}; going on from the checkpoint before it")
        if complaints and state is not None:
            set_aside_newer(path, state.population.generation)
        cut_journal(folder.file(layout.JOURNAL), 0 if state is None else state.progress.generation)
        spent = 0.0 if state is None else state.progress.seconds
        over = state is not None and starting.ended_by_time(folder, state.progress.generation)
        # Where judges alone are left to ask, to load all again is not to cost them their time.
        time = time_of(assembly, (monotonic() if over else began) - spent)
        return _carry_out(Recorder(ending_within(assembly, time, folder, spent, over), folder, display), time, state)


def _carry_out(recorder: Recorder, given: TimeGiven, state: SearchState | None = None) -> Finished:
    """Search from a state, or from the start, and write the result."""
    assembly, folder = recorder.assembly, recorder.folder
    registry = assembly.registry
    shutil.rmtree(folder.file(layout.CONTEXT), ignore_errors=True)  # left behind by a run that was killed
    for name in (layout.RESULT, layout.FOR_USERS, SO_FAR):  # of the best so far, when the run was stopped
        folder.file(name).unlink(missing_ok=True)
    remove_report(folder, recorder.display)
    withdraw(folder.path)
    recorder.state = state
    recorder.write_status("running", "starting")
    limit, spent_before = assembly.stop.seconds, state.progress.seconds if state is not None else 0.0
    # The time left is that of the whole command where it has a limit, else of the search.
    of_search = None if limit is None else limit - spent_before
    recorder.display.limited(of_search if given.seconds == inf else given.left)
    registry.announce("evosdc_run_started", run=recorder.run)
    try:
        state, files, reason = _searched(recorder, state, given)
        assembly = recorder.assembly
        if reason == assembly.stop.time_over:
            starting.write_repetition(folder, assembly, len(recorder.judged) or None, state.progress.generation)
            reason = reason if given.seconds == inf else f"{given.seconds:g} seconds"
        recorder.write_status("running", "writing the result, with a second opinion where one is wanted")
        result = write_outputs(
            folder, assembly, files, state, reason, display=recorder.display, given=given, trials=recorder.trials
        )
    except BaseException as error:
        _leave(recorder, error)
        if isinstance(error, KeyboardInterrupt):
            recorder.display.message("stopping: the best file so far is written, where there is one")
            write_partial_result(recorder)
        elif isinstance(error, MemoryError):
            # What was under way holds the most; nothing that fails from here on may hide what failed first.
            clear_frames(error.__traceback__)
            recorder.display.message("out of memory: the best file so far is written, where there is one")
            with suppress(Exception):
                write_partial_result(recorder, OUT_OF_MEMORY)
        raise
    finally:
        with suppress(OSError):  # a failed write to a full disk has been reported already
            recorder.journal.close()
    recorder.write_status("done", reason)
    registry.announce("evosdc_run_finished", run=recorder.run, result=result.to_json())
    return Finished(folder.path, result, state)


def _searched(
    recorder: Recorder, state: SearchState | None, given: TimeGiven
) -> tuple[SearchState, list[starting.StartingFile], str]:
    """Return where a search ends, the starting files, and why it ended; tuning and plans come before it."""
    assembly, registry = recorder.assembly, recorder.assembly.registry
    with ExitStack() as stack:
        recorder.assembly = assembly = within(assembly, ())  # of a resumed run: tighter bounds come at their generation
        executor = executor_of(assembly.experiment, registry)
        dispatch = dispatch_of(assembly, recorder.folder, executor, stack)
        spent: Mapping[str, Any] = {}
        if assembly.plan.tuned:
            assembly, spent = tune_start(recorder, dispatch)
            recorder.assembly, dispatch = assembly, redirected(dispatch, assembly)
        if assembly.experiment.start is not None and assembly.experiment.start.planned is not None:
            assembly, spent = planned_start(recorder, dispatch, spent)
            recorder.assembly, dispatch = assembly, redirected(dispatch, assembly)
        state, files = _start(recorder, state, dispatch, spent)
        judged = JudgedSearch(recorder, state, files, dispatch, executor.time_limit, given)
        reason = judged.run()
        recorder.state = state = judged.state
        recorder.save()
    return state, files, reason


def _start(
    recorder: Recorder, state: SearchState | None, dispatch: Dispatch | None, spent: Mapping[str, Any]
) -> tuple[SearchState, list[starting.StartingFile]]:
    """Return the state to search from, and the scores of the starting files; `spent` is the cost of tuning."""
    assembly, folder = recorder.assembly, recorder.folder
    if state is not None and folder.file(layout.PORTFOLIO).exists():
        return state, starting.read_portfolio(folder)
    began = monotonic()
    recorder.write_status("running", "masking and judging the starting files")
    seconds, evaluations = spent.get("seconds", 0.0), spent.get("evaluations", 0)
    individuals = recorder.judged
    individuals.extend(starting.starting_individuals(assembly, dispatch, recorder.starting, seconds))
    wanted = len(assembly.plan.labels)
    if len(individuals) < wanted:
        message = f"{len(individuals)} of {wanted} starting files were evaluated in their share of the time"
        recorder.display.message(f"{message}; the rest of it is the search's")
        starting.write_repetition(folder, assembly, len(individuals), None)
    if missed := missed_by_all(assembly.problem.constraints, [individual.scores for individual in individuals]):
        recorder.display.message(missed)
    files = starting.files_of(assembly, individuals)
    starting.write_portfolio(folder, files)
    return starting.search_from(assembly, individuals, seconds + monotonic() - began, evaluations), files


def _leave(recorder: Recorder, error: BaseException) -> None:
    """Save the state before a run ends early; on a full disk even that may fail, and older checkpoints stay."""
    # The status names the kind of an error that is not evosdc's own, and the system's words for its number, never its
    # text: that might hold values of records.
    interrupted = isinstance(error, KeyboardInterrupt)
    text = error.public.partition("\n")[0] if isinstance(error, EvosdcError) else ""
    if isinstance(error, OSError) and error.errno is not None:
        text = os.strerror(error.errno)
    stopped = REQUESTED if isinstance(error, EndRequested) else STOPPED
    message = stopped if interrupted else f"{type(error).__name__}: {text}".removesuffix(": ")
    with suppress(OSError, MemoryError):
        recorder.save()
    with suppress(OSError, MemoryError):
        recorder.write_status("interrupted" if interrupted else "failed", message)
