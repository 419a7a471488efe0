"""The settings and runs of a study, and how they are doing; nothing is touched."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evosdc.errors import ExperimentError, Fault, FaultCollector, InputError
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.reader import experiment_of
from evosdc.plugins.registry import Registry
from evosdc.printing import values_in_words
from evosdc.runs import status
from evosdc.runs.layout import LOCK, RESOLVED, RESULT, RunFolder, require_run
from evosdc.runs.lock import LockOwner, read_owner
from evosdc.secret import Seed, replicate_seed

if TYPE_CHECKING:
    from evosdc.experiment.assembly import Assembly


@dataclass(frozen=True)
class Setting:
    """One combination of values."""

    position: int  # in the order of the product: the last key varies fastest
    values: Mapping[str, Any]  # value by dotted key; empty where the experiment has no sweep
    experiment: Experiment  # with these values, without the sweep

    @property
    def label(self) -> str:
        """The values in words: ``genotype.mutations = 2, fitness.name = max``."""
        return values_in_words(self.values)


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One run of a study."""

    folder: str  # below the study's own: ``replicate-001``, or ``setting-01/replicate-001`` in a sweep
    setting: int
    replicate: int

    def drawn_from(self, seed: Seed) -> Seed:
        """Return the seed of the run, given that of its study."""
        return replicate_seed(seed, self.replicate, self.setting)


def settings_of(experiment: Experiment) -> tuple[Setting, ...]:
    """Return the settings of an experiment; a single one without values where it has no sweep."""
    plain = experiment.to_json() | {"sweep": {}}
    collect, settings = FaultCollector(), []
    for position, values in enumerate(combinations(experiment)):
        with collect.step():
            settings.append(Setting(position, values, _with_values(plain, values)))
    _settle(collect)
    return tuple(settings)


def combinations(experiment: Experiment) -> Iterator[dict[str, Any]]:
    """Yield the values of each setting by key, in order."""
    keys = list(experiment.sweep)
    for values in product(*experiment.sweep.values()):
        yield dict(zip(keys, values, strict=True))


def planned_runs(experiment: Experiment) -> tuple[PlannedRun, ...]:
    """Return the runs of a study, setting by setting; they do not depend on the process that carries them out."""
    count = prod(map(len, experiment.sweep.values()))
    width = max(2, len(str(count)))
    return tuple(
        PlannedRun(
            (f"setting-{setting + 1:0{width}d}/" if experiment.sweep else "") + f"replicate-{replicate + 1:03d}",
            setting,
            replicate,
        )
        for setting in range(count)
        for replicate in range(experiment.replicates)
    )


def check_settings(experiment: Experiment, registry: Registry) -> "Assembly":
    """Raise when a setting cannot be run; return the assembly of the first one."""
    # Names and parameters of all settings are checked. Data and measures are tried out with each value once, not with
    # each combination of values.
    from evosdc.experiment.assembly import assemble, check_names  # numba is loaded with it

    settings = settings_of(experiment)
    collect = FaultCollector()
    first: Assembly | None = None
    for setting in settings:
        changed = sum(values.index(setting.values[key]) > 0 for key, values in experiment.sweep.items())
        with collect.step(), _naming_setting(setting.values):
            if changed <= 1:
                assembly = assemble(setting.experiment, registry)
                first = assembly if first is None else first
            else:
                check_names(setting.experiment, registry)
    _settle(collect)
    assert first is not None, "the first setting was assembled, or its faults were raised"
    return first


@contextmanager
def _naming_setting(values: Mapping[str, Any]) -> Iterator[None]:
    """Name a setting in the faults raised in the block."""
    try:
        yield
    except InputError as error:
        if not values:
            raise
        raise ExperimentError(
            replace(fault, where=f"sweep ({values_in_words(values)}): {fault.where}") for fault in error.faults
        ) from None


def _settle(collect: FaultCollector) -> None:
    """Raise the faults, those that differ in nothing but the setting once."""
    distinct: dict[tuple[str, str, str], Fault] = {}
    for fault in collect.faults:
        distinct.setdefault((fault.where.rpartition("): ")[2], fault.given, fault.wanted), fault)
    collect.faults = list(distinct.values())
    collect.settle()


