"""How a run is doing: running, stopped, complete; and asking it to end."""

import shlex
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from typing import Any

from evosdc.errors import CheckpointError, Fault
from evosdc.files.atomic import write_text
from evosdc.printing import printable
from evosdc.runs import layout
from evosdc.runs.journal import journal_tail
from evosdc.runs.lock import SILENCE, LockOwner, read_owner
from evosdc.runs.result import Result

REQUEST = ".finish"


class EndRequested(KeyboardInterrupt):
    """A request to end the run: it ends as by Ctrl-C."""


def request_end(folder: Path) -> None:
    """Ask the run or study of a folder to end."""
    write_text(folder / REQUEST, "")


def end_requested(folder: Path) -> bool:
    """Whether the run or study of a folder has a request to end."""
    return (folder / REQUEST).exists()


def withdraw(folder: Path) -> None:
    """Take back or tick off the request."""
    (folder / REQUEST).unlink(missing_ok=True)


def end_if_requested(folder: Path) -> None:
    """Raise `EndRequested` where the run or study of a folder has a request to end."""
    if end_requested(folder):
        withdraw(folder)
        raise EndRequested


# What every run has that its search began with, and what every run has besides that wrote a result.
BEGUN = (layout.EXPERIMENT, layout.ENVIRONMENT, layout.STATUS, layout.JOURNAL)
ENDED = (layout.FRONT, layout.SCORES, layout.FREQUENCIES, layout.RISK)

_WANTED = "the file as the run wrote it"


def lacking_faults(path: Path) -> Iterator[Fault]:
    """Yield missing, empty or damaged files in the folder of a run, or of the runs of a study."""
    for folder in layout.run_folders(path):
        yield from _of_run(folder)


def require_complete(paths: Iterable[Path]) -> None:
    """Raise `CheckpointError` with missing, empty or damaged files in the folders of runs and studies."""
    faults = [fault for path in paths for fault in lacking_faults(path)]
    if faults:
        raise CheckpointError(faults)


def _of_run(folder: Path) -> Iterator[Fault]:
    resume = f"`{shlex.join(['evosdc', 'resume', str(folder)])}`"
    ended = layout.object_if_readable(folder / layout.STATUS).get("state") == "done"
    written = (folder / layout.RESULT).exists()
    if not ended and not written and not (folder / layout.JOURNAL).exists():
        return  # it is just beginning, or never began
    for name in BEGUN:
        again = f"{resume} writes it again."
        restore = again if name == layout.EXPERIMENT else "Restore it from a copy, or begin a new run."
        yield from _of_file(folder / name, restore)
    if ended or written:
        advice = f"Remove what is left of it: {resume} writes it again." if written else f"{resume} writes it again."
        yield from _of_file(folder / layout.RESULT, advice)
    for name in ENDED if written else ():
        yield from _of_file(folder / name, f"Restore it, or remove result.json: {resume} then writes both again.")


def _of_file(file: Path, advice: str) -> Iterator[Fault]:
    given = ""
    if not file.is_file():
        given = "no file, though the run wrote one"
    elif file.stat().st_size == 0 and file.name != layout.JOURNAL:
        given = "an empty file"
    elif file.suffix == ".json":
        try:
            layout.read_object(file)
        except (OSError, ValueError):
            given = "a damaged file"
    if given:
        yield Fault(printable(str(file)), given, _WANTED, advice)


RUNNING, FINISHED, STOPPED, FAILED, KILLED, WAITING = "running", "finished", "stopped", "failed", "killed", "waiting"

NO_REPORT = "no_report"  # key of a run's status that says why its report could not be written

_PHASES = {"done": FINISHED, "interrupted": STOPPED, "failed": FAILED}


@dataclass(frozen=True)
class RunStatus:
    """How one run is doing."""

    folder: Path
    title: str
    # ``running``; ``finished``; ``stopped`` by its user; ``failed``; ``killed``: its process is gone without a word;
    # ``waiting``: not yet begun.
    phase: str
    message: str = ""  # what the run last said of itself
    generation: int = 0
    evaluations: int = 0
    seconds: float = 0.0  # spent so far, over all resumes, by a clock that never jumps
    # ``fitness`` (a list), ``il`` and ``dr`` of the best file so far; None before the first generation.
    best: Mapping[str, Any] | None = None
    front: int = 0  # members of the front; 0 where not known
    evaluations_per_second: float = 0.0
    generations_per_second: float = 0.0
    # Seconds until the first limit that can be foreseen (generations, evaluations, seconds); a run may end earlier.
    # None where none can.
    left: float | None = None
    # Seconds since its last sign of life; 0 where the clock says that it lies in the future. None without any sign.
    silent: float | None = None
    owner: LockOwner | None = None  # the process that writes to the folder, or that was killed
    failed: int = 0  # evaluations that failed and were penalised
    report: Path | None = None  # the report in the folder; None where there is none
    no_report: str = ""  # why it could not be written; empty where it was, or was not to be

    @property
    def active(self) -> bool:
        """Whether the run is still going on."""
        return self.phase == RUNNING

    def to_json(self) -> dict[str, Any]:
        """Return the status as JSON-able data."""
        return {
            "folder": str(self.folder),
            "title": self.title,
            "state": self.phase,
            "message": self.message,
            "generation": self.generation,
            "evaluations": self.evaluations,
            "failed": self.failed,
            "seconds": round(self.seconds, 3),
            "best": dict(self.best) if self.best else None,
            "front": self.front,
            "report": None if self.report is None else str(self.report),
            "rate": {
                "evaluations_per_second": round(self.evaluations_per_second, 3),
                "generations_per_second": round(self.generations_per_second, 3),
            },
            **({NO_REPORT: self.no_report} if self.no_report else {}),
        } | signs_of_life(self.left, self.silent, self.owner)


