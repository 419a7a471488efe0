"""Studies: the runs of a sweep or of replicates, one after another here or side by side on workers."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from errno import EDQUOT, ENOSPC
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from evosdc.errors import CheckpointError, EvosdcError, ExperimentError, Fault, RunError
from evosdc.experiment import environment
from evosdc.experiment.assembly import assemble
from evosdc.experiment.display import Display
from evosdc.experiment.experiment import ExecutorChoice, Experiment
from evosdc.experiment.reader import experiment_of, experiment_text, with_executor
from evosdc.experiment.recorder import remove_report
from evosdc.experiment.single_run import finish_stopped, resume_once, run_once
from evosdc.experiment.study_status import (
    PlannedRun,
    Setting,
    Status,
    StudyStatus,
    check_settings,
    planned_runs,
    read_status,
    settings_of,
)
from evosdc.experiment.workers import WORKERS_LOG, executor_of
from evosdc.files.atomic import make_folder, write_text
from evosdc.model import Executor, SharedFiles, Task
from evosdc.model.individual import precedence_of
from evosdc.plugins.registry import Registry, default_registry
from evosdc.printing import csv_text, value_in_words
from evosdc.runs import status
from evosdc.runs.layout import ENVIRONMENT, EXPERIMENT, LOCK, RESOLVED, RESULT, SETTING, STATUS, RunFolder
from evosdc.runs.lock import read_owner
from evosdc.runs.published import require_published
from evosdc.runs.rank_tests import compared, spread_of
from evosdc.runs.result import Result, Scored, StudyResult
from evosdc.secret import Key, Seed


def carry_out_run(
    path: Path, run: PlannedRun, setting: Setting, registry: Registry, display: Display | None, force: bool = False
) -> None:
    """Begin one run of a study below `path`, resume it, or leave it as it is, depending on its folder."""
    own = RunFolder(path / run.folder)
    if not own.file(RESOLVED).exists():
        make_folder(own.path)
        if setting.values:
            own.write_json(SETTING, {"position": setting.position, "values": dict(setting.values)})
        seed = run.drawn_from(RunFolder(path).seed(setting.experiment.seed))
        run_once(setting.experiment, own.path, registry, seed, display)
    elif not done(own):
        resume_once(own.path, registry, display, force, setting.experiment.executor)


def done(folder: RunFolder) -> bool:
    """Whether the run of a folder is complete."""
    return folder.file(RESULT).exists() and folder.read_object(STATUS).get("state") == "done"


PERIOD = 1.0  # seconds between two looks at which runs are complete
LINGERING = 15.0  # seconds that a worker of a master that was killed may take to notice

_FULL = "the disk is full"

_FUNCTION = "evosdc.experiment.study:run_planned"

# The study's folder, the run's position in the plan, and whether other versions are accepted.
Payload = tuple[str, int, bool]


def spread_out(
    executor: Executor, folder: RunFolder, missing: Sequence[PlannedRun], total: int, display: Display, force: bool
) -> list[tuple[PlannedRun, str, BaseException | None]]:
    """Carry out the missing runs of a study on an executor; return those that failed, each with the reason."""
    # The workers find the study in its folder, which they must be able to reach.
    place = {run: position for position, run in enumerate(planned_runs(experiment_of(folder)))}
    study = str(folder.path.absolute())
    executor.keep_log(folder.file(WORKERS_LOG))
    tasks = [
        Task(_FUNCTION, None, 0, ((number, (study, place[run], force)),), lasting=True)
        for number, run in enumerate(missing)
    ]
    with _counted(folder.path, missing, total, display):
        outcomes = [outcome for task in executor.map(tasks) for outcome in task]
    failures: list[tuple[PlannedRun, str, BaseException | None]] = []
    for run, outcome in zip(missing, outcomes, strict=True):
        if not outcome.ok:
            # The text of a foreign error may hold values of records; its place in the code is for --debug.
            error = RunError(f"{run.folder} failed: {outcome.value.type}")
            error.add_note(outcome.value.traceback)
            failures.append((run, outcome.value.type, error))
        elif outcome.value:
            failures.append((run, str(outcome.value), None))
    if any(reason == _FULL for _, reason, _ in failures):
        raise OSError(ENOSPC, _FULL)
    for run, reason, _ in failures:
        display.message(f"{run.folder} failed: {reason}")
    return failures


def run_planned(shared: SharedFiles | None, seed: Seed, payload: Payload) -> str:
    """Carry out one run of a study, in a worker; return why it failed, or nothing. The study's folder has its key."""
    study, position, force = payload
    folder = RunFolder(Path(study))
    if status.end_requested(folder.path):
        return ""
    try:
        experiment = experiment_of(folder)
        run = planned_runs(experiment)[position]
        setting = settings_of(experiment)[run.setting]
        own = setting.experiment.model_copy(update={"executor": ExecutorChoice(name="serial")})
        limit = monotonic() + LINGERING  # until the owner of the lock is gone
        lock = folder.file(run.folder) / LOCK
        while (owner := read_owner(lock)) is not None and owner.alive and monotonic() < limit:
            sleep(0.1)
        carry_out_run(folder.path, run, replace(setting, experiment=own), default_registry(), None, force)
    except EvosdcError as error:
        text = str(error).partition("\n")[0]
        return f"{type(error).__name__}: {text}"
    except status.EndRequested:
        return ""  # the study's own process ends for it
    except OSError as error:
        if error.errno in (ENOSPC, EDQUOT):
            return _FULL
        return f"{type(error).__name__}: {error.strerror}"
    return ""


