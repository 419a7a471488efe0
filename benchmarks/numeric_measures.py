"""Measures of numbers: from scratch and followed, and distance-based linkage beside comparing all pairs.

A section of `benchmarks.measures`.
"""

from __future__ import annotations

import os
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from numba import njit

from evosdc.model import Changes
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import Table
from evosdc_measures.interval_disclosure.interval import IntervalDisclosure
from evosdc_measures.linkage.distance import DistanceBasedLinkage
from evosdc_measures.linkage.probabilistic import ProbabilisticLinkage
from evosdc_measures.linkage.rank_swapping import RankSwappingLinkage
from evosdc_measures.numeric_loss.apil import AverageProbabilisticLoss
from evosdc_measures.numeric_loss.statistics import MeanVariationLoss
from evosdc_measures.numeric_loss.values import StandardisedLoss

MEASURES: dict[str, Any] = {
    "il1s": StandardisedLoss,
    "apil": AverageProbabilisticLoss,
    "mean-variation": MeanVariationLoss,
    "id": IntervalDisclosure,
    "dbrl": DistanceBasedLinkage,
    "prl": ProbabilisticLinkage,
    "rsrl": RankSwappingLinkage,
}


def census(rng: np.random.Generator) -> Table:
    """Return the Census file, or one drawn at random with its shape."""
    folder = os.environ.get("EVOSDC_DATA")
    if folder is None:
        return numeric_table(np.round(np.exp(rng.normal(size=(1080, 3)) @ rng.normal(size=(3, 13)) + 7)))
    frame = pd.read_csv(Path(folder) / "casc_census" / "CASCrefmicrodata.csv").select_dtypes("number")
    return numeric_table(frame.to_numpy(dtype=np.float64)[:, :13])


def numeric_table(numbers: Any) -> Table:
    attributes = tuple(Attribute(f"a{v}", scale=Scale.NUMERIC) for v in range(numbers.shape[1]))
    return Table(Schema(attributes), np.empty((len(numbers), 0), dtype=np.int32), numbers)


def noisy(original: Table, rng: np.random.Generator, scale: float = 0.2) -> Table:
    """Return the file with normal noise of some share of each standard deviation."""
    deviations = original.numbers.std(axis=0)
    return numeric_table(np.round(original.numbers + scale * deviations * rng.normal(size=original.numbers.shape)))


@njit(error_model="numpy")  # type: ignore[untyped-decorator]
def compare_all(original: Any, masked: Any) -> float:
    n, attributes = original.shape
    credit = 0.0
    for i in range(n):
        own = 0.0
        for v in range(attributes):
            own += (masked[i, v] - original[i, v]) ** 2
        tied = 0
        nearer = own * (1 - 1e-9)
        for j in range(n):
            distance = 0.0
            for v in range(attributes):
                distance += (masked[i, v] - original[j, v]) ** 2
            if distance < nearer:
                tied = -n
            elif distance <= own * (1 + 1e-9):
                tied += 1
        if tied > 0:
            credit += 1.0 / tied
    return 100.0 * credit / n


def print_all(title: str, original: Table, changes: int, rng: np.random.Generator) -> None:
    masked = noisy(original, rng)
    print(f"\n{title}: {len(original)} records, {original.numbers.shape[1]} numeric attributes; noise of 20 %")
    print(f"{'measure':16}{'score':>10}{'fit, ms':>12}{'score, ms':>12}{'one cell, us':>14}")
    for name, measure in MEASURES.items():
        warm = original.take(np.arange(20))
        measure(measure.Params()).fit(warm).score(masked.take(np.arange(20)))
        begin = process_time()
        fitted = measure(measure.Params()).fit(original)
        fit = process_time() - begin
        begin = process_time()
        score = fitted.score(masked)
        scored = process_time() - begin
        print(f"{name:16}{score:10.4f}{fit * 1e3:12.3f}{scored * 1e3:12.3f}", end="")
        print(f"{by_tracker(fitted, masked, changes, rng) * 1e6:14.1f}")


def by_tracker(fitted: Any, masked: Table, changes: int, rng: np.random.Generator) -> float:
    """Return the median CPU time of following one changed cell."""
    tracker, times = fitted.track(masked), []
    for _ in range(changes):
        numbers = masked.numbers.copy()
        row, v = int(rng.integers(len(masked))), int(rng.integers(numbers.shape[1]))
        numbers[row, v] = numbers[int(rng.integers(len(masked))), v]
        child, rows = numeric_table(numbers), np.array([row], dtype=np.intp)
        change = Changes.of_one(rows, masked.take(rows), child.take(rows))
        begin = process_time()
        tracker.take(change)
        _ = tracker.score
        times.append(process_time() - begin)
        masked = child
    return float(np.median(times))


def print_pairs(original: Table, sizes: tuple[int, ...], rng: np.random.Generator) -> None:
    print("\ndistance-based linkage of numbers, Census resampled with noise, 13 attributes: k-d tree and double loop")
    print(f"{'records':>8}{'score':>10}{'evosdc, s':>12}{'all pairs, s':>14}{'times':>8}")
    few = original.numbers[:10] / 1.0
    compare_all(few, few)
    for n in sizes:
        drawn = noisy(original.take(rng.integers(0, len(original), n).astype(np.intp)), rng, 0.1)
        masked = noisy(drawn, rng)
        begin = process_time()
        score = DistanceBasedLinkage(DistanceBasedLinkage.Params()).fit(drawn).score(masked)
        own = process_time() - begin
        print(f"{n:8}{score:10.4f}{own:12.3f}", end="")
        if n > 40000:
            print()
            continue
        unit = drawn.numbers.std(axis=0)
        begin = process_time()
        wanted = compare_all(drawn.numbers / unit, masked.numbers / unit)
        pairs = process_time() - begin
        if abs(score - wanted) > 1e-6:
            raise SystemExit(f"scores differ: {score} and {wanted}")
        print(f"{pairs:14.3f}{pairs / own:8.0f}")


def report(smoke: bool, rng: np.random.Generator) -> None:
    """Print the tables of this section."""
    original = census(rng)
    if smoke:
        original = original.take(np.arange(200))
    print_all("Census", original, 5 if smoke else 100, rng)
    print_pairs(original, (300,) if smoke else (1000, 30000, 300000), rng)
