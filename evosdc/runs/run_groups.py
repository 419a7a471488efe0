"""Runs that differ in their seeds alone, and what groups of such runs differ in."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evosdc.errors import DataError, Fault
from evosdc.runs.indicators import Points
from evosdc.runs.reader import RecordedRun

APART = ("title", "seed", "replicates", "sweep", "executor", "second_opinion", "on_error")
"""Keys of an experiment that make no other search of it."""

PLACES = ("name", "file", "schema")
"""Keys of the data that say where they are."""

JUDGED = ("data", "measures")
"""Keys that IL and DR depend on; the fitness depends on ``fitness`` besides."""


@dataclass(frozen=True, eq=False)
class RunGroup:
    """Runs of one search with seeds of their own.

    Parameters
    ----------
    label : str
        What sets it apart from the other groups: ``algorithm.name = nsga2``; its only run's name where nothing does.
    runs : tuple of RecordedRun
        By seed.
    """

    label: str
    runs: tuple[RecordedRun, ...]


def grouped(runs: Sequence[RecordedRun]) -> list[RunGroup]:
    """Return the groups of finished runs, in the order in which they are first met.

    Raises
    ------
    DataError
        A run has no result, or there are fewer than two groups.
    """
    unfinished = [run.name for run in runs if not run.result]
    if unfinished:
        advice = "Wait for it, or go on with it by evosdc resume."
        raise DataError([Fault(name, "a run without a result", "a finished run", advice) for name in unfinished])
    found: dict[str, list[RecordedRun]] = {}
    for run in runs:
        found.setdefault(_search(run), []).append(run)
    if len(found) < 2:
        given = f"{len(runs)} run{'s' * (len(runs) != 1)} of one and the same search"
        raise DataError(Fault("runs", given, "runs of two searches or more", "Name run folders that differ."))
    labels = _labels([_said(members[0]) for members in found.values()], [m[0].name for m in found.values()])
    return [
        RunGroup(label, tuple(sorted(members, key=_seed)))
        for label, members in zip(labels, found.values(), strict=True)
    ]


def one_search(runs: Sequence[RecordedRun]) -> bool:
    """Whether runs differ in their seeds alone."""
    return len({_search(run) for run in runs}) == 1


def same(groups: Sequence[RunGroup], *keys: str) -> bool:
    """Whether the experiments of all groups say the same under some keys."""
    told = [_said(group.runs[0]) for group in groups]
    return all(one.get(key) == told[0].get(key) for one in told for key in keys)


def front_of(run: RecordedRun) -> Points:
    """Return IL and DR of a run's front, without members that break constraints; shape (n, 2)."""
    members = [entry["scores"] for entry in run.result.get("front") or ()]
    points = [(m["il"], m["dr"]) for m in members if {"il", "dr"} <= m.keys() and not m.get("infeasibility")]
    return np.array(points, dtype=np.float64).reshape(-1, 2)


def _search(run: RecordedRun) -> str:
    return json.dumps(_said(run), sort_keys=True)


def _said(run: RecordedRun) -> dict[str, Any]:
    """Return what an experiment says of its search; the data by what they are, wherever a copy of them lies."""
    said = {key: value for key, value in run.resolved.items() if key not in APART}
    data, identity = said.get("data"), run.data_identity
    if isinstance(data, Mapping) and identity:
        said["data"] = {key: value for key, value in data.items() if key not in PLACES} | {"digest": identity}
    return said


def _seed(run: RecordedRun) -> int:
    return int(run.result.get("seed") or run.resolved.get("seed") or 0)


def _labels(experiments: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[str]:
    told = [dict(_flat(experiment)) for experiment in experiments]
    keys = list(dict.fromkeys(key for one in told for key in one))
    differ = [key for key in keys if len({one.get(key) for one in told}) > 1]
    # Parameters that only one of two algorithms has would say nothing that its name does not.
    named = [key for key in differ if all(key in one for one in told)]
    labels = [", ".join(f"{key} = {one.get(key)}" for key in named or differ) for one in told]
    return [
        label if label and labels.count(label) == 1 else f"{label} ({name})" if label else name
        for label, name in zip(labels, names, strict=True)
    ]


def _flat(value: Any, prefix: str = "") -> list[tuple[str, str]]:
    if isinstance(value, Mapping) and value:
        return [
            pair for key, inner in value.items() for pair in _flat(inner, f"{prefix}.{key}" if prefix else str(key))
        ]
    return [(prefix, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))]
