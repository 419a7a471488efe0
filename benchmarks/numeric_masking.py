"""Noise, compression and synthesis: CPU time, and where there is a plain numpy version, that of it in the same process.

Run from the repository's root: ``python -m benchmarks.numeric_masking [--repeat 5]``.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table as Grid

from evosdc_masking.compression import Jpeg, Jpeg2000
from evosdc_masking.noise import CorrelatedNoise, LinearTransformNoise, MultiplicativeNoise, UncorrelatedNoise
from evosdc_masking.synthesis import Ipso, Liew
from tests.plugins.masking.tables import build, masked, numeric

Case = tuple[str, Callable[[], Any], Callable[[], Any] | None]

rng = np.random.default_rng(1)
N, WIDTH = 50_000, 8


def plain_correlated(numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    covariance = 0.1 * np.cov(numbers.T)
    return numbers + np.random.default_rng(1).multivariate_normal(np.zeros(WIDTH), covariance, N)


def plain_ipso(y: np.ndarray[Any, Any], x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The formulas as they stand: normal equations and Cholesky factors."""
    design = np.column_stack([np.ones(N), x])
    inverse = np.linalg.inv(design.T @ design)

    def rest(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return values - design @ (inverse @ (design.T @ values))

    wanted = np.linalg.cholesky(rest(y).T @ rest(y))
    artificial = rest(np.random.default_rng(1).standard_normal(y.shape))
    found = np.linalg.cholesky(artificial.T @ artificial)
    return y - rest(y) + artificial @ np.linalg.inv(found).T @ wanted.T


def cases() -> Iterator[Case]:
    table = numeric(rng.lognormal(2, 1, (N, WIDTH)))
    y, x = table.select(["x0", "x1", "x2", "x3"]), table.select(["x4", "x5", "x6", "x7"])
    yield "noise", lambda: masked(UncorrelatedNoise, table), None
    yield "correlated-noise", lambda: masked(CorrelatedNoise, table), lambda: plain_correlated(table.numbers)
    yield "linear-transform-noise", lambda: masked(LinearTransformNoise, table), None
    yield "multiplicative-noise", lambda: masked(MultiplicativeNoise, table), None
    two = {"variant": "two-component"}
    yield "multiplicative-noise two-component", lambda: masked(MultiplicativeNoise, table, **two), None
    yield "jpeg quality=75", lambda: masked(Jpeg, table), None
    yield "jpeg2000 rate=10", lambda: masked(Jpeg2000, table), None
    method = build(Ipso)
    yield (
        "ipso c, 4 explained by 4",
        lambda: method.mask_given(y, x, np.random.default_rng(1)),
        lambda: plain_ipso(y.numbers, x.numbers),
    )
    yield "liew, fitted densities", lambda: masked(Liew, table), None
    yield "liew, frequency-imposed", lambda: masked(Liew, table, significance=1.0), None


def median_seconds(work: Callable[[], Any], repeat: int) -> float:
    seconds = []
    for _ in range(repeat):
        begin = time.process_time()
        work()
        seconds.append(time.process_time() - begin)
    return statistics.median(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5, help="runs of which the median is shown")
    repeat = parser.parse_args().repeat
    grid = Grid("method", "evosdc [ms]", "plain numpy [ms]", title=f"{N} x {WIDTH}, CPU time, medians of {repeat}")
    for name, ours, plain in cases():
        ours()
        reference = f"{median_seconds(plain, repeat) * 1000:.1f}" if plain else ""
        grid.add_row(name, f"{median_seconds(ours, repeat) * 1000:.1f}", reference)
    Console().print(grid)


if __name__ == "__main__":
    main()
