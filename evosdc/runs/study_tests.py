"""Statistics of a study over data sets, searches and seeds: ranks over data sets, effect sizes, anytime curves."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import inf, isfinite, sqrt
from statistics import fmean, median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import DataError, Fault
from evosdc.runs.comparison import described, fitness_of, labels_of, require_finished
from evosdc.runs.rank_tests import LEVEL, effect_of, holm
from evosdc.runs.reader import RecordedRun

FIGURES = ("fitness", "il", "dr")  # figures of the best file that a study is about; less is better
RESAMPLES = 1000  # bootstrap samples of an interval

# Targets of a data set, from where its worst run began to a hundredth of the way from the best value found.
TARGETS = 51

FEW_BLOCKS = 6  # data sets below which the distribution of Friedman's statistic is a rough approximation


@dataclass(frozen=True)
class StudyRuns:
    """The finished runs of a study, by data set and search."""

    blocks: tuple[str, ...]
    searches: tuple[str, ...]
    # The keys that searches differ in, with the value of each search, in the order of `searches`.
    factors: tuple[Mapping[str, str], ...]
    # The runs of a block and a search, by seed.
    cells: Mapping[tuple[int, int], tuple[RecordedRun, ...]] = field(repr=False)


def arranged(runs: Sequence[RecordedRun], block_keys: Sequence[str] = ()) -> StudyRuns:
    """Arrange finished runs by data set and search."""
    require_finished(runs)
    settings = [described(run) for run in runs]
    keys = [
        key for key in dict.fromkeys(k for one in settings for k in one) if len({one.get(key) for one in settings}) > 1
    ]
    for key in block_keys:
        if not any(_below(known, key) for known in keys):
            raise DataError(Fault(f"block {key}", "the same in all runs", f"one of {', '.join(keys) or 'nothing'}"))
    apart = [key for key in keys if any(_below(key, block) for block in ("data", *block_keys))]
    own = [key for key in keys if key not in apart]
    blocks: dict[tuple[Any, ...], list[int]] = {}
    searches: dict[tuple[Any, ...], list[int]] = {}
    for position, one in enumerate(settings):
        blocks.setdefault(tuple(one.get(key) for key in apart), []).append(position)
        searches.setdefault(tuple(one.get(key) for key in own), []).append(position)
    if len(searches) < 2:
        raise DataError(Fault("study", "runs of one search", "two searches or more", "Sweep over algorithm.name."))
    firsts = [{key: settings[found[0]][key] for key in own if key in settings[found[0]]} for found in searches.values()]
    for found in blocks.values():
        judged = [key for key in keys if _below(key, "measures") or _below(key, "fitness")]
        if any(len({settings[position].get(key) for position in found}) > 1 for key in judged):
            advice = "Name what sets them apart by --block, such as --block measures."
            given = f"different measures or fitness of runs on {runs[found[0]].source}"
            raise DataError(Fault("study", given, "runs of a data set that are judged alike", advice))
    cells = {
        (b, s): tuple(sorted((runs[p] for p in set(in_block) & set(of_search)), key=lambda run: run.name))
        for b, in_block in enumerate(blocks.values())
        for s, of_search in enumerate(searches.values())
    }
    shared = [key for key in own if all(key in one for one in firsts)]
    return StudyRuns(
        tuple(_block_labels(runs, settings, apart, list(blocks.values()))),
        tuple(labels_of(firsts, [runs[found[0]].name for found in searches.values()])),
        tuple({key: one[key] for key in shared} for one in firsts),
        cells,
    )


def study_statistics(
    runs: Sequence[RecordedRun], figure: str = "fitness", block_keys: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the statistics of a study over data sets, searches and seeds, as JSON-able data."""
    study = arranged(runs, block_keys)
    values = {cell: [value_of(run, figure) for run in own] for cell, own in study.cells.items()}
    remarks: list[str] = []
    whole = [b for b in range(len(study.blocks)) if all(values[b, s] for s in range(len(study.searches)))]
    if left_out := [label for b, label in enumerate(study.blocks) if b not in whole]:
        remarks.append(f"Not every search has runs on {', '.join(left_out)}: left out of tests.")
    broken = sum(not isfinite(value) for own in values.values() for value in own)
    if broken:
        remarks.append(f"{broken} runs ended with a file that breaks constraints; they count as the worst.")
    medians = np.array([[median(values[b, s]) for s in range(len(study.searches))] for b in whole])
    friedman = _friedman(medians, remarks)
    return {
        "figure": figure,
        "level": LEVEL,
        "method": METHOD,
        "blocks": list(study.blocks),
        "searches": list(study.searches),
        "cells": [
            {"block": b, "search": s, "runs": len(own), "median": _finite(median(own)), "best": _finite(min(own)),
             "worst": _finite(max(own))}
            for (b, s), own in values.items() if own
        ],
        "friedman": friedman,
        "pairs": _pairs(values, whole, len(study.searches), friedman),
        "main_effects": _main_effects(study, values, whole),
        "targets": TARGETS,
        "curves": dict(zip(study.searches, _curves(study), strict=True)) if figure == "fitness" else {},
        "remarks": remarks,
    }  # fmt: skip


