"""How a study is doing: the conditions of its runs, taken together; nothing is touched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evosdc.errors import ExperimentError, Fault
from evosdc.experiment.config.reader import experiment_of
from evosdc.experiment.study.settings import combinations, labelled, planned_runs
from evosdc.runs.layout import LOCK, RESOLVED, RESULT, RunFolder
from evosdc.runs.lock import Holder, read_holder
from evosdc.runs.status import (
    FAILED,
    FINISHED,
    KILLED,
    RUNNING,
    STOPPED,
    WAITING,
    RunCondition,
    held_alive,
    run_condition,
)


@dataclass(frozen=True)
class StudyCondition:
    """How the runs of a study are doing.

    Parameters
    ----------
    folder : Path
    title, state : str
        The state as that of a run (`RunCondition`), of the study as a whole.
    runs : tuple of RunCondition
        In the order of the plan.
    labels : tuple of str
        The setting of each run in words; empty texts where there is no sweep.
    holder : Holder, optional
        The process that carries the study out, or that was killed.
    """

    folder: Path
    title: str
    state: str
    runs: tuple[RunCondition, ...]
    labels: tuple[str, ...]
    holder: Holder | None = None

    @property
    def active(self) -> bool:
        """Whether there is more to come without anybody doing anything."""
        return self.state == RUNNING

    @property
    def counts(self) -> dict[str, int]:
        """How many runs are in each state."""
        counted = Counter(run.state for run in self.runs)
        return {state: counted[state] for state in (FINISHED, RUNNING, WAITING, STOPPED, FAILED, KILLED)}

    @property
    def evaluations_per_second(self) -> float:
        """Of all running runs together."""
        return sum(run.evaluations_per_second for run in self.runs if run.active)

    @property
    def left(self) -> float | None:
        """Seconds until the last run is done, if those to come take as long as those that are done or under way.

        None before anything can be foreseen, and where nothing is running.
        """
        under_way = [run for run in self.runs if run.active]
        lengths = [run.seconds for run in self.runs if run.state == FINISHED]
        lengths += [run.seconds + run.left for run in under_way if run.left is not None]
        if not self.active or not lengths:
            return None
        usual = sum(lengths) / len(lengths)
        ahead = sum(max(0.0, usual - run.seconds) if run.left is None else run.left for run in under_way)
        return (ahead + usual * self.counts[WAITING]) / max(1, len(under_way))

    @property
    def best(self) -> RunCondition | None:
        """The run of the least first objective so far."""
        known = [run for run in self.runs if run.best and run.best.get("fitness")]
        return min(known, key=lambda run: run.best["fitness"][0]) if known else None  # type: ignore[index]

    def document(self) -> dict[str, Any]:
        """Return the condition as JSON-able data."""
        best = self.best
        silent = [run.silent for run in self.runs if run.silent is not None]
        return {
            "folder": str(self.folder),
            "title": self.title,
            "state": self.state,
            "runs": {"total": len(self.runs)} | self.counts,
            "evaluations": sum(run.evaluations for run in self.runs),
            "best": None if best is None else {"folder": str(best.folder)} | dict(best.best or {}),
            "rate": {"evaluations_per_second": round(self.evaluations_per_second, 3)},
            "seconds_left": None if self.left is None else round(self.left, 1),
            "seconds_since_sign_of_life": round(min(silent), 1) if silent else None,
            "process": None
            if self.holder is None
            else {"pid": self.holder.pid, "host": self.holder.host, "since": self.holder.since},
            "list": [run.document() | {"setting": label} for run, label in zip(self.runs, self.labels, strict=True)],
        }


Condition = RunCondition | StudyCondition


def condition_of(path: Path) -> Condition:
    """Return how a run or a study is doing.

    Raises
    ------
    ExperimentError
        There is neither at this path.
    CheckpointError
        What it was to do cannot be read.
    """
    lock = read_holder(path / LOCK)
    if not (path / RESOLVED).exists():
        if lock is not None:  # it is just beginning, or was killed in its first moments
            return run_condition(path)
        raise ExperimentError(
            Fault(str(path), "a path that holds no run", "a run folder", "evosdc run names the folder it writes to.")
        )
    experiment = experiment_of(RunFolder(path))
    if experiment.single:
        return run_condition(path)
    plan = planned_runs(experiment)
    labels = [labelled(values) for values in combinations(experiment)]
    runs = tuple(run_condition(path / run.folder) for run in plan)
    state = _state(path, runs, lock)
    return StudyCondition(path, experiment.heading, state, runs, tuple(labels[run.setting] for run in plan), lock)


def _state(path: Path, runs: Sequence[RunCondition], holder: Holder | None) -> str:
    states = {run.state for run in runs}
    if holder is not None and held_alive(path / LOCK, holder):
        return RUNNING
    if states == {FINISHED} and (path / RESULT).exists():
        return FINISHED
    if holder is not None:
        return KILLED
    return FAILED if FAILED in states else STOPPED