@contextmanager
def _counted(study: Path, runs: Sequence[PlannedRun], total: int, display: Display) -> Iterator[None]:
    """Tell the display how many runs are complete, whenever that changes, until the block ends."""
    ended = threading.Event()

    def count() -> int:
        return total - len(runs) + sum((study / run.folder / RESULT).exists() for run in runs)

    def follow() -> None:
        shown = -1
        while not ended.wait(0.0 if shown < 0 else PERIOD):
            if (number := count()) != shown:
                shown = number
                display.runs(shown, total)

    follower = threading.Thread(target=follow, name="study", daemon=True)
    follower.start()
    try:
        yield
    finally:
        ended.set()
        follower.join()
    display.runs(count(), total)


def run_study(
    experiment: Experiment,
    path: Path,
    registry: Registry,
    display: Display | None = None,
    command: str = "",
    spent: float = 0.0,
    key: Key | None = None,
) -> Result:
    """Run an experiment with all its replicates and settings in a new folder; return its result."""
    # A single run has `path` as its run folder; a study has a run folder below it for each of its runs, and a summary.
    # The runs of a study are spread over the workers of the chosen executor where it has several; the results are those
    # of running one after another. `command` is what the user typed, for the record; `spent` are the seconds that the
    # command has taken already, of a time for a single run. Without a seed the experiment draws from `key`, by default
    # from a fresh one.
    if key is not None and experiment.seed is not None:
        raise ExperimentError(Fault("seed", "a seed and a key", "one of both", "Leave out the seed of the experiment."))
    seed = (key or Key.fresh()) if experiment.seed is None else experiment.seed
    if experiment.single:
        return run_once(experiment, path, registry, seed, display, command, spent).result
    folder = RunFolder(path)
    check_settings(experiment, registry)  # report all faults before anything is written
    folder.create(experiment.data.file)
    with folder:
        folder.require_new(experiment.data.file)
        own = seed if isinstance(seed, Key) else Key.fresh()
        environment.begin(folder, experiment, _environment(experiment, registry, own), own, command)
        return _carry_out(experiment, folder, registry, display or Display())


def resume_study(
    path: Path,
    registry: Registry,
    display: Display | None = None,
    force: bool = False,
    *,
    executor: str | None = None,
    workers: int | None = None,
    hosts: Path | None = None,
) -> Result:
    """Go on with a stopped run or with the missing runs of a study; return its result."""
    # A run that had already ended is returned as it is. Executor, workers and hosts may be others than it began with:
    # the result is the same.
    folder = RunFolder(path)
    experiment = experiment_of(folder)
    named = folder.file(EXPERIMENT)
    if folder.file(ENVIRONMENT).exists() and (not named.exists() or not named.stat().st_size):
        environment.write_experiment(folder, experiment_text(experiment))  # it was lost
    experiment = with_executor(experiment, registry, executor, workers, hosts)
    if experiment.single:
        if done(folder):
            require_published(path)
            for remark in environment.edited_remark(folder):
                (display or Display()).message(remark)
            return Result.read(path)
        return resume_once(path, registry, display, force, experiment.executor).result
    with environment.naming_plugins(folder, registry):
        now = _environment(experiment, registry, folder.key())
    before = folder.read_object(ENVIRONMENT, *environment.REQUIRED) if folder.file(ENVIRONMENT).exists() else now
    if before["data"] != now["data"]:
        given, advice = "not those that the study began with", "Restore the file, or begin a new study."
        raise CheckpointError(Fault("data", given, "the same data", advice))
    changes = environment.require_same_versions(before, now, force)
    display = display or Display()
    for remark in environment.edited_remark(folder):
        display.message(remark)
    with folder:
        if folder.abandoned is not None:
            display.message(f"the study was broken off: {folder.abandoned} is gone")
        if changes:
            forced = {"forced": [*before.get("forced", ()), *changes]}
            folder.write_json(ENVIRONMENT, environment.begun_as(before, now) | forced)
        return _carry_out(experiment, folder, registry, display, force)


