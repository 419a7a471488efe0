"""Whether a run folder has all that a run of its state has written, and what to do where it does not."""

import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

from evosdc.errors import CheckpointError, Fault
from evosdc.printing import printable
from evosdc.runs.layout import (
    ENVIRONMENT,
    EXPERIMENT,
    FREQUENCIES,
    FRONT,
    JOURNAL,
    RESULT,
    RISK,
    SCORES,
    STATUS,
    read_object,
    run_folders,
)

BEGUN = (EXPERIMENT, ENVIRONMENT, STATUS, JOURNAL)
"""What every run has that its search began with."""

ENDED = (FRONT, SCORES, FREQUENCIES, RISK)
"""What every run has besides that wrote a result."""

_WANTED = "the file as the run wrote it"


def lacking_faults(path: Path) -> Iterator[Fault]:
    """Yield what is missing, empty or damaged in the folder of a run, or of the runs of a study."""
    for folder in run_folders(path):
        yield from _of_run(folder)


def require_complete(paths: Iterable[Path]) -> None:
    """Raise `CheckpointError` with what is missing, empty or damaged in the folders of runs and studies."""
    faults = [fault for path in paths for fault in lacking_faults(path)]
    if faults:
        raise CheckpointError(faults)


def _of_run(folder: Path) -> Iterator[Fault]:
    resume = f"`{shlex.join(['evosdc', 'resume', str(folder)])}`"
    ended = _state(folder) == "done"
    written = (folder / RESULT).exists()
    if not ended and not written and not (folder / JOURNAL).exists():
        return  # it is just beginning, or never began
    for name in BEGUN:
        restore = f"{resume} writes it anew." if name == EXPERIMENT else "Restore it from a copy, or begin a new run."
        yield from _of_file(folder / name, restore)
    if ended or written:
        anew = f"Remove what is left of it: {resume} writes it anew." if written else f"{resume} writes it anew."
        yield from _of_file(folder / RESULT, anew)
    for name in ENDED if written else ():
        yield from _of_file(folder / name, f"Restore it, or remove result.json: {resume} then writes both anew.")


def _of_file(file: Path, advice: str) -> Iterator[Fault]:
    given = ""
    if not file.is_file():
        given = "no file, though the run wrote one"
    elif file.stat().st_size == 0 and file.name != JOURNAL:
        given = "an empty file"
    elif file.suffix == ".json":
        try:
            read_object(file)
        except (OSError, ValueError):
            given = "a damaged file"
    if given:
        yield Fault(printable(str(file)), given, _WANTED, advice)


def _state(folder: Path) -> str:
    try:
        return str(read_object(folder / STATUS).get("state", ""))
    except (OSError, ValueError):
        return ""
