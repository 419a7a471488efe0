"""How a run is doing, from what lies in its folder; nothing of the run is touched or waited for."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from evosdc.runs.journal import journal_tail
from evosdc.runs.layout import JOURNAL, LOCK, RESOLVED, RESULT, STATUS
from evosdc.runs.lock import SILENCE, Holder, read_holder

RUNNING, FINISHED, STOPPED, FAILED, KILLED, WAITING = "running", "finished", "stopped", "failed", "killed", "waiting"

_STATES = {"done": FINISHED, "interrupted": STOPPED, "failed": FAILED}


@dataclass(frozen=True)
class RunCondition:
    """How one run is doing.

    Parameters
    ----------
    folder : Path
    title : str
    state : str
        ``running``; ``finished``; ``stopped`` by its user; ``failed``; ``killed``: its process is gone without a word;
        ``waiting``: not yet begun.
    message : str
        What the run last said of itself.
    generation, evaluations : int
    seconds : float
        Spent so far, over all resumes, by a clock that never jumps.
    best : mapping, optional
        ``fitness`` (a list), ``il`` and ``dr`` of the best file so far; None before the first generation.
    front : int
        Members of the front; 0 where not known.
    evaluations_per_second, generations_per_second : float
        Over the latest generations; 0 where not known.
    left : float, optional
        Seconds until the first limit that can be foreseen (generations, evaluations, seconds); a run may end earlier.
        None where none can.
    silent : float, optional
        Seconds since its last sign of life; 0 where the clock says that it lies in the future. None without any sign.
    holder : Holder, optional
        The process that writes to the folder, or that was killed.
    failed : int
        Evaluations that failed and were penalised.
    """

    folder: Path
    title: str
    state: str
    message: str = ""
    generation: int = 0
    evaluations: int = 0
    seconds: float = 0.0
    best: Mapping[str, Any] | None = None
    front: int = 0
    evaluations_per_second: float = 0.0
    generations_per_second: float = 0.0
    left: float | None = None
    silent: float | None = None
    holder: Holder | None = None
    failed: int = 0

    @property
    def active(self) -> bool:
        """Whether there is more to come without anybody doing anything."""
        return self.state == RUNNING

    def document(self) -> dict[str, Any]:
        """Return the condition as JSON-able data."""
        holder = self.holder
        return {
            "folder": str(self.folder),
            "title": self.title,
            "state": self.state,
            "message": self.message,
            "generation": self.generation,
            "evaluations": self.evaluations,
            "failed": self.failed,
            "seconds": round(self.seconds, 3),
            "best": dict(self.best) if self.best else None,
            "front": self.front,
            "rate": {
                "evaluations_per_second": round(self.evaluations_per_second, 3),
                "generations_per_second": round(self.generations_per_second, 3),
            },
            "seconds_left": None if self.left is None else round(self.left, 1),
            "seconds_since_sign_of_life": None if self.silent is None else round(self.silent, 1),
            "process": None if holder is None else {"pid": holder.pid, "host": holder.host, "since": holder.since},
        }


def run_condition(folder: Path) -> RunCondition:
    """Return how the run of a folder is doing; ``waiting`` where it has not begun.

    A file that cannot be read at this moment counts as not there: a run in progress may just be replacing it.
    """
    resolved, status = document_of(folder / RESOLVED), document_of(folder / STATUS)
    holder = read_holder(folder / LOCK)
    silent = _silence([folder / name for name in (LOCK, STATUS, JOURNAL)])
    title = str(resolved.get("title") or folder.name)
    state = _state(status, holder, folder / LOCK)
    if not resolved and state is not RUNNING:
        return RunCondition(folder, title, KILLED if holder is not None else WAITING, silent=silent, holder=holder)
    records = journal_tail(folder / JOURNAL)
    newest: Mapping[str, Any] = max(
        (status, *records[-1:]), key=lambda record: (int(record.get("generation", -1)), "front" in record)
    )
    best = status.get("best") or newest.get("best")
    if state is FINISHED:
        result = document_of(folder / RESULT).get("best") or {}
        scores = result.get("scores", {})
        best = {"fitness": result.get("fitness", [])} | {n: scores[n] for n in ("il", "dr") if n in scores}
    per_second, generations_per_second = rates(records)
    return RunCondition(
        folder,
        title,
        state,
        str(status.get("message", "")),
        int(newest.get("generation", 0)),
        int(newest.get("evaluations", 0)),
        float(newest.get("seconds", 0.0)),
        best if isinstance(best, dict) else None,
        int(records[-1].get("front", 0)) if records else 0,
        per_second,
        generations_per_second,
        time_left(resolved.get("stop") or {}, newest, (per_second, generations_per_second))
        if state is RUNNING
        else None,
        silent,
        holder,
        int(newest.get("failed", 0)),
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
    """Return the seconds until the nearest limit that can be foreseen, or None.

    Parameters
    ----------
    stop : mapping
        ``generations``, ``evaluations`` and ``seconds`` at most; None or lacking for no limit.
    newest : mapping
        The same keys, ``generation`` in place of the first: what is done.
    speeds : tuple of float
        Evaluations and generations per second.
    """
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


def document_of(path: Path) -> dict[str, Any]:
    """Return a JSON object; an empty one where there is none that can be read."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def held_alive(lock: Path, holder: Holder) -> bool:
    """Whether the holder of a lock file lives; on another computer, whether it has given a sign of life lately."""
    silent = _silence([lock])
    return holder.alive if holder.alive is not None else silent is not None and silent < SILENCE


def _state(status: Mapping[str, Any], holder: Holder | None, lock: Path) -> str:
    said = str(status.get("state", ""))
    if holder is None:
        # A process that let go in good order and yet said "running" could not write its last word: a full disk.
        return _STATES.get(said, FAILED if said else WAITING)
    return RUNNING if held_alive(lock, holder) else _STATES.get(said, KILLED)


def _silence(paths: Iterable[Path]) -> float | None:
    times = []
    for path in paths:
        try:
            times.append(path.stat().st_mtime)
        except OSError:
            continue
    return max(0.0, time.time() - max(times)) if times else None