def _carry_out(
    experiment: Experiment, folder: RunFolder, registry: Registry, display: Display, force: bool = False
) -> StudyResult:
    settings, runs = settings_of(experiment), planned_runs(experiment)
    missing = [run for run in runs if not done(RunFolder(folder.file(run.folder)))]
    for run in runs:
        if run not in missing:
            require_published(folder.file(run.folder))
    status.withdraw(folder.path)
    if missing:
        remove_report(folder, display)
    # Runs are spread over workers but where there is one run or one worker. A time limit for evaluations is kept by the
    # executor's own workers, which get the evaluations of one run at a time.
    executor = None
    if not display.here and len(missing) > 1 and experiment.executor.params.get("time_limit") is None:
        executor = executor_of(experiment, registry)
    if executor is None or not executor.remote or executor.workers < 2:
        failures = _one_by_one(folder, settings, missing, len(runs), registry, display, force)
    else:
        with executor:
            failures = spread_out(executor, folder, missing, len(runs), display, force)
            status.end_if_requested(folder.path)
    if failures:
        run, reason, error = failures[0]
        which = f"{len(failures)} of {len(runs)} runs failed"
        raise RunError(f"{which}, {'first of all ' if failures[1:] else ''}{run.folder}: {reason}") from error
    results = [Result.read(folder.file(run.folder)) for run in runs]
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
        status.end_if_requested(folder.path)
        label = settings[run.setting].label
        display.message(f"run {number} of {total}: {run.folder}" + (f" ({label})" if label else ""))
        try:
            carry_out_run(folder.path, run, settings[run.setting], registry, display, force)
        except OSError:
            raise  # a full disk, for one: the others would fail as well
        except Exception as error:
            text = str(error).partition("\n")[0] if isinstance(error, EvosdcError) else ""
            reason = f"{type(error).__name__}: {text}".removesuffix(": ")
            display.message(f"{run.folder} failed: {reason}")
            failures.append((run, reason, error))
    return failures


def _environment(experiment: Experiment, registry: Registry, key: Key) -> dict[str, Any]:
    """Return the environment of all settings together; the data's fingerprint is that of the first setting's."""
    settings = settings_of(experiment)
    whole = environment.environment_of(assemble(settings[0].experiment, registry, key), key)
    for setting in settings[1:]:
        whole["providers"] |= environment.providers_of(setting.experiment, registry)
    return whole


SUMMARY, RUNS = "summary.csv", "runs.csv"

FIGURES = ("fitness", "il", "dr")
STATISTICS = ("n", "mean", "sd", "min", "median", "max")
SPENT = ("evaluations", "generations", "seconds", "digest")


def write_study_result(
    folder: RunFolder,
    experiment: Experiment,
    settings: Sequence[Setting],
    runs: Sequence[PlannedRun],
    results: Sequence[Result],
) -> StudyResult:
    """Write ``summary.csv runs.csv result.json`` of a study; return the last one."""
    figures = [figures_of(result) for result in results]
    alike = comparable(settings)
    entries: list[dict[str, Any]] = [
        {"position": setting.position, "values": dict(setting.values), "label": setting.label}
        | summary_of([own for run, own in zip(runs, figures, strict=True) if run.setting == setting.position])
        for setting in settings
    ]

    def order(place: int) -> tuple[float, float]:
        # Where the fitness is one setting's own matter, the plain mean of loss and risk decides between settings.
        own = figures[place]
        pair = [own[name] for name in ("il", "dr") if name in own]
        return own["infeasibility"], own["fitness"] if alike["fitness"] or not pair else sum(pair) / len(pair)

    place = min(range(len(results)), key=order)
    best, where = results[place], runs[place].folder
    spread = spread_of([own["fitness"] for own in figures]) if alike["fitness"] else None
    study = StudyResult.model_validate(
        dict(best)
        | {
            "title": experiment.heading,
            "seed": experiment.seed,
            "best": best.best.model_copy(update={"file": f"{where}/{best.best.file}"}),
            "folder": where,
            "replicates": [
                {"setting": run.setting, "replicate": run.replicate, "folder": run.folder}
                | {key: getattr(result, key) for key in ("seed", *SPENT)}
                | {"best": Scored(scores=result.best.scores, fitness=result.best.fitness)}
                for run, result in zip(runs, results, strict=True)
            ],
            "spread": spread and {name: spread[name] for name in ("mean", "sd", "min", "max")},
            "settings": entries if experiment.sweep else [],
            "comparison": comparisons(settings, runs, figures) if experiment.sweep else None,
        }
    )
    said = [{key: value_in_words(value) for key, value in setting.values.items()} for setting in settings]
    summaries = [
        said[entry["position"]]
        | {key: entry[key] for key in ("runs", "broken")}
        | {f"{name}_{key}": entry[name][key] for name in FIGURES for key in STATISTICS}
        for entry in entries
    ]
    listed = [
        {"folder": run.folder, **said[run.setting], "replicate": run.replicate + 1, "seed": result.seed}
        | {"violation": own["infeasibility"], **{name: own.get(name) for name in FIGURES}}
        | {key: getattr(result, key) for key in SPENT}
        for run, result, own in zip(runs, results, figures, strict=True)
    ]
    for file, rows in ((SUMMARY, summaries), (RUNS, listed)):
        write_text(folder.file(file), csv_text([list(rows[0]), *(list(row.values()) for row in rows)]))
    folder.write_json(RESULT, study.to_json())
    return study