METHOD = (
    "Friedman's test of the medians over data sets with Nemenyi's post-hoc test (Demsar 2006); Wilcoxon's rank sum "
    "test within data sets (van Elteren 1960, normal approximation), Holm-corrected; A12 (Vargha and Delaney 2000) "
    f"averaged over data sets, with 95 % bootstrap intervals; level {LEVEL}"
)


def value_of(run: RecordedRun, figure: str) -> float:
    """Return a figure of a run's best file; infinite where the file breaks constraints."""
    scores = run.result.best.scores
    if scores.get("infeasibility"):
        return inf
    if figure == "fitness":
        return fitness_of(run)
    if scores.get(figure) is None:
        raise DataError(Fault(run.name, f"a run without {figure}", "runs that have it", "Take --figure fitness."))
    return float(scores[figure])


def blocked_wilcoxon(pairs: Sequence[tuple[Sequence[float], Sequence[float]]]) -> float:
    """Return the two-sided p-value of Wilcoxon's rank sum test within blocks (van Elteren 1960)."""
    from scipy import stats  # late: it takes a while

    difference, variance = 0.0, 0.0
    for a, b in pairs:
        ranks, total = stats.rankdata([*a, *b]), len(a) + len(b)
        weight = 1.0 / (total + 1.0)
        difference += weight * (float(ranks[: len(a)].sum()) - len(a) * (total + 1.0) / 2.0)
        # The variance of ranks drawn without replacement, which holds with ties as well.
        variance += weight**2 * len(a) * len(b) / total * float(np.var(ranks, ddof=1))
    return 1.0 if variance == 0.0 else float(2.0 * stats.norm.sf(abs(difference) / sqrt(variance)))


def a12_interval(pairs: Sequence[tuple[Sequence[float], Sequence[float]]]) -> tuple[float, float | None, float | None]:
    """Return A12 averaged over blocks, and its 95 % bootstrap interval; None for the latter with single runs."""
    # Runs are resampled within their block and search, by the percentile method.
    from scipy import stats

    def mean_a12(*samples: NDArray[np.float64], axis: int = -1) -> NDArray[np.float64]:
        shares = [_a12(samples[i], samples[i + 1]) for i in range(0, len(samples), 2)]
        return np.asarray(np.mean(shares, axis=0))

    samples = [np.asarray(own, dtype=np.float64) for pair in pairs for own in pair]
    found = float(mean_a12(*samples))
    if min(map(len, samples)) < 2:
        return found, None, None
    bounds = stats.bootstrap(
        samples, mean_a12, n_resamples=RESAMPLES, batch=200, vectorized=True, method="percentile",
        random_state=np.random.default_rng(0),
    ).confidence_interval  # fmt: skip
    return found, float(bounds.low), float(bounds.high)


