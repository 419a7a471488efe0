"""Record linkage beside comparing all pairs: distance-based by a compiled double loop, probabilistic by recordlinkage.

A section of `benchmarks.measures`. Memory is what a process grows by at its peak.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from numba import njit

from benchmarks.peak_memory import growth
from evosdc.table.distance import common_scale
from evosdc.table.schema import Attribute, Schema
from evosdc.table.table import Table
from evosdc_measures.linkage.distance import DistanceBasedLinkage
from evosdc_measures.linkage.probabilistic import ProbabilisticLinkage


def noisy(original: Table, share: float, rng: np.random.Generator) -> Table:
    """Return a table in which some cells took another record's value."""
    shuffled = np.column_stack([rng.permutation(column) for column in original.codes.T])
    codes = np.where(rng.random(original.codes.shape) < share, shuffled, original.codes)
    return Table(original.schema, codes, original.numbers)


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
    """Return the score of distance-based linkage by all pairs."""
    matrices, _ = common_scale(original.schema)
    size = max(len(matrix) for matrix in matrices)
    distances = np.zeros((len(matrices), size, size), dtype=np.int64)
    for v, matrix in enumerate(matrices):
        known = len(matrix) - 1
        distances[v, :known, :known] = matrix[:known, :known]
        distances[v, -1, :known] = distances[v, :known, -1] = matrix[-1, :known]
    result: float = compare_all(original.codes, masked.codes, distances)
    return result


def timed(measure: Any, original: Table, masked: Table) -> tuple[float, float]:
    """Return the score and the CPU time of fitting and scoring."""
    begin = process_time()
    score = measure(measure.Params()).fit(original).score(masked)
    return score, process_time() - begin


def print_pairs(adult: Table, sizes: tuple[int, ...], rng: np.random.Generator) -> None:
    print("\ndistance-based linkage, Adult, 8 attributes, 20 % of cells changed: prefix tree and compiled double loop")
    print(f"{'records':>8}{'score':>10}{'evosdc, s':>12}{'all pairs, s':>14}{'times':>8}   wanted >= 20")
    few = adult.take(np.arange(10))
    compare(few, few)
    timed(DistanceBasedLinkage, few, few)
    for n in sizes:
        part = adult.take(np.sort(rng.permutation(len(adult))[:n]))
        masked = noisy(part, 0.2, rng)
        score, own = timed(DistanceBasedLinkage, part, masked)
        begin = process_time()
        wanted = compare(part, masked)
        pairs = process_time() - begin
        if abs(score - wanted) > 1e-9:
            raise SystemExit(f"scores differ: {score} and {wanted}")
        print(f"{len(part):8}{score:10.4f}{own:12.4f}{pairs:14.3f}{pairs / own:8.0f}")


def prepared(n: int, codes: Any, widths: Any, share: float) -> Callable[[], tuple[float, float]]:
    """Return the linkage of a file of n records drawn from some codes, with a share of cells redrawn."""
    rng = np.random.default_rng(n)
    attributes = tuple(
        Attribute(f"a{v}", categories=tuple(map(str, range(int(width))))) for v, width in enumerate(widths)
    )
    sample = codes[rng.integers(0, len(codes), n)]
    drawn = noisy(Table(Schema(attributes), sample, np.empty((n, 0))), share, rng)
    masked = noisy(drawn, 0.2, rng)
    return lambda: timed(DistanceBasedLinkage, drawn, masked)


def print_growth(adult: Table, sizes: tuple[int, ...], share: float) -> None:
    title = f"Adult resampled with {share:.0%} of cells redrawn, 20 % masked"
    print(f"\ndistance-based linkage of a growing file: {title}")
    print(f"{'records':>8}{'score':>10}{'evosdc, s':>12}{'times':>8}{'memory, MiB':>13}", end="")
    print("   wanted: <= 15 times from 30 000 to 300 000, < 1024 MiB")
    first = 0.0
    widths = [len(a.categories) for a in adult.schema.attributes]
    for n in sizes:
        score, own = prepared(n, adult.codes, widths, share)()
        first = first or own
        peak = growth(prepared, n, adult.codes, widths, share)
        print(f"{n:8}{score:10.4f}{own:12.3f}{own / first:8.1f}", end="")
        print("   not known" if peak is None else f"{peak:13.0f}")


def print_recordlinkage(adult: Table, n: int, rng: np.random.Generator) -> None:
    print("\nprobabilistic linkage, Adult, 8 attributes, 20 % of cells changed: evosdc and recordlinkage, all pairs")
    part = adult.take(np.arange(min(n, len(adult))))
    masked = noisy(part, 0.2, rng)
    few = part.take(np.arange(10))
    timed(ProbabilisticLinkage, few, few)
    timed(ProbabilisticLinkage, part, masked)
    score, own = timed(ProbabilisticLinkage, part, masked)
    print(f"evosdc, {len(part)} records: score {score:.4f}, {own:.4f} s")
    complete = noisy(adult, 0.2, rng)
    score, whole = timed(ProbabilisticLinkage, adult, complete)
    print(f"evosdc, {len(adult)} records: score {score:.4f}, {whole:.4f} s   wanted well below 1 s")
    try:
        import pandas as pd
        import recordlinkage
    except ImportError as missing:
        print(f"recordlinkage: not compared, since {missing.name} is not installed (pip install recordlinkage)")
        return
    names = list(part.schema.names)
    frames = [
        pd.DataFrame(
            {a.name: np.array([*a.categories, "?"])[table.column(a.name)] for a in part.schema.attributes}, dtype=object
        )
        for table in (part, masked)
    ]
    begin = process_time()
    index = recordlinkage.Index()
    index.full()
    pairs = index.index(*frames)
    comparison = recordlinkage.Compare()
    for name in names:
        comparison.exact(name, name, label=name)
    features = comparison.compute(pairs, *frames)
    compared = process_time() - begin
    counts = np.bincount(features.to_numpy() @ (1 << np.arange(len(names)))).tolist()
    begin = process_time()
    recordlinkage.ECMClassifier(binarize=None).fit(features)
    fitted = process_time() - begin
    total = compared + fitted
    print(f"recordlinkage {recordlinkage.__version__}: comparison {compared:.2f} s, EM {fitted:.2f} s;", end=" ")
    patterns = sum(count > 0 for count in counts)
    print(f"{patterns} patterns; {total / own:.0f} times (comparison alone {compared / own:.0f})   wanted >= 1000")


def report(adult: Table, smoke: bool, million: bool, rng: np.random.Generator) -> None:
    """Print the tables of this section."""
    print_pairs(adult, (300,) if smoke else (1000, 3000, 10000, len(adult)), rng)
    for share in (0.05, 0.2):
        print_growth(adult, (300,) if smoke else (30000, 300000, *((1000000,) if million else ())), share)
    print_recordlinkage(adult, 200 if smoke else 3000, rng)
