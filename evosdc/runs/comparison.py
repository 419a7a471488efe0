"""Comparing groups of runs: quality indicators of fronts, tests by ranks, effect sizes."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import moocore
import numpy as np
from numpy.typing import NDArray

from evosdc.errors import DataError, Fault
from evosdc.runs.rank_tests import LEVEL, compared, effect_of, spread_of
from evosdc.runs.reader import RecordedRun

Points = NDArray[np.float64]  # of shape (n, 2): IL and DR, both minimised
REFERENCE = 100.0  # both coordinates of the reference point of the hypervolume: the worst value of IL and DR

# Names of what `indicators_of` returns; of the first more is better, of the others less.
INDICATORS = ("hypervolume", "igd_plus", "epsilon")


def united_front(fronts: Sequence[Points]) -> Points:
    """Return the points of all fronts that none of them dominates, each once, by increasing IL."""
    every = np.unique(np.concatenate([np.empty((0, 2)), *fronts]), axis=0)
    return np.asarray(moocore.filter_dominated(every), dtype=np.float64) if len(every) else every


def indicators_of(front: Points, reference: Points) -> dict[str, float]:
    """Return how good a front is."""
    return {
        "hypervolume": 100.0 * float(moocore.hypervolume(front, ref=REFERENCE)) / REFERENCE**2,
        "igd_plus": float(moocore.igd_plus(front, ref=reference)),
        "epsilon": float(moocore.epsilon_additive(front, ref=reference)),
    }


def attainment_surface(fronts: Sequence[Points], share: float) -> Points:
    """Return the corners of the surface that a share of the fronts attains, by increasing IL."""
    # What lies on it or beyond it is dominated by at least that share of the fronts: of replicates with share 0.5 it is
    # the median front (Grunert da Fonseca, Fonseca and Hall 2001).
    filled = [front for front in fronts if len(front)]
    wanted = max(1, int(np.ceil(share * len(fronts) - 1e-9)))
    if wanted > len(filled):
        return np.empty((0, 2))
    sets = np.repeat(np.arange(1, len(filled) + 1), [len(front) for front in filled])
    surface = moocore.eaf(np.concatenate(filled), sets=sets, percentiles=[100.0 * wanted / len(filled)])
    corners = np.asarray(surface, dtype=np.float64)[:, :2]
    return corners[np.lexsort((-corners[:, 1], corners[:, 0]))]


# Keys of an experiment that make no other search of it.
APART = ("title", "seed", "replicates", "sweep", "executor", "second_opinion", "on_error")

PLACES = ("name", "file", "schema")  # keys of the data that say where they are
JUDGED = ("data", "measures")  # keys that IL and DR depend on; the fitness depends on ``fitness`` besides


@dataclass(frozen=True, eq=False)
class RunGroup:
    """Runs of one search with seeds of their own."""

    # What sets it apart from the other groups: ``algorithm.name = nsga2``; its only run's name where nothing does.
    label: str
    runs: tuple[RecordedRun, ...]  # by seed


def require_finished(runs: Sequence[RecordedRun]) -> None:
    """Raise `DataError` with the runs that have no result."""
    if unfinished := [run.name for run in runs if not run.ended]:
        advice = "Wait for it, or go on with it by evosdc resume."
        raise DataError([Fault(name, "a run without a result", "a finished run", advice) for name in unfinished])


def grouped(runs: Sequence[RecordedRun]) -> list[RunGroup]:
    """Return the groups of finished runs, in the order in which they are first met."""
    require_finished(runs)
    found: dict[str, list[RecordedRun]] = {}
    for run in runs:
        found.setdefault(_search(run), []).append(run)
    if len(found) < 2:
        given = f"{len(runs)} run{'s' * (len(runs) != 1)} of one and the same search"
        raise DataError(Fault("runs", given, "runs of two searches or more", "Name run folders that differ."))
    labels = labels_of([_said(members[0]) for members in found.values()], [m[0].name for m in found.values()])
    return [
        RunGroup(label, tuple(sorted(members, key=_seed)))
        for label, members in zip(labels, found.values(), strict=True)
    ]


def one_search(runs: Sequence[RecordedRun]) -> bool:
    """Whether runs differ in their seeds alone."""
    return len({_search(run) for run in runs}) == 1


def same(groups: Sequence[RunGroup], *keys: str) -> bool:
    """Whether the experiments of all groups say the same under some keys."""
    said = [_said(group.runs[0]) for group in groups]
    return all(one.get(key) == said[0].get(key) for one in said for key in keys)


def front_of(run: RecordedRun) -> Points:
    """Return IL and DR of a run's front, without members that break constraints; shape (n, 2)."""
    members = [entry.scores for entry in run.result.front]
    points = [(m["il"], m["dr"]) for m in members if {"il", "dr"} <= m.keys() and not m.get("infeasibility")]
    return np.array(points, dtype=np.float64).reshape(-1, 2)


