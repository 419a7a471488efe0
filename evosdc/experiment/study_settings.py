"""The settings of a sweep: one experiment for each combination of the values that are tried."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from evosdc.errors import ExperimentError, Fault, FaultCollector, InputError
from evosdc.experiment.experiment import Experiment
from evosdc.plugins.registry import Registry
from evosdc.printing import values_in_words
from evosdc.runs.layout import replicate_folder, setting_folder
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
        """Return what the run draws from, given what its study does."""
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
    """Return the runs of a study, setting by setting; what they are does not depend on who carries them out."""
    count = 1
    for values in experiment.sweep.values():
        count *= len(values)
    return tuple(
        PlannedRun(
            (f"{setting_folder(setting, count)}/" if experiment.sweep else "") + replicate_folder(replicate),
            setting,
            replicate,
        )
        for setting in range(count)
        for replicate in range(experiment.replicates)
    )


def check_settings(experiment: Experiment, registry: Registry) -> "Assembly":
    """Raise when a setting cannot be run; return what the first one needs."""
    # Names and parameters of all settings are checked. Data and measures are tried out with each value once, not with
    # each combination of values.
    from evosdc.experiment.assembly import assemble, check_names  # numba is loaded with it

    settings = settings_of(experiment)
    collect = FaultCollector()
    first: Assembly | None = None
    for setting in settings:
        changed = sum(values.index(setting.values[key]) > 0 for key, values in experiment.sweep.items())
        with collect.step(), _told_of(setting.values):
            if changed <= 1:
                assembly = assemble(setting.experiment, registry)
                first = assembly if first is None else first
            else:
                check_names(setting.experiment, registry)
    _settle(collect)
    assert first is not None, "the first setting was assembled, or its faults were raised"
    return first


@contextmanager
def _told_of(values: Mapping[str, Any]) -> Iterator[None]:
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
    told: dict[tuple[str, str, str], Fault] = {}
    for fault in collect.faults:
        told.setdefault((fault.where.rpartition("): ")[2], fault.given, fault.wanted), fault)
    collect.faults = list(told.values())
    collect.settle()


def _with_values(plain: Mapping[str, Any], values: Mapping[str, Any]) -> Experiment:
    document = json.loads(json.dumps(plain))
    for key, value in values.items():
        target, path = document, _place(key)
        for part in path[:-1]:
            if isinstance(target.get(part), str):
                target[part] = {"name": target[part]}
            if target.get(part) is None:
                target[part] = {}
            target = target[part]
            if not isinstance(target, dict):
                raise ExperimentError(Fault(f"sweep: {key}", "a key", f"a key below a table; {part} is not one"))
        target[path[-1]] = value
    with _told_of(values):
        return Experiment.model_validate(document)


def _place(key: str) -> list[str]:
    # The experiment keeps this limit with the others.
    return ["stop", "generations"] if key == "algorithm.generations" else key.split(".")
