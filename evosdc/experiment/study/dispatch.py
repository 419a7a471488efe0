"""The runs of a study side by side: each run is a task of the chosen executor."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from errno import EDQUOT, ENOSPC
from pathlib import Path
from time import monotonic, sleep

from evosdc.errors import EvosdcError, RunError
from evosdc.experiment.config.experiment import ExecutorChoice, Experiment
from evosdc.experiment.config.reader import experiment_of
from evosdc.experiment.run.display import Display
from evosdc.experiment.run.workers import WORKERS_LOG, executor_of
from evosdc.experiment.study.planned_run import carry_out_run
from evosdc.experiment.study.settings import PlannedRun, planned_runs, settings_of
from evosdc.model import Executor, SharedFiles, Task
from evosdc.plugins.registry import Registry, default_registry
from evosdc.runs.finish import EndRequested, end_requested
from evosdc.runs.layout import LOCK, RESULT, RunFolder
from evosdc.runs.lock import read_owner
from evosdc.secret import Seed

PERIOD = 1.0
"""Seconds between two looks at which runs are complete."""

LINGERING = 15.0
"""Seconds that a worker of a master that was killed may take to notice."""

_FULL = "the disk is full"

_FUNCTION = "evosdc.experiment.study.dispatch:run_planned"

Payload = tuple[str, int, bool]
"""The study's folder, the run's position in the plan, and whether other versions are accepted."""


def study_executor(experiment: Experiment, registry: Registry, missing: int) -> Executor | None:
    """Return the executor that runs are spread over, or None where they are better run one after another here.

    That is so with a single run to do or a single worker. It is so with a time limit for evaluations as well, which the
    executor's own workers keep: they get the evaluations of one run at a time.
    """
    if missing < 2 or experiment.executor.params.get("time_limit") is not None:
        return None
    executor = executor_of(experiment, registry)
    return executor if executor.remote and executor.workers > 1 else None


def spread_out(
    executor: Executor, folder: RunFolder, missing: Sequence[PlannedRun], total: int, display: Display, force: bool
) -> list[tuple[PlannedRun, str, BaseException | None]]:
    """Carry out the missing runs of a study on an executor; return those that failed, each with the reason.

    The workers find the study in its folder, which they must be able to reach.

    Raises
    ------
    OSError
        The disk is full, so that the others failed as well.
    """
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
    if end_requested(folder.path):
        return ""
    try:
        experiment = experiment_of(folder)
        run = planned_runs(experiment)[position]
        setting = settings_of(experiment)[run.setting]
        own = setting.experiment.model_copy(update={"executor": ExecutorChoice(name="serial")})
        await_unlocked(folder.file(run.folder) / LOCK)
        carry_out_run(folder.path, run, replace(setting, experiment=own), default_registry(), None, force)
    except EvosdcError as error:
        told = str(error).partition("\n")[0]
        return f"{type(error).__name__}: {told}"
    except EndRequested:
        return ""  # the study's own process ends for it
    except OSError as error:
        if error.errno in (ENOSPC, EDQUOT):
            return _FULL
        return f"{type(error).__name__}: {error.strerror}"
    return ""


def await_unlocked(lock: Path, patience: float = LINGERING) -> None:
    """Wait, for a while at most, until the owner of a lock file is gone."""
    limit = monotonic() + patience
    while (owner := read_owner(lock)) is not None and owner.alive and monotonic() < limit:
        sleep(0.1)


@contextmanager
def _counted(study: Path, runs: Sequence[PlannedRun], total: int, display: Display) -> Iterator[None]:
    """Tell the display how many runs are complete, whenever that changes, until the block ends."""
    ended = threading.Event()

    def count() -> int:
        return total - len(runs) + sum((study / run.folder / RESULT).exists() for run in runs)

    def follow() -> None:
        told = -1
        while not ended.wait(0.0 if told < 0 else PERIOD):
            if (number := count()) != told:
                told = number
                display.runs(told, total)

    follower = threading.Thread(target=follow, name="study", daemon=True)
    follower.start()
    try:
        yield
    finally:
        ended.set()
        follower.join()
    display.runs(count(), total)