def signs_of_life(left: float | None, silent: float | None, owner: LockOwner | None) -> dict[str, Any]:
    """Return the common status of runs and studies, as JSON-able data: time left, last sign of life, and process."""
    return {
        "seconds_left": None if left is None else round(left, 1),
        "seconds_since_sign_of_life": None if silent is None else round(silent, 1),
        "process": None if owner is None else {"pid": owner.pid, "host": owner.host, "since": owner.since},
    }


def read_run_status(folder: Path) -> RunStatus:
    """Return how the run of a folder is doing; ``waiting`` where it has not begun."""
    # A file that cannot be read at this moment counts as not there: a run in progress may just be replacing it.
    resolved, status = (layout.object_if_readable(folder / name) for name in (layout.RESOLVED, layout.STATUS))
    owner = read_owner(folder / layout.LOCK)
    silent = _silence([folder / name for name in (layout.LOCK, layout.STATUS, layout.JOURNAL)])
    title = str(resolved.get("title") or folder.name)
    phase = _phase(status, owner, folder / layout.LOCK)
    if not resolved and phase is not RUNNING:
        return RunStatus(folder, title, KILLED if owner is not None else WAITING, silent=silent, owner=owner)
    records = journal_tail(folder / layout.JOURNAL)
    newest: Mapping[str, Any] = max(
        (status, *records[-1:]), key=lambda record: (int(record.get("generation", -1)), "front" in record)
    )
    best = status.get("best") or newest.get("best")
    if phase is FINISHED:
        ended = (Result.known(folder) or Result()).best
        best = {"fitness": ended.fitness} | {n: ended.scores[n] for n in ("il", "dr") if n in ended.scores}
    speeds = rates(records)
    return RunStatus(
        folder,
        title,
        phase,
        str(status.get("message", "")),
        int(newest.get("generation", 0)),
        int(newest.get("evaluations", 0)),
        float(newest.get("seconds", 0.0)),
        best if isinstance(best, dict) else None,
        int(records[-1].get("front", 0)) if records else 0,
        *speeds,
        _nearest_end(resolved.get("stop") or {}, newest, speeds, owner) if phase is RUNNING else None,
        silent,
        owner,
        int(newest.get("failed", 0)),
        folder / layout.REPORT if (folder / layout.REPORT).is_file() else None,
        str(status.get(NO_REPORT, "")),
    )


def rates(records: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    """Return evaluations and generations per second over the records of a journal, by the search's own clock."""
    if len(records) < 2:
        return 0.0, 0.0
    first, last = records[0], records[-1]
    seconds = float(last["seconds"]) - float(first["seconds"])
    if seconds <= 0.0:
        return 0.0, 0.0
    made, gone = (float(last[key]) - float(first[key]) for key in ("evaluations", "generation"))
    return max(0.0, made / seconds), max(0.0, gone / seconds)


def time_left(stop: Mapping[str, Any], newest: Mapping[str, Any], speeds: tuple[float, float]) -> float | None:
    """Return the seconds until the nearest limit that can be foreseen, or None."""
    ahead = inf
    for limit, done, speed in (
        ("generations", "generation", speeds[1]),
        ("evaluations", "evaluations", speeds[0]),
        ("seconds", "seconds", 1.0),
    ):
        most = stop.get(limit)
        if most is not None and speed > 0.0:
            ahead = min(ahead, max(0.0, (float(most) - float(newest.get(done, 0.0))) / speed))
    return None if ahead == inf else ahead


def _nearest_end(
    stop: Mapping[str, Any], newest: Mapping[str, Any], speeds: tuple[float, float], owner: LockOwner | None
) -> float | None:
    """Return the seconds until the search's nearest limit, or until the time of the whole command is over."""
    ahead = time_left(stop, newest, speeds)
    whole = stop.get("whole")
    if whole is None or owner is None:
        return ahead
    with suppress(ValueError):  # a damaged lock tells no time
        gone = (datetime.now(UTC) - datetime.fromisoformat(owner.since)).total_seconds()
        left = min(float(whole), float(whole) - gone)
        if left > 0.0:
            return left if ahead is None else min(ahead, left)
    return ahead


def owner_lives(lock: Path, owner: LockOwner) -> bool:
    """Whether the owner of a lock file lives; on another computer, whether it has given a sign of life lately."""
    silent = _silence([lock])
    return owner.alive if owner.alive is not None else silent is not None and silent < SILENCE


def _phase(status: Mapping[str, Any], owner: LockOwner | None, lock: Path) -> str:
    said = str(status.get("state", ""))
    if owner is None:
        # A process that let go in good order and yet said "running" could not write its last word: a full disk.
        return _PHASES.get(said, FAILED if said else WAITING)
    return RUNNING if owner_lives(lock, owner) else _PHASES.get(said, KILLED)


def _silence(paths: Iterable[Path]) -> float | None:
    times = []
    for path in paths:
        try:
            times.append(path.stat().st_mtime)
        except OSError:
            continue
    return max(0.0, time.time() - max(times)) if times else None
