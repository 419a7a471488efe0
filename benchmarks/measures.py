"""Times of the measures: from scratch and tracked; of linkage, of numbers and of privacy models beside references.

Run from the repository's root: ``python -m benchmarks.measures [--most N] [--million] [--smoke]``; with EVOSDC_DATA set
the files are German Credit, Adult, Poker Hand and Census, else files drawn at random with the same shapes. All times
are CPU times of one thread. The sections stand in `benchmarks.linkage`, `benchmarks.numeric_measures` and
`benchmarks.privacy`.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import linkage, privacy
from benchmarks import numeric_measures as numeric
from evosdc.model import Changes
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import Table
from evosdc_measures.categorical_loss.distances import DistanceBasedLoss
from evosdc_measures.categorical_loss.entropy import EntropyBasedLoss
from evosdc_measures.categorical_loss.tables import ContingencyTableLoss
from evosdc_measures.interval_disclosure.interval import IntervalDisclosure
from evosdc_measures.linkage.distance import DistanceBasedLinkage
from evosdc_measures.linkage.probabilistic import ProbabilisticLinkage

MEASURES = {
    "dbil": DistanceBasedLoss,
    "ctbil": ContingencyTableLoss,
    "ebil": EntropyBasedLoss,
    "id": IntervalDisclosure,
    "dbrl": DistanceBasedLinkage,
    "prl": ProbabilisticLinkage,
}
SHAPES = {
    "german": (1000, (4, 5, 5), "ordinal"),
    "adult": (32561, (8, 16, 7, 14, 6, 5, 2, 41), "nominal"),
    "poker": (25010, (4, 13) * 5, "nominal"),
}
POSITIONS = {"german": [0, 5, 6], "adult": [1, 3, 5, 6, 7, 8, 9, 13], "poker": list(range(10))}
FILES = {
    "german": ("german_credit/german.data", r"\s+"),
    "adult": ("adult/adult.data", ","),
    "poker": ("poker_hand/poker-hand-training-true.data", ","),
}


def table_of(frame: pd.DataFrame, scale: str) -> Table:
    columns = [pd.Categorical(frame[name].where(frame[name] != "?")) for name in frame]
    attributes = tuple(
        Attribute(str(name), scale=Scale(scale), categories=tuple(map(str, column.categories)))
        for name, column in zip(frame, columns, strict=True)
    )
    codes = np.column_stack([column.codes.astype(np.int32) for column in columns])
    return Table(Schema(attributes), codes, np.empty((len(frame), 0)))


def load(name: str, rng: np.random.Generator) -> Table:
    n, sizes, scale = SHAPES[name]
    folder = os.environ.get("EVOSDC_DATA")
    if folder is None:
        # Skewed categories: files of people hold many common records and some rare ones.
        columns = {
            str(v): np.minimum(rng.geometric(min(2.5 / c, 0.8), n) - 1, c - 1).astype(str) for v, c in enumerate(sizes)
        }
        return table_of(pd.DataFrame(columns), scale)
    file, separator = FILES[name]
    frame = pd.read_csv(
        Path(folder) / file, sep=separator, header=None, dtype=str, skipinitialspace=True, keep_default_na=False
    )
    return table_of(frame[POSITIONS[name]], scale)


def noisy(original: Table, share: float, rng: np.random.Generator) -> Table:
    shuffled = np.column_stack([rng.permutation(column) for column in original.codes.T])
    codes = np.where(rng.random(original.codes.shape) < share, shuffled, original.codes)
    return Table(original.schema, codes, original.numbers)


def edits(masked: Table, rng: np.random.Generator, number: int) -> list[tuple[Table, Any]]:
    """Return a chain of tables, each one cell from the last."""
    chain = []
    for _ in range(number):
        codes = masked.codes.copy()
        row, v = int(rng.integers(len(masked))), int(rng.integers(codes.shape[1]))
        codes[row, v] = rng.integers(len(masked.schema.categorical[v].categories))
        masked = Table(masked.schema, codes, masked.numbers)
        chain.append((masked, np.array([row], dtype=np.intp)))
    return chain


def seconds(call: Callable[[], object], least: float = 0.2) -> float:
    """Return the median time of a call, repeated for at least some time."""
    times: list[float] = []
    while sum(times) < least:
        begin = process_time()
        call()
        times.append(process_time() - begin)
    return median(times)


def tracked(fitted: Any, masked: Table, chain: list[tuple[Table, Any]]) -> float:
    """Return the median time of an update to a child with one changed cell."""
    tracker, times = fitted.track(masked), []
    for table, rows in chain:
        change = Changes.of_one(rows, masked.take(rows), table.take(rows))
        begin = process_time()
        tracker.take(change)
        _ = tracker.score
        times.append(process_time() - begin)
        masked = table
    return median(times)


def print_all(title: str, original: Table, rng: np.random.Generator) -> None:
    masked = noisy(original, 0.2, rng)
    n, attributes = original.codes.shape
    distinct = len(np.unique(original.codes, axis=0))
    print(f"\n{title}: {n} records, {attributes} attributes, {distinct} distinct; 20 % of cells redrawn")
    print(f"{'measure':10}{'score':>10}{'fit, ms':>12}{'first, ms':>12}{'again, ms':>12}{'one cell, us':>14}")
    total = np.zeros(4)
    for name, measure in MEASURES.items():
        warm = measure(measure.Params()).fit(original.take(np.arange(10)))
        few = masked.take(np.arange(10))
        tracked(warm, few, [(few, np.arange(1, dtype=np.intp))])
        begin = process_time()
        fitted = measure(measure.Params()).fit(original)
        times = [process_time() - begin]
        begin = process_time()
        score = fitted.score(masked)
        times.append(process_time() - begin)
        times.append(seconds(lambda fitted=fitted: fitted.score(masked)))  # type: ignore[misc]
        times.append(tracked(fitted, masked, edits(masked, rng, 300 if n <= 2000 else 20)))
        total += times
        print(f"{name:10}{score:10.4f}{times[0] * 1e3:12.3f}{times[1] * 1e3:12.3f}", end="")
        print(f"{times[2] * 1e3:12.3f}{times[3] * 1e6:14.1f}")
    print(f"{'all':20}{total[0] * 1e3:12.3f}{total[1] * 1e3:12.3f}{total[2] * 1e3:12.3f}{total[3] * 1e6:14.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--most", type=int, default=30000, help="records of the greatest file of the tables of measures"
    )
    parser.add_argument("--million", action="store_true", help="also link a million records")
    parser.add_argument("--smoke", action="store_true", help="small files only, to see that all runs")
    options = parser.parse_args()
    most = 500 if options.smoke else options.most
    rng = np.random.default_rng(2024)
    german, adult, poker = (load(name, rng) for name in SHAPES)
    print_all("German Credit", german.take(np.arange(min(most, len(german)))), rng)
    print_all("Adult, first 1000", adult.take(np.arange(min(most, 1000))), rng)
    if not options.smoke:
        print_all("Adult", adult.take(np.arange(min(most, len(adult)))), rng)
        print_all("Poker Hand", poker.take(np.arange(min(most, len(poker)))), rng)
    complete = adult.take(np.flatnonzero((adult.codes >= 0).all(axis=1)))
    linkage.report(complete, options.smoke, options.million, rng)
    numeric.report(options.smoke, rng)
    privacy.report(options.smoke)


if __name__ == "__main__":
    main()
