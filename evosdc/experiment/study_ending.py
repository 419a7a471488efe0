"""Ending a run or a study from elsewhere, with the best file so far written; each can be gone on with."""

from pathlib import Path
from time import monotonic, sleep

from evosdc.errors import ExperimentError, Fault
from evosdc.experiment.partial_result import finish_stopped
from evosdc.experiment.study_status import Status, StudyStatus, read_status
from evosdc.plugins.registry import Registry
from evosdc.runs.layout import RESULT
from evosdc.runs.published import require_published
from evosdc.runs.status import FINISHED, RUNNING, WAITING, RunStatus, request_end, withdraw

LOOK = 0.2  # seconds between two looks at a run that was asked to end
PATIENCE = 120.0  # seconds that a run may take to end, by default


def finish(path: Path, registry: Registry, patience: float = PATIENCE) -> Status:
    """Have the best file so far written of a run, or of all runs of a study, and end what is going on."""
    # A run that another process goes on with, on this computer or another, is asked to end and waited for. One that was
    # stopped or killed is written from its newest checkpoint. One that has finished stays as it is.
    found = read_status(path)
    if found.active:
        found = _ended(path, found, patience)
        if found.active:
            return found
    lacking = [run for run in runs_of(found) if run.phase not in (FINISHED, RUNNING, WAITING) and not _written(run)]
    refused: list[Fault] = []
    for run in lacking:
        try:
            finish_stopped(run.folder, registry)
        except ExperimentError as error:
            refused += error.faults
    if refused and not any(_written(run) for run in runs_of(found)):
        raise ExperimentError(refused)
    require_published(path)
    return read_status(path)


def runs_of(found: Status) -> tuple[RunStatus, ...]:
    """Return the runs that a status tells of."""
    return found.runs if isinstance(found, StudyStatus) else (found,)


def _ended(path: Path, found: Status, patience: float) -> Status:
    for folder in dict.fromkeys([path, *(run.folder for run in runs_of(found) if run.active)]):
        request_end(folder)
    limit = monotonic() + patience
    while found.active and monotonic() < limit:
        sleep(LOOK)
        found = read_status(path)
    if not found.active:
        withdraw(path)
    return found


def _written(run: RunStatus) -> bool:
    return (run.folder / RESULT).exists()
