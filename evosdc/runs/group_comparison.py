"""Groups of runs side by side: what each comes to, rank tests between them, and how large the effects are."""

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

from evosdc.errors import DataError, Fault
from evosdc.runs.indicators import INDICATORS, attainment_surface, indicators_of, united_front
from evosdc.runs.rank_tests import LEVEL, compared, effect_of, spread_of
from evosdc.runs.reader import RecordedRun
from evosdc.runs.run_groups import JUDGED, RunGroup, front_of, grouped, same

MORE_IS_BETTER = frozenset({"hypervolume"})

SURFACES = {"best": 1e-9, "median": 0.5, "worst": 1.0}
"""Attainment surfaces that are told of each group, by the share of its runs that attain them."""


def compare_runs(runs: Sequence[RecordedRun], in_pairs: bool = False) -> dict[str, Any]:
    """Compare finished runs, those that differ in their seeds alone as a group.

    Parameters
    ----------
    runs : sequence of RecordedRun
    in_pairs : bool
        Whether runs of the same seed belong together, as they do where seeds stand for draws of the data or the start;
        without it all runs are independent of each other.

    Returns
    -------
    dict
        ``method level runs_needed``; ``groups``, each with ``label runs``, the figures of each run (``folder seed
        fitness il dr hypervolume igd_plus epsilon``, None where unknown), their ``spread`` and the corners of
        attainment ``surfaces``; and by figure the ``tests``, each with ``groups`` (two positions), ``p p_holm``,
        ``a12`` (share of pairs of runs in which the first group is better, ties half), ``effect`` and ``better`` (a
        position, or None where no difference was shown).

    Raises
    ------
    DataError
        A run has no result, there are fewer than two groups, data or measures are not the same, or runs are to be
        compared in pairs and have not the same seeds.
    """
    groups = grouped(runs)
    if not same(groups, *JUDGED):
        advice = (
            "Compare runs that were judged alike. Their data have to be where they found them: each run recognises "
            "them by its own key."
        )
        raise DataError(Fault("runs", "runs of different data or measures", "the same data and measures", advice))
    if in_pairs:
        _require_pairs(groups)
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
    """Return what the tests say, a sentence for each difference, and what they rest on."""
    labels = [group["label"] for group in compared_runs["groups"]]
    told = []
    for name, tests in compared_runs["tests"].items():
        for test in tests:
            if test["better"] is not None:
                better = labels[test["better"]]
                other = labels[next(place for place in test["groups"] if place != test["better"])]
                a12 = max(test["a12"], 1.0 - test["a12"])
                told.append(
                    f"{TITLES[name]}: better with {better} than with {other} "
                    f"(p = {test['p_holm']:.2g}, A12 = {a12:.2f}, {test['effect']})."
                )
    if not told:
        few = min(len(group["runs"]) for group in compared_runs["groups"]) < (compared_runs["runs_needed"] or 0)
        told = [
            f"Too few runs to tell the searches apart: each needs at least {compared_runs['runs_needed']}."
            if few
            else "No difference between the searches was shown."
        ]
    return [*told, f"Tests: {compared_runs['method']}; level {compared_runs['level']}."]


TITLES = {
    "fitness": "fitness",
    "il": "IL",
    "dr": "DR",
    "hypervolume": "hypervolume",
    "igd_plus": "IGD+",
    "epsilon": "epsilon",
}
"""What figures are called."""


def _figures(run: RecordedRun, alike: bool) -> dict[str, Any]:
    best = run.result["best"]
    scores, fitness = best["scores"], best["fitness"]
    sound = not scores.get("infeasibility")
    several = [scores[name] for name in ("il", "dr") if name in scores] or fitness
    single = float(fitness[0]) if len(fitness) == 1 else float(max(several))
    return {
        "folder": run.name,
        "seed": run.result.get("seed"),
        "fitness": single if alike and sound else None,
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
    for pair in found.pairs:
        shown = found.told and pair.corrected <= LEVEL
        better = (pair.first if pair.lower > 0.5 else pair.second) if shown else None
        listed.append(
            {
                "groups": [pair.first, pair.second],
                "p": pair.p,
                "p_holm": pair.corrected,
                "a12": pair.lower,
                "effect": effect_of(pair.lower),
                "better": better,
            }
        )
    return listed, found.needed


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None and isfinite(value)]


def _require_pairs(groups: Sequence[RunGroup]) -> None:
    seeds = [[run.result.get("seed") for run in group.runs] for group in groups]
    # Runs that draw from secret keys have no seed, and nothing in common.
    if any(own != seeds[0] or len(set(own)) < len(own) or None in own for own in seeds):
        advice = "Leave out the pairing, or run each search with the same seeds."
        raise DataError(Fault("pairs", "runs of different seeds", "the same seeds in every search, each once", advice))
