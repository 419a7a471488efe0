"""Times of the measures: from scratch, by update, and against comparing every record with every other.

Run ``python benchmarks/measures.py [--most N]``; with EVOSDC_DATA set the files are German Credit, Adult and
Poker Hand, else files drawn at random with the same shapes.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from numba import njit

from evosdc.data.distance import common_scale
from evosdc.data.schema import Attribute, Scale, Schema
from evosdc.data.table import Table
from evosdc_measures.categorical_loss.ctbil import ContingencyTableLoss
from evosdc_measures.categorical_loss.dbil import DistanceBasedLoss
from evosdc_measures.categorical_loss.ebil import EntropyBasedLoss
from evosdc_measures.interval_disclosure.interval import IntervalDisclosure
from evosdc_measures.linkage.dbrl import DistanceBasedLinkage
from evosdc_measures.linkage.prl import ProbabilisticLinkage

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
        columns = {str(v): np.minimum(rng.geometric(2.5 / c, n) - 1, c - 1).astype(str) for v, c in enumerate(sizes)}
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
        begin = perf_counter()
        call()
        times.append(perf_counter() - begin)
    return median(times)


def by_update(fitted: Any, masked: Table, chain: list[tuple[Table, Any]]) -> float:
    state = fitted.start(masked)
    times = []
    for table, rows in chain:
        begin = perf_counter()
        state = fitted.update(state, table, rows)
        fitted.value(state)
        times.append(perf_counter() - begin)
    return median(times)


@njit(error_model="numpy")  # type: ignore[untyped-decorator]
def compare_all(original: Any, masked: Any, distances: Any) -> float:
    n, attributes = original.shape
    credit = 0.0
    for i in range(n):
        own, least, found = 0, 1 << 60, 0
        for j in range(n):
            distance = 0
            for v in range(attributes):
                distance += distances[v, masked[i, v], original[j, v]]
            if j == i:
                own = distance
            if distance < least:
                least, found = distance, 1
            elif distance == least:
                found += 1
        if own == least:
            credit += 1.0 / found
    return 100.0 * credit / n


def compare(original: Table, masked: Table) -> float:
    matrices, _ = common_scale(original.schema)
    size = max(len(matrix) for matrix in matrices)
    distances = np.zeros((len(matrices), size, size), dtype=np.int64)
    for v, matrix in enumerate(matrices):
        known = len(matrix) - 1
        distances[v, :known, :known] = matrix[:known, :known]
        distances[v, -1, :known] = distances[v, :known, -1] = matrix[-1, :known]
    result: float = compare_all(original.codes, masked.codes, distances)
    return result


def print_all(title: str, original: Table, rng: np.random.Generator) -> None:
    masked = noisy(original, 0.2, rng)
    n, attributes = original.codes.shape
    distinct = len(np.unique(original.codes, axis=0))
    print(f"\n{title}: {n} records, {attributes} attributes, {distinct} distinct; 20 % of cells drawn anew")
    print(f"{'measure':10}{'score':>10}{'fit, ms':>12}{'first, ms':>12}{'again, ms':>12}{'one cell, us':>14}")
    total = np.zeros(4)
    for name, measure in MEASURES.items():
        warm = measure(measure.Params()).fit(original.take(np.arange(10)))
        few = masked.take(np.arange(10))
        warm.update(warm.start(few), few, np.arange(1, dtype=np.intp))
        begin = perf_counter()
        fitted = measure(measure.Params()).fit(original)
        times = [perf_counter() - begin]
        begin = perf_counter()
        score = fitted.score(masked)
        times.append(perf_counter() - begin)
        times.append(seconds(lambda fitted=fitted: fitted.score(masked)))  # type: ignore[misc]
        times.append(by_update(fitted, masked, edits(masked, rng, 300 if n <= 2000 else 20)))
        total += times
        print(f"{name:10}{score:10.4f}{times[0] * 1e3:12.3f}{times[1] * 1e3:12.3f}", end="")
        print(f"{times[2] * 1e3:12.3f}{times[3] * 1e6:14.1f}")
    print(f"{'all':20}{total[0] * 1e3:12.3f}{total[1] * 1e3:12.3f}{total[2] * 1e3:12.3f}{total[3] * 1e6:14.1f}")


def print_linkage(original: Table, most: int, rng: np.random.Generator) -> None:
    print("\ndistance-based linkage: prefix tree against comparing all pairs, compiled")
    print(f"{'records':>8}{'score':>10}{'fit, ms':>12}{'tree, ms':>12}{'again, ms':>12}{'pairs, ms':>12}{'ratio':>8}")
    compare(original.take(np.arange(10)), original.take(np.arange(10)))
    for n in (1000, 3000, 10000, 30000):
        if n > min(most, len(original)):
            break
        part = original.take(np.sort(rng.permutation(len(original))[:n]))
        masked = noisy(part, 0.2, rng)
        begin = perf_counter()
        fitted = DistanceBasedLinkage(DistanceBasedLinkage.Params()).fit(part)
        fit = perf_counter() - begin
        begin = perf_counter()
        score = fitted.score(masked)
        first = perf_counter() - begin
        again = seconds(lambda fitted=fitted, masked=masked: fitted.score(masked))  # type: ignore[misc]
        begin = perf_counter()
        wanted = compare(part, masked)
        pairs = perf_counter() - begin
        if abs(score - wanted) > 1e-9:
            raise SystemExit(f"scores differ: {score} and {wanted}")
        print(f"{n:8}{score:10.4f}{fit * 1e3:12.2f}{first * 1e3:12.2f}{again * 1e3:12.2f}", end="")
        print(f"{pairs * 1e3:12.1f}{pairs / first:8.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=30000, help="records of the greatest comparison")
    most = parser.parse_args().most
    rng = np.random.default_rng(2024)
    german, adult = load("german", rng), load("adult", rng)
    print_all("German Credit", german, rng)
    print_all("Adult, first 1000", adult.take(np.arange(1000)), rng)
    print_all("Adult", adult.take(np.arange(min(most, len(adult)))), rng)
    poker = load("poker", rng)
    print_all("Poker Hand", poker.take(np.arange(min(most, len(poker)))), rng)
    print_linkage(adult, most, rng)


if __name__ == "__main__":
    main()
