"""How a study is doing: the status of each of its runs, and all taken together; nothing is touched."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evosdc.experiment.reader import experiment_of
from evosdc.experiment.study_settings import combinations, planned_runs
from evosdc.printing import values_in_words
from evosdc.runs.layout import LOCK, RESOLVED, RESULT, RunFolder, require_run
from evosdc.runs.lock import LockOwner, read_owner
from evosdc.runs.status import (
    FAILED,
    FINISHED,
    KILLED,
    RUNNING,
    STOPPED,
    WAITING,
    RunStatus,
    owner_lives,
    read_run_status,
    signs_of_life,
)


@dataclass(frozen=True)
class StudyStatus:
    """How the runs of a study are doing."""

    folder: Path
    title: str
    phase: str
    runs: tuple[RunStatus, ...]  # in the order of the plan
    labels: tuple[str, ...]  # the setting of each run in words; empty texts where there is no sweep
    owner: LockOwner | None = None  # the process that carries the study out, or that was killed

    @property
    def active(self) -> bool:
        """Whether there is more to come without anybody doing anything."""
        return self.phase == RUNNING

    @property
    def counts(self) -> dict[str, int]:
        """How many runs are in each phase."""
        counted = Counter(run.phase for run in self.runs)
        return {phase: counted[phase] for phase in (FINISHED, RUNNING, WAITING, STOPPED, FAILED, KILLED)}

    @property
    def evaluations_per_second(self) -> float:
        """Of all running runs together."""
        return sum(run.evaluations_per_second for run in self.runs if run.active)

    @property
    def left(self) -> float | None:
        """Seconds until the last run is done, if those to come take as long as those that are done or under way."""
        # None before anything can be foreseen, and where nothing is running.
        under_way = [run for run in self.runs if run.active]
        lengths = [run.seconds for run in self.runs if run.phase == FINISHED]
        lengths += [run.seconds + run.left for run in under_way if run.left is not None]
        if not self.active or not lengths:
            return None
        usual = sum(lengths) / len(lengths)
        ahead = sum(max(0.0, usual - run.seconds) if run.left is None else run.left for run in under_way)
        return (ahead + usual * self.counts[WAITING]) / max(1, len(under_way))

    @property
    def silent(self) -> float | None:
        """Seconds since the last sign of life of any run; None without any."""
        return min((run.silent for run in self.runs if run.silent is not None), default=None)

    @property
    def best(self) -> RunStatus | None:
        """The run of the least first objective so far."""
        known = [run for run in self.runs if run.best and run.best.get("fitness")]
        return min(known, key=lambda run: run.best["fitness"][0]) if known else None  # type: ignore[index]

    def to_json(self) -> dict[str, Any]:
        """Return the status as JSON-able data."""
        best = self.best
        return {
            "folder": str(self.folder),
            "title": self.title,
            "state": self.phase,
            "runs": {"total": len(self.runs)} | self.counts,
            "evaluations": sum(run.evaluations for run in self.runs),
            "best": None if best is None else {"folder": str(best.folder)} | dict(best.best or {}),
            "rate": {"evaluations_per_second": round(self.evaluations_per_second, 3)},
            **signs_of_life(self.left, self.silent, self.owner),
            "list": [run.to_json() | {"setting": label} for run, label in zip(self.runs, self.labels, strict=True)],
        }


Status = RunStatus | StudyStatus


def read_status(path: Path) -> Status:
    """Return how a run or a study is doing."""
    owner = read_owner(path / LOCK)
    if owner is not None and not (path / RESOLVED).exists():  # it is just beginning, or was killed in its first moments
        return read_run_status(path)
    require_run(path)
    experiment = experiment_of(RunFolder(path))
    if experiment.single:
        return read_run_status(path)
    plan = planned_runs(experiment)
    labels = [values_in_words(values) for values in combinations(experiment)]
    runs = tuple(read_run_status(path / run.folder) for run in plan)
    phase = _phase(path, runs, owner)
    return StudyStatus(path, experiment.heading, phase, runs, tuple(labels[run.setting] for run in plan), owner)


def _phase(path: Path, runs: Sequence[RunStatus], owner: LockOwner | None) -> str:
    phases = {run.phase for run in runs}
    if owner is not None and owner_lives(path / LOCK, owner):
        return RUNNING
    if phases == {FINISHED} and (path / RESULT).exists():
        return FINISHED
    if owner is not None:
        return KILLED
    return FAILED if FAILED in phases else STOPPED
