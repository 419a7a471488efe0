"""Masking methods against the same methods in plain numpy, in one process; CPU seconds and peak memory.

Run from the repository's root: ``python -m benchmarks.masking [--repeat 5] [--smoke]``. The last columns are the CPU
seconds that sdcMicro, an R package, was found to take on like data, to aim past. Where the plain version would take
minutes it is timed on the smaller file only. The plain local suppression is cruder than the method and suppresses more.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table as Grid

from benchmarks import plain_masking as plain
from benchmarks.peak_memory import growth
from evosdc.table.table import Table
from tests.plugins.masking.tables import NOMINAL, ORDINAL, categorical, masked, numeric

METHODS = {
    "mdav": "microaggregation.mdav:Mdav",
    "univariate-microaggregation": "microaggregation.univariate:UnivariateMicroaggregation",
    "individual-ranking": "microaggregation.univariate:IndividualRanking",
    "projected-microaggregation": "microaggregation.projected:ProjectedMicroaggregation",
    "k-member": "anonymity.k_member:KMember",
    "r-gather": "anonymity.r_gather:RGather",
    "mondrian": "anonymity.mondrian:Mondrian",
    "rank-swapping": "swapping.rank_swapping:RankSwapping",
    "pram": "post_randomisation.pram:Pram",
    "local-suppression": "suppression.local_suppression:LocalSuppression",
}
SIZES = [16, 7, 14, 5, 6]
SCALES = [ORDINAL, NOMINAL, NOMINAL, NOMINAL, ORDINAL]


@dataclass(frozen=True)
class Case:
    """A method on a file, with its plain version and what sdcMicro took."""

    name: str
    ours: Callable[[], Any]
    plain: Callable[[], Any] | None = None
    sdcmicro: float | None = None


def survey(n: int, attributes: int = 5) -> Table:
    """Skewed categories, as those of Adult."""
    rng = np.random.default_rng(n)
    codes = [np.minimum(rng.geometric(3 / size, n) - 1, size - 1) for size in SIZES[:attributes]]
    return categorical(np.column_stack(codes), SIZES[:attributes], SCALES[:attributes])


def amounts(n: int, attributes: int = 8) -> Table:
    """Correlated lognormal numbers, as those of businesses."""
    rng = np.random.default_rng(n)
    return numeric(np.exp(0.5 * (rng.normal(size=(n, 1)) + rng.normal(size=(n, attributes)))))


def on(table: Table, method: str, **params: Any) -> Callable[[], Table]:
    """Return the masking of a table by a method."""
    module, name = METHODS[method].split(":")
    chosen = getattr(import_module(f"evosdc_masking.{module}"), name)
    return lambda: masked(chosen, table, **params)


def work(n: int, method: str, kind: str, params: dict[str, Any]) -> Callable[[], Table]:
    """Return the masking of a file of n records by a method."""
    return on({"numbers": amounts, "categories": survey}[kind](n), method, **params)


def cases(small: int, large: int) -> Iterator[Case]:
    """Yield the cases in the order of the issue, then the other methods."""
    some, many, answers = amounts(small), amounts(large), survey(small)
    one = survey(large, 1)
    rng = np.random.default_rng(1)
    matrix = np.full((SIZES[0], SIZES[0]), 0.2 / (SIZES[0] - 1)) + np.eye(SIZES[0]) * (0.8 - 0.2 / (SIZES[0] - 1))

    exact = small == 10_000  # sdcMicro's seconds are for these sizes only
    yield Case(
        f"mdav k=3, {small} x 8 numeric",
        on(some, "mdav", k=3),
        lambda: plain.mdav(some.numbers, 3),
        0.45 if exact else None,
    )
    yield Case(f"mdav k=3, {large} x 8 numeric", on(many, "mdav", k=3), None, 14.9 if exact else None)
    yield Case(
        f"mdav k=3, {small} x 5 categorical",
        on(answers, "mdav", k=3),
        lambda: plain.mdav_of_categories(answers, 3),
    )
    yield Case(f"mdav k=3, {large} x 5 categorical", on(survey(large), "mdav", k=3))
    yield Case(
        f"rank-swapping p=5, {large} x 8",
        on(many, "rank-swapping", p=5),
        lambda: plain.rank_swapping(many.numbers, 5, rng),
        0.58 if exact else None,
    )
    yield Case(
        f"pram p=0.8, {large} x 1",
        on(one, "pram", p=0.8),
        lambda: plain.pram(one.codes[:, 0], matrix, rng),
        0.62 if exact else None,
    )
    yield Case(
        f"local-suppression k=3, {small} x 5",
        on(answers, "local-suppression", k=3),
        lambda: plain.local_suppression(answers.codes, 3),
        19.5 if exact else None,
    )
    yield Case(
        f"univariate-microaggregation k=3, {small} x 8",
        on(some, "univariate-microaggregation", k=3),
        lambda: plain.univariate(some.numbers, 3),
    )
    for method in ("individual-ranking", "projected-microaggregation", "k-member", "r-gather", "mondrian"):
        yield Case(f"{method} k=3, {small} x 8 numeric", on(some, method, k=3))
    for method in ("k-member", "r-gather", "mondrian"):
        yield Case(f"{method} k=3, {small} x 5 categorical", on(answers, method, k=3))


def median_seconds(call: Callable[[], Any], repeat: int) -> float:
    """Return the median of the CPU seconds of several calls."""
    seconds = []
    for _ in range(repeat):
        begin = time.process_time()
        call()
        seconds.append(time.process_time() - begin)
    return statistics.median(seconds)


def timings(small: int, large: int, repeat: int) -> Grid:
    """Return the table of CPU seconds."""
    columns = ("method", "evosdc \\[s]", "plain numpy \\[s]", "times faster", "sdcMicro \\[s]", "times faster")
    grid = Grid(*columns, title=f"CPU seconds, medians of {repeat}")
    for case in cases(small, large):
        case.ours()  # compiles
        ours = median_seconds(case.ours, repeat)
        row = [case.name, f"{ours:.4f}"]
        theirs = median_seconds(case.plain, 1) if case.plain else None
        for seconds in (theirs, case.sdcmicro):
            row += [f"{seconds:.3g}", f"{seconds / ours:.1f}" if ours else ""] if seconds is not None else ["", ""]
        grid.add_row(*row)
    return grid


def memory(n: int) -> Grid:
    """Return the table of how far memory grows at n and at 2n records."""
    grid = Grid("method", f"n = {n} [MiB]", f"2n = {2 * n} [MiB]", "ratio", title="Peak growth of memory")
    works: list[tuple[str, str, dict[str, Any]]] = [
        *((method, "numbers", {"k": 3}) for method in list(METHODS)[:6]),
        ("rank-swapping", "numbers", {"p": 5}),
        ("pram", "categories", {"p": 0.8}),
        ("mdav", "categories", {"k": 3}),
        ("local-suppression", "categories", {"k": 3}),
    ]
    for method, kind, params in works:
        once, twice = growth(work, n, method, kind, params), growth(work, 2 * n, method, kind, params)
        if once is None or twice is None:
            break
        ratio = f"{twice / once:.2f}" if once > 0 else ""
        grid.add_row(f"{method}, {kind}", f"{once:.1f}", f"{twice:.1f}", ratio)
    return grid


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5, help="runs of which the median is shown")
    parser.add_argument("--smoke", action="store_true", help="small files, one run, no memory: to see that it runs")
    given = parser.parse_args()
    console = Console()
    small, large, repeat = (200, 400, 1) if given.smoke else (10_000, 50_000, given.repeat)
    console.print(timings(small, large, repeat))
    if not given.smoke:
        console.print(memory(50_000))


if __name__ == "__main__":
    main()
