"""A whole experiment: one run, or the replicates and settings of a study, one after another or side by side."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

from evosdc.errors import CheckpointError, EvosdcError, ExperimentError, Fault, RunError
from evosdc.experiment.build.assembly import assemble
from evosdc.experiment.config.experiment import Experiment
from evosdc.experiment.config.reader import experiment_of
from evosdc.experiment.config.resolution import experiment_text, with_executor
from evosdc.experiment.run.display import Display
from evosdc.experiment.run.environment import (
    REQUIRED,
    begun_as,
    begun_by,
    edited_remark,
    environment_of,
    providers_of,
    restore_experiment,
    write_experiment,
)
from evosdc.experiment.run.lacking_plugins import told_of_plugins
from evosdc.experiment.run.run import require_same_versions, resume_once, run_once
from evosdc.experiment.run.stale_report import remove_report
from evosdc.experiment.study.dispatch import spread_out, study_executor
from evosdc.experiment.study.planned_run import carry_out_run, done
from evosdc.experiment.study.result import write_study_result
from evosdc.experiment.study.settings import PlannedRun, Setting, check_settings, planned_runs, settings_of
from evosdc.plugins.registry import Registry
from evosdc.runs.finish import end_if_requested, withdraw
from evosdc.runs.layout import (
    ENVIRONMENT,
    RESOLVED,
    RESULT,
    RunFolder,
)
from evosdc.runs.published import require_published
from evosdc.secret import Key


def run_study(
    experiment: Experiment,
    path: Path,
    registry: Registry,
    display: Display | None = None,
    command: str = "",
    spent: float = 0.0,
    key: Key | None = None,
) -> dict[str, Any]:
    """Run an experiment with all its replicates and settings in a new folder; return its ``result.json``.

    A single run has `path` as its run folder; a study has a run folder below it for each of its runs, and a summary.
    The runs of a study are spread over the workers of the chosen executor where it has several; the results are those
    of running one after another. `command` is what the user typed, for the record;
    `spent` are the seconds that the command has taken already, of a time for a single run.
    Without a seed the experiment draws from `key`, by default from a fresh one.

    Raises
    ------
    InputError, RunError
        As `evosdc.experiment.run.run.run_once`. A run of a study that fails does not end the others; it is told of
        when they are done.
    """
    if key is not None and experiment.seed is not None:
        raise ExperimentError(Fault("seed", "a seed and a key", "one of both", "Leave out the seed of the experiment."))
    seed = (key or Key.fresh()) if experiment.seed is None else experiment.seed
    if experiment.single:
        return run_once(experiment, path, registry, seed, display, command, spent).result
    folder = RunFolder(path)
    check_settings(experiment, registry)  # all that is wrong is told before anything is written
    folder.create(experiment.data.file)
    with folder:
        folder.require_new(experiment.data.file)
        own = seed if isinstance(seed, Key) else Key.fresh()
        folder.keep_key(own)
        folder.write_json(ENVIRONMENT, _environment(experiment, registry, own) | begun_by(command))
        write_experiment(folder, experiment_text(experiment))
        folder.write_json(RESOLVED, experiment.to_json())
        return _carry_out(experiment, folder, registry, display or Display())


def resume_study(
    path: Path,
    registry: Registry,
    display: Display | None = None,
    force: bool = False,
    *,
    executor: str | None = None,
    workers: int | None = None,
    hosts: str | None = None,
) -> dict[str, Any]:
    """Go on with a stopped run or with the missing runs of a study; return its ``result.json``.

    A run that had already ended is returned as it is. Executor, workers and hosts may be others than it began with: the
    result is the same.

    Raises
    ------
    CheckpointError
        As `evosdc.experiment.run.run.resume_once`; or a published file is lacking or is not the one that was written.
    """
    folder = RunFolder(path)
    experiment = experiment_of(folder)
    restore_experiment(folder, experiment_text(experiment))
    if executor or workers or hosts:
        experiment = with_executor(experiment, registry, executor, workers, hosts)
    if experiment.single:
        if done(folder):
            require_published(path)
            for remark in edited_remark(folder):
                (display or Display()).message(remark)
            result: dict[str, Any] = folder.read_object(RESULT, "best")
            return result
        return resume_once(path, registry, display, force, experiment.executor).result
    with told_of_plugins(folder, registry):
        now = _environment(experiment, registry, folder.key())
    before = folder.read_object(ENVIRONMENT, *REQUIRED) if folder.file(ENVIRONMENT).exists() else now
    if before["data"] != now["data"]:
        given, advice = "not those that the study began with", "Restore the file, or begin a new study."
        raise CheckpointError(Fault("data", given, "the same data", advice))
    changes = require_same_versions(before, now, force)
    display = display or Display()
    for remark in edited_remark(folder):
        display.message(remark)
    with folder:
        if folder.abandoned is not None:
            display.message(f"the study was broken off: {folder.abandoned} is gone")
        if changes:
            folder.write_json(ENVIRONMENT, begun_as(before, now) | {"forced": [*before.get("forced", ()), *changes]})
        return _carry_out(experiment, folder, registry, display, force)


def _carry_out(
    experiment: Experiment, folder: RunFolder, registry: Registry, display: Display, force: bool = False
) -> dict[str, Any]:
    settings, runs = settings_of(experiment), planned_runs(experiment)
    for run in runs:
        if done(_of(folder, run)):
            require_published(folder.file(run.folder))
    missing = [run for run in runs if not done(_of(folder, run))]
    withdraw(folder.path)
    if missing:
        remove_report(folder, display)
    executor = None if display.here else study_executor(experiment, registry, len(missing))
    with executor or nullcontext():
        if executor is None:
            failures = _one_by_one(folder, settings, missing, len(runs), registry, display, force)
        else:
            failures = spread_out(executor, folder, missing, len(runs), display, force)
            end_if_requested(folder.path)
    if failures:
        run, reason, error = failures[0]
        which = f"{len(failures)} of {len(runs)} runs failed"
        raise RunError(f"{which}, {'first of all ' if failures[1:] else ''}{run.folder}: {reason}") from error
    results = [{"folder": run.folder} | _of(folder, run).read_json(RESULT) for run in runs]
    return write_study_result(folder, experiment, settings, runs, results)


def _one_by_one(
    folder: RunFolder,
    settings: tuple[Setting, ...],
    missing: list[PlannedRun],
    total: int,
    registry: Registry,
    display: Display,
    force: bool,
) -> list[tuple[PlannedRun, str, BaseException | None]]:
    failures: list[tuple[PlannedRun, str, BaseException | None]] = []
    for number, run in enumerate(missing, total - len(missing) + 1):
        end_if_requested(folder.path)
        label = settings[run.setting].label
        display.message(f"run {number} of {total}: {run.folder}" + (f" ({label})" if label else ""))
        try:
            carry_out_run(folder.path, run, settings[run.setting], registry, display, force)
        except OSError:
            raise  # a full disk, for one: the others would fail as well
        except Exception as error:
            told = str(error).partition("\n")[0] if isinstance(error, EvosdcError) else ""
            reason = f"{type(error).__name__}: {told}".removesuffix(": ")
            display.message(f"{run.folder} failed: {reason}")
            failures.append((run, reason, error))
    return failures


def _of(folder: RunFolder, run: PlannedRun) -> RunFolder:
    return RunFolder(folder.file(run.folder))


def _environment(experiment: Experiment, registry: Registry, key: Key) -> dict[str, Any]:
    """Return the environment of all settings together; the data's fingerprint is that of the first setting's."""
    settings = settings_of(experiment)
    whole = environment_of(assemble(settings[0].experiment, registry, key), key)
    for setting in settings[1:]:
        whole["providers"] |= providers_of(setting.experiment, registry)
    return whole