def _with_values(plain: Mapping[str, Any], values: Mapping[str, Any]) -> Experiment:
    document = json.loads(json.dumps(plain))
    for key, value in values.items():
        # The experiment keeps the generations of the algorithm with its other limits.
        target, path = document, ["stop", "generations"] if key == "algorithm.generations" else key.split(".")
        for part in path[:-1]:
            if isinstance(target.get(part), str):
                target[part] = {"name": target[part]}
            if target.get(part) is None:
                target[part] = {}
            target = target[part]
            if not isinstance(target, dict):
                raise ExperimentError(Fault(f"sweep: {key}", "a key", f"a key below a table; {part} is not one"))
        target[path[-1]] = value
    with _naming_setting(values):
        return Experiment.model_validate(document)


@dataclass(frozen=True)
class StudyStatus:
    """How the runs of a study are doing."""

    folder: Path
    title: str
    phase: str
    runs: tuple[status.RunStatus, ...]  # in the order of the plan
    labels: tuple[str, ...]  # the setting of each run in words; empty texts where there is no sweep
    owner: LockOwner | None = None  # the process that carries the study out, or that was killed

    @property
    def active(self) -> bool:
        """Whether the study is still running."""
        return self.phase == status.RUNNING

    @property
    def counts(self) -> dict[str, int]:
        """How many runs are in each phase."""
        counted = Counter(run.phase for run in self.runs)
        return {
            phase: counted[phase]
            for phase in (status.FINISHED, status.RUNNING, status.WAITING, status.STOPPED, status.FAILED, status.KILLED)
        }

    @property
    def evaluations_per_second(self) -> float:
        """Of all running runs together."""
        return sum(run.evaluations_per_second for run in self.runs if run.active)

    @property
    def left(self) -> float | None:
        """Seconds until the last run is done, if those to come take as long as those that are done or under way."""
        # None before anything can be foreseen, and where nothing is running.
        under_way = [run for run in self.runs if run.active]
        lengths = [run.seconds for run in self.runs if run.phase == status.FINISHED]
        lengths += [run.seconds + run.left for run in under_way if run.left is not None]
        if not self.active or not lengths:
            return None
        usual = sum(lengths) / len(lengths)
        ahead = sum(max(0.0, usual - run.seconds) if run.left is None else run.left for run in under_way)
        return (ahead + usual * self.counts[status.WAITING]) / max(1, len(under_way))

    @property
    def silent(self) -> float | None:
        """Seconds since the last sign of life of any run; None without any."""
        return min((run.silent for run in self.runs if run.silent is not None), default=None)

    @property
    def best(self) -> status.RunStatus | None:
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
            **status.signs_of_life(self.left, self.silent, self.owner),
            "list": [run.to_json() | {"setting": label} for run, label in zip(self.runs, self.labels, strict=True)],
        }


Status = status.RunStatus | StudyStatus


def read_status(path: Path) -> Status:
    """Return how a run or a study is doing."""
    owner = read_owner(path / LOCK)
    if owner is not None and not (path / RESOLVED).exists():  # it is just beginning, or was killed in its first moments
        return status.read_run_status(path)
    require_run(path)
    experiment = experiment_of(RunFolder(path))
    if experiment.single:
        return status.read_run_status(path)
    plan = planned_runs(experiment)
    labels = [values_in_words(values) for values in combinations(experiment)]
    runs = tuple(status.read_run_status(path / run.folder) for run in plan)
    phase = _phase(path, runs, owner)
    return StudyStatus(path, experiment.heading, phase, runs, tuple(labels[run.setting] for run in plan), owner)


def _phase(path: Path, runs: Sequence[status.RunStatus], owner: LockOwner | None) -> str:
    phases = {run.phase for run in runs}
    if owner is not None and status.owner_lives(path / LOCK, owner):
        return status.RUNNING
    if phases == {status.FINISHED} and (path / RESULT).exists():
        return status.FINISHED
    if owner is not None:
        return status.KILLED
    return status.FAILED if status.FAILED in phases else status.STOPPED