def _a12(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    left, right = a[..., :, None], b[..., None, :]
    return np.asarray(np.mean((left < right) + 0.5 * (left == right), axis=(-2, -1)))


def _friedman(medians: NDArray[np.float64], remarks: list[str]) -> dict[str, Any] | None:
    from scipy import stats

    count, searches = medians.shape if medians.size else (0, 0)
    if count < 2:
        remarks.append("Fewer than two data sets that all searches have runs on: ranks over data sets are not tested.")
        return None
    if searches < 3:
        remarks.append("Friedman's test compares three searches or more.")
        return None
    if count < FEW_BLOCKS:
        remarks.append(f"Friedman's test and Nemenyi's are rough for {count} data sets; six or more are advised.")
    ranks = stats.rankdata(medians, axis=1)
    same = bool((ranks == ranks[:, :1]).all())
    statistic, p = (0.0, 1.0) if same else stats.friedmanchisquare(*medians.T)
    spread = sqrt(searches * (searches + 1) / (6.0 * count))
    critical = float(stats.studentized_range.isf(LEVEL, searches, inf)) / sqrt(2.0) * spread
    return {
        "statistic": float(statistic),
        "p": float(p),
        "blocks": count,
        "mean_ranks": ranks.mean(axis=0).tolist(),
        "critical_difference": critical,
    }


def _pairs(
    values: Mapping[tuple[int, int], Sequence[float]], whole: Sequence[int], searches: int, friedman: Any
) -> list[dict[str, Any]]:
    from scipy import stats

    found: list[dict[str, Any]] = []
    for a, b in combinations(range(searches), 2):
        both = [(values[block, a], values[block, b]) for block in whole]
        if not both:
            continue
        nemenyi = None
        if friedman is not None:
            apart = abs(friedman["mean_ranks"][a] - friedman["mean_ranks"][b])
            q = apart / sqrt(searches * (searches + 1) / (6.0 * friedman["blocks"])) * sqrt(2.0)
            nemenyi = float(stats.studentized_range.sf(q, searches, inf))
        share, low, high = a12_interval(both)
        found.append(
            {"searches": [a, b], "p_nemenyi": nemenyi, "p_blocked": blocked_wilcoxon(both), "a12": share, "low": low,
             "high": high, "effect": effect_of(share)}
        )  # fmt: skip
    for pair, corrected in zip(found, holm([pair["p_blocked"] for pair in found]), strict=True):
        a, b = pair["searches"]
        pair["p_holm"] = corrected
        pair["better"] = (a if pair["a12"] > 0.5 else b) if corrected <= LEVEL else None
    return found


def _main_effects(
    study: StudyRuns, values: Mapping[tuple[int, int], Sequence[float]], whole: Sequence[int]
) -> list[dict[str, Any]]:
    """Return, for each key that searches differ in, the mean rank of its values with all else equal."""
    from scipy import stats

    keys = list(study.factors[0]) if study.factors else []
    if len(keys) < 2:
        return []
    effects: list[dict[str, Any]] = []
    for key in keys:
        levels = list(dict.fromkeys(one[key] for one in study.factors))
        strata: dict[tuple[Any, ...], dict[str, float]] = {}
        for block in whole:
            for s, one in enumerate(study.factors):
                rest = (block, *(one[other] for other in keys if other != key))
                strata.setdefault(rest, {})[one[key]] = median(values[block, s])
        rows = np.array([[own[level] for level in levels] for own in strata.values() if len(own) == len(levels)])
        if len(rows) < 2 or len(levels) < 2:
            continue
        ranks = stats.rankdata(rows, axis=1)
        if (ranks == ranks[:, :1]).all():
            p = 1.0
        elif len(levels) == 2:
            p = float(stats.wilcoxon(ranks[:, 0] - ranks[:, 1]).pvalue)
        else:
            p = float(stats.friedmanchisquare(*rows.T).pvalue)
        effects.append(
            {
                "key": key,
                "strata": len(rows),
                "p": p,
                "levels": dict(zip(levels, ranks.mean(axis=0).tolist(), strict=True)),
            }
        )
    for effect, corrected in zip(effects, holm([effect["p"] for effect in effects]), strict=True):
        effect["p_holm"] = corrected
    return effects


def progress_of(run: RecordedRun) -> list[tuple[int, float]]:
    """Return evaluations and the least fitness so far, of each generation in which it fell."""
    least, found = inf, list[tuple[int, float]]()
    for record in run.journal:
        fitness = record.get("best", {}).get("fitness") or [inf]
        value = float(fitness[0] if len(fitness) == 1 else max(fitness))
        if value < least:
            least = value
            found.append((int(record["evaluations"]), value))
    return found


def _curves(study: StudyRuns) -> list[list[list[float]]]:
    """Return, by search, the share of (run, target) pairs reached by number of evaluations, all blocks alike."""
    reached: list[list[float]] = [[] for _ in study.searches]
    for block in range(len(study.blocks)):
        own = [[progress_of(run) for run in study.cells[block, s]] for s in range(len(study.searches))]
        lines = [line for of_search in own for line in of_search if line]
        if not lines:
            continue
        best, worst = min(line[-1][1] for line in lines), max(line[0][1] for line in lines)
        targets = best + (worst - best) * 10.0 ** np.linspace(0.0, -2.0, TARGETS)
        for s, of_search in enumerate(own):
            for line in of_search:
                reached[s] += [next((n for n, value in line if value <= target), inf) for target in targets]
    ends = sorted({at for own in reached for at in own if isfinite(at)})
    budgets = [ends[i] for i in np.unique(np.linspace(0, len(ends) - 1, 60).astype(int))] if ends else []
    return [[[float(at), fmean(hit <= at for hit in own)] for at in budgets] if own else [] for own in reached]


def progress_rows(study: StudyRuns) -> Iterator[list[object]]:
    """Yield the progress of all runs as IOHanalyzer reads it from a CSV file, the header first."""
    # Its columns are those of IOHanalyzer's "custom csv format": evaluations, best value so far, function (the data
    # set), algorithm (the search), dimension (protected attributes, 1 where unknown) and run.
    yield ["evaluations", "best", "function", "algorithm", "dimension", "run"]
    for (block, search), runs in study.cells.items():
        for number, run in enumerate(runs, 1):
            data = run.resolved.get("data")
            protected = data.get("protect") if isinstance(data, Mapping) else None
            for evaluations, value in progress_of(run):
                yield [
                    evaluations, repr(value), study.blocks[block], study.searches[search], len(protected or ()) or 1,
                    number,
                ]  # fmt: skip


def sentences(found: Mapping[str, Any]) -> list[str]:
    """Return the findings of the statistics, the most important first."""
    names, friedman, lines = found["searches"], found["friedman"], list[str]()
    if friedman is not None:
        ranks = friedman["mean_ranks"]
        order = ", ".join(f"{names[s]} {ranks[s]:.2f}" for s in sorted(range(len(names)), key=ranks.__getitem__))
        differ = "The searches differ" if friedman["p"] <= LEVEL else "No difference between the searches was shown"
        lines.append(
            f"{differ} over {friedman['blocks']} data sets (Friedman p = {friedman['p']:.2g}). Mean ranks, 1 is best: "
            f"{order}; they differ by Nemenyi from {friedman['critical_difference']:.2f} on."
        )
    for pair in found["pairs"]:
        if pair["better"] is not None:
            other = next(s for s in pair["searches"] if s != pair["better"])
            first = pair["better"] == pair["searches"][0]
            share = pair["a12"] if first else 1.0 - pair["a12"]
            bounds = ""
            if pair["low"] is not None:
                low, high = (pair["low"], pair["high"]) if first else (1.0 - pair["high"], 1.0 - pair["low"])
                bounds = f", 95 % interval {low:.2f} to {high:.2f}"
            lines.append(
                f"{names[pair['better']]} is better than {names[other]} (p = {pair['p_holm']:.2g}, A12 = {share:.2f}"
                f"{bounds}, {pair['effect']})."
            )
    if not any(pair["better"] is not None for pair in found["pairs"]):
        lines.append("No pair of searches was shown to differ.")
    for effect in found["main_effects"]:
        best = min(effect["levels"], key=effect["levels"].__getitem__)
        shown = f"{best} ranks best" if effect["p_holm"] <= LEVEL else "no main effect was shown"
        lines.append(f"{effect['key']}: {shown} (p = {effect['p_holm']:.2g}).")
    return [*lines, *found["remarks"], f"Tests: {found['method']}."]


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def _below(key: str, block: str) -> bool:
    return key == block or key.startswith(f"{block}.")


def _block_labels(
    runs: Sequence[RecordedRun],
    settings: Sequence[Mapping[str, str]],
    keys: Sequence[str],
    blocks: Sequence[Sequence[int]],
) -> list[str]:
    """Return the name of each block's data, with the values of further keys where the names are not enough."""
    further = [key for key in keys if key != "data.digest"]
    names = [runs[found[0]].source or "data" for found in blocks]
    rest = [", ".join(f"{key} = {settings[found[0]].get(key)}" for key in further) for found in blocks]
    alike = len(set(names)) < len(names)
    labels = [f"{name}, {more}" if alike and more else name for name, more in zip(names, rest, strict=True)]
    return [f"{name} ({i + 1})" if labels.count(name) > 1 else name for i, name in enumerate(labels)]