def _search(run: RecordedRun) -> str:
    return json.dumps(_said(run), sort_keys=True)


def described(run: RecordedRun) -> dict[str, str]:
    """Return the settings of an experiment, with its data by their digest, as texts by dotted key."""
    return dict(_flat(_said(run)))


def _said(run: RecordedRun) -> dict[str, Any]:
    """Return the settings of an experiment, with the data identified by content, not by path."""
    said = {key: value for key, value in run.resolved.items() if key not in APART}
    data, identity = said.get("data"), run.data_identity
    if isinstance(data, Mapping) and identity:
        said["data"] = {key: value for key, value in data.items() if key not in PLACES} | {"digest": identity}
    return said


def _seed(run: RecordedRun) -> int:
    return int(run.result.seed or run.resolved.get("seed") or 0)


def labels_of(experiments: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[str]:
    """Return the differences of each experiment from the others; its name where there are none."""
    flat = [dict(_flat(experiment)) for experiment in experiments]
    keys = list(dict.fromkeys(key for one in flat for key in one))
    differ = [key for key in keys if len({one.get(key) for one in flat}) > 1]
    # Parameters that only one of two algorithms has would say nothing that its name does not.
    named = [key for key in differ if all(key in one for one in flat)]
    own = [[key for key in named or differ if one.get(key) not in (None, "null", "{}")] for one in flat]
    labels = [", ".join(f"{key} = {one[key]}" for key in keys) for one, keys in zip(flat, own, strict=True)]
    if sum(not label for label in labels) == 1 and differ:
        labels = [label or "default" for label in labels]
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


MORE_IS_BETTER = frozenset({"hypervolume"})

# Attainment surfaces reported for each group, by the share of its runs that attain them.
SURFACES = {"best": 1e-9, "median": 0.5, "worst": 1.0}


def compare_runs(runs: Sequence[RecordedRun], in_pairs: bool = False) -> dict[str, Any]:
    """Compare finished runs, those that differ in their seeds alone as a group."""
    groups = grouped(runs)
    if not same(groups, *JUDGED):
        advice = (
            "Compare runs that were judged alike. Their data have to be where they found them: each run recognises "
            "them by its own key. A page with all of them side by side: evosdc report RUN RUN -o PAGE.html"
        )
        raise DataError(Fault("runs", "runs of different data or measures", "the same data and measures", advice))
    if in_pairs:
        seeds = [[run.result.seed for run in group.runs] for group in groups]
        # Runs that draw from secret keys have no seed, and nothing in common.
        if any(own != seeds[0] or len(set(own)) < len(own) or None in own for own in seeds):
            wanted, advice = (
                "the same seeds in every search, each once",
                "Leave out the pairing, or run each search with the same seeds.",
            )
            raise DataError(Fault("pairs", "runs of different seeds", wanted, advice))
    fronts = [[front_of(run) for run in group.runs] for group in groups]
    united = united_front([front for own in fronts for front in own])
    alike = same(groups, "fitness")
    figures = [
        [
            _figures(run, alike) | (indicators_of(front, united) if len(front) else dict.fromkeys(INDICATORS))
            for run, front in zip(group.runs, own, strict=True)
        ]
        for group, own in zip(groups, fronts, strict=True)
    ]
    names = ("fitness", "il", "dr", *INDICATORS)
    tests = {name: _tests([[run[name] for run in own] for own in figures], name, in_pairs) for name in names}
    needed = [found[1] for found in tests.values() if found is not None]
    return {
        "method": ("Wilcoxon, signed ranks" if in_pairs else "Mann-Whitney") + ", two-sided, Holm-corrected; A12",
        "level": LEVEL,
        "runs_needed": max(needed, default=None),
        "groups": [
            {
                "label": group.label,
                "runs": own,
                "spread": {name: spread_of(_known(run[name] for run in own)) for name in names},
                "surfaces": {name: attainment_surface(each, share).tolist() for name, share in SURFACES.items()},
            }
            for group, own, each in zip(groups, figures, fronts, strict=True)
        ],
        "tests": {name: found[0] for name, found in tests.items() if found is not None},
    }


def sentences(compared_runs: Mapping[str, Any]) -> list[str]:
    """Return the findings of the tests, a sentence for each difference, and their basis."""
    labels = [group["label"] for group in compared_runs["groups"]]
    lines = []
    for name, tests in compared_runs["tests"].items():
        for test in tests:
            if test["better"] is not None:
                better = labels[test["better"]]
                other = labels[next(place for place in test["groups"] if place != test["better"])]
                a12 = max(test["a12"], 1.0 - test["a12"])
                lines.append(
                    f"{TITLES[name]}: better with {better} than with {other} "
                    f"(p = {test['p_holm']:.2g}, A12 = {a12:.2f}, {test['effect']})."
                )
    if not lines:
        few = min(len(group["runs"]) for group in compared_runs["groups"]) < (compared_runs["runs_needed"] or 0)
        if all(len(group["runs"]) == 1 for group in compared_runs["groups"]):
            return ["A single run of each search shows no difference between searches: run each with several seeds."]
        lines = [
            f"Too few runs to tell the searches apart: each needs at least {compared_runs['runs_needed']}."
            if few
            else "No difference between the searches was shown."
        ]
    return [*lines, f"Tests: {compared_runs['method']}; level {compared_runs['level']}."]


# What figures are called.
TITLES = {
    "fitness": "fitness",
    "il": "IL",
    "dr": "DR",
    "hypervolume": "hypervolume",
    "igd_plus": "IGD+",
    "epsilon": "epsilon",
}


def fitness_of(run: RecordedRun) -> float:
    """Return the fitness of a run's best file; of several objectives the greater of loss and risk."""
    scores, fitness = run.result.best.scores, run.result.best.fitness
    several = [scores[name] for name in ("il", "dr") if name in scores] or fitness
    return float(fitness[0] if len(fitness) == 1 else max(several))


def _figures(run: RecordedRun, alike: bool) -> dict[str, Any]:
    scores = run.result.best.scores
    sound = not scores.get("infeasibility")
    return {
        "folder": run.name,
        "seed": run.result.seed,
        "fitness": fitness_of(run) if alike and sound else None,
        **{name: scores.get(name) if sound else None for name in ("il", "dr")},
    }


def _tests(
    groups: Sequence[Sequence[float | None]], name: str, in_pairs: bool
) -> tuple[list[dict[str, Any]], int] | None:
    """Return the tests of one figure and how many runs they need; None where it is not known of every group."""
    sign = -1.0 if name in MORE_IS_BETTER else 1.0
    known = [[sign * value for value in _known(own)] for own in groups]
    whole = all(len(own) == len(given) for own, given in zip(known, groups, strict=True))
    if not all(known) or (in_pairs and not whole):
        return None
    found = compared(known, in_pairs)
    listed = []
    for pair in found["pairs"]:
        (first, second), share = pair["settings"], pair["share_lower"]
        shown = found["can_be_told"] and pair["p_holm"] <= LEVEL
        better = (first if share > 0.5 else second) if shown else None
        figures = {"groups": [first, second], "p": pair["p"], "p_holm": pair["p_holm"], "a12": share}
        listed.append(figures | {"effect": effect_of(share), "better": better})
    return listed, found["runs_needed"]


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None and isfinite(value)]