def figures_of(result: Result) -> dict[str, float]:
    """Return the final figures of a run: ``infeasibility``, ``fitness``, and ``il`` and ``dr`` where judged."""
    # With several objectives ``fitness`` is the greatest coordinate of the balanced member of the front.
    scores = result.best.scores
    infeasibility, ranks = precedence_of(scores, result.best.fitness)
    return {"infeasibility": infeasibility, "fitness": ranks[0]} | {n: scores[n] for n in ("il", "dr") if n in scores}


def summary_of(figures: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """Return how many runs a setting has, how many break constraints, and the spread of the figures of the others."""
    sound = [own for own in figures if own["infeasibility"] == 0.0]
    return {"runs": len(figures), "broken": len(figures) - len(sound)} | {
        name: spread_of([own[name] for own in sound if name in own]) for name in FIGURES
    }


def comparable(settings: Sequence[Setting]) -> dict[str, bool]:
    """Return, by figure, whether it means the same in all settings: by their data, measures, and fitness."""

    def same(*keys: str) -> bool:
        documents = [setting.experiment.to_json() for setting in settings]
        return all(document[key] == documents[0][key] for document in documents for key in keys)

    judged = same("data", "measures")
    return {"fitness": judged and same("fitness"), "il": judged, "dr": judged}


def comparisons(
    settings: Sequence[Setting], runs: Sequence[PlannedRun], figures: Sequence[Mapping[str, float]]
) -> dict[str, Any]:
    """Return, by figure, the tests of differences between the settings; None where it is not comparable."""
    alike = comparable(settings)
    document: dict[str, Any] = {}
    for name in FIGURES:
        groups = [
            [
                own[name]
                for run, own in zip(runs, figures, strict=True)
                if run.setting == setting.position and own["infeasibility"] == 0.0 and name in own
            ]
            for setting in settings
        ]
        document[name] = compared(groups) if alike[name] and any(groups) else None
    return document


LOOK = 0.2  # seconds between two checks whether a run has ended as requested
PATIENCE = 120.0  # seconds that a run may take to end, by default


def finish(path: Path, registry: Registry, patience: float = PATIENCE) -> Status:
    """Write the best file so far of a run, or of all runs of a study, and end running processes."""
    # A run in another process, on this computer or another, receives a request to end, and this call waits for it. One
    # that was stopped or killed is written from its newest checkpoint. One that has finished stays as it is.
    found = read_status(path)
    if found.active:
        for folder in dict.fromkeys([path, *(run.folder for run in runs_of(found) if run.active)]):
            status.request_end(folder)
        limit = monotonic() + patience
        while found.active and monotonic() < limit:
            sleep(LOOK)
            found = read_status(path)
        if found.active:
            return found
        status.withdraw(path)
    written = [run.folder for run in runs_of(found) if (run.folder / RESULT).exists()]
    refused: list[Fault] = []
    for run in runs_of(found):
        if run.phase not in (status.FINISHED, status.RUNNING, status.WAITING) and run.folder not in written:
            try:
                finish_stopped(run.folder, registry)
                written.append(run.folder)
            except ExperimentError as error:
                refused += error.faults
    if refused and not written:
        raise ExperimentError(refused)
    require_published(path)
    return read_status(path)


def runs_of(found: Status) -> tuple[status.RunStatus, ...]:
    """Return the runs of a status."""
    return found.runs if isinstance(found, StudyStatus) else (found,)
