"""MDAV within clusters against MDAV of the whole file: loss, seconds and peak memory on generated numbers.

Run from the repository's root: ``python -m benchmarks.clustered [--records 50000 500000 1000000] [--smoke]``. Aims: at
50,000 records of eight numbers a sum of squares at most 5 % above plain MDAV's, in no more time; at 500,000 ten times
faster; 1,000,000 in less than two minutes. Plain MDAV takes minutes above 500,000 and is left out there. Times are CPU
seconds, with those of the clock beside; memory is how far the process grows at its peak.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table as Grid

from benchmarks.masking import amounts
from benchmarks.peak_memory import growth
from evosdc.model import MaskingMethod
from evosdc.plugins.registry import default_registry
from evosdc.table.table import Table
from evosdc_clustering.clustered import Clustered
from tests.plugins.masking.tables import numeric

K = 5
AMOUNTS = "correlated lognormal"


def incomes(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    """Four lognormal incomes with a factor in common, two marks, two ages."""
    common = rng.normal(size=(n, 1)) + 0.4 * rng.normal(size=(n, 4))
    return np.hstack([np.exp(10.0 + common), rng.integers(0, 2, (n, 2)), rng.integers(18, 90, (n, 2))])


def clumps(rng: np.random.Generator, n: int, number: int, apart: float, wide: float) -> NDArray[np.float64]:
    """Normal clumps with centres drawn from a normal distribution."""
    return rng.normal(0.0, apart, (number, 8))[rng.integers(number, size=n)] + rng.normal(0.0, wide, (n, 8))


OTHERS: dict[str, Callable[[np.random.Generator, int], NDArray[np.float64]]] = {
    "independent normal": lambda rng, n: rng.normal(size=(n, 8)),
    "independent lognormal": lambda rng, n: np.exp(rng.normal(size=(n, 8))),
    "uniform": lambda rng, n: rng.random((n, 8)),
    "mixture of four normals": lambda rng, n: clumps(rng, n, 4, 4.0, 1.0),
    "incomes, marks and ages": incomes,
    "30 tight clumps": lambda rng, n: clumps(rng, n, 30, 10.0, 0.05),
}
"""Other files of numbers, by what they are drawn from."""

OTHERS_RECORDS = 50_000
COMPARED = 500_000
"""Records up to which plain MDAV is run."""

WARM = 400


class Timed(NamedTuple):
    """What a masking took, and lost."""

    processor: float
    clock: float
    loss: float


def method(name: str, **params: Any) -> MaskingMethod:
    built: MaskingMethod = default_registry().build("masking-method", name, params)
    return built


def plain() -> MaskingMethod:
    return method("mdav", k=K)


def by_clusters(c: int | None = None) -> MaskingMethod:
    return method("clustered", inner={"method": "mdav", "k": K}, **({} if c is None else {"c": c}))


def squares(table: Table, masked: Table) -> float:
    """Return the sum of squares within classes of standardised numbers, in per cent of the file's own."""
    apart = (table.numbers - masked.numbers) / table.numbers.std(axis=0)
    return float(100.0 * (apart**2).sum() / table.numbers.size)


def timed(table: Table, made: MaskingMethod) -> Timed:
    processor, clock = time.process_time(), time.perf_counter()
    masked = made.mask(table, np.random.default_rng(1))
    return Timed(time.process_time() - processor, time.perf_counter() - clock, squares(table, masked))


def best_of(repeat: int, run: Callable[[], Timed]) -> Timed:
    return min((run() for _ in range(repeat)), key=lambda found: found.processor)


def work(n: int, c: int | None = None) -> Callable[[], Table]:
    """Return the masking of n records by clusters, for the growth of memory; a sample, too, is clustered at first."""
    table, made = amounts(max(n, 25_000)), by_clusters(c)
    return lambda: made.mask(table, np.random.default_rng(1))


def drawn(kind: str, n: int) -> Table:
    """Return a generated file of eight numbers."""
    return amounts(n) if kind == AMOUNTS else numeric(OTHERS[kind](np.random.default_rng(n), n))


def figures(cases: list[tuple[str, int]], repeat: int, clusters: list[int | None], memory: bool) -> Grid:
    columns = ("numbers", "records x 8", "c", "CPU \\[s]", "clock \\[s]", "loss [%]", "against plain", "faster", "MiB")
    grid = Grid(*columns, title=f"mdav k={K} within clusters")
    for kind, n in cases:
        table = drawn(kind, n)
        runs = repeat if n < 100_000 else 1
        own = best_of(runs, lambda table=table: timed(table, plain())) if n <= COMPARED else None
        if own is not None:
            grid.add_row(kind, str(n), "", f"{own.processor:.2f}", f"{own.clock:.2f}", f"{own.loss:.3f}")
        for c in clusters:
            made = by_clusters(c)
            found = best_of(runs, lambda table=table, made=made: timed(table, made))
            grid.add_row(
                kind,
                str(n),
                f"{made.clusters(n)}" if isinstance(made, Clustered) else "",
                f"{found.processor:.2f}",
                f"{found.clock:.2f}",
                f"{found.loss:.3f}",
                "" if own is None else f"{100 * (found.loss / own.loss - 1):+.1f} %",
                "" if own is None else f"{own.processor / found.processor:.1f}",
                f"{growth(work, n, c):.0f}" if memory and kind == AMOUNTS else "",
            )
    return grid


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, nargs="+", default=[50_000])
    parser.add_argument("--clusters", type=int, nargs="*", default=[], help="numbers of clusters besides the usual one")
    parser.add_argument("--repeat", type=int, default=5, help="runs of which the best is shown, of files below 100,000")
    parser.add_argument("--smoke", action="store_true", help="a small file, one run, no memory: to see that it runs")
    given = parser.parse_args()
    for made in (plain(), by_clusters(2)):
        made.mask(amounts(WARM), np.random.default_rng(1))  # compiles
    records, repeat = ([WARM], 1) if given.smoke else (given.records, given.repeat)
    cases = [(AMOUNTS, n) for n in records] + [(kind, n) for n in records for kind in OTHERS if n == OTHERS_RECORDS]
    Console().print(figures(cases, repeat, [None, *given.clusters], not given.smoke))


if __name__ == "__main__":
    main()
