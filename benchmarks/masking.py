"""Masking methods against the same methods in plain Python, in one process.

Run from the repository's root: ``python -m benchmarks.masking [--repeat 5]``. The plain versions are those that the
tests compare with; where one is too slow for a file's full size, both sides are also timed on a part of it.
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

from evosdc.data.table import Table
from evosdc_masking.frequencies import frequencies
from evosdc_masking.microaggregation.mdav import Mdav
from evosdc_masking.microaggregation.mdav_partition import mdav_partition
from evosdc_masking.portfolio import categorical as portfolio
from evosdc_masking.post_randomisation.pram import Pram
from evosdc_masking.recoding.extreme_coding import TopCoding
from evosdc_masking.recoding.global_recoding import GlobalRecoding
from evosdc_masking.space import space_of
from evosdc_masking.swapping.rank_swapping import RankSwapping, reach, swapped
from tests.plugins.masking import references
from tests.plugins.masking.tables import NOMINAL, ORDINAL, categorical, masked, numeric

Case = tuple[str, Callable[[], Any], Callable[[], Any] | None]

rng = np.random.default_rng(1)
SIZES = [16, 7, 14]


def survey(n: int) -> Table:
    """Skewed categories, as those of Adult."""
    codes = np.column_stack([np.minimum(rng.geometric(3 / size, n) - 1, size - 1) for size in SIZES])
    return categorical(codes, SIZES, [ORDINAL, NOMINAL, NOMINAL])


def plain_pram(table: Table, p: float) -> list[list[int]]:
    uniforms = np.random.default_rng(1).random(table.codes.shape).tolist()
    columns = []
    for j, attribute in enumerate(table.schema.categorical):
        column = table.codes[:, j].tolist()
        counts = frequencies(table.codes[:, j], len(attribute.categories)).tolist()
        matrix = [[float(x) for x in row] for row in references.matrix_a(counts, p)]  # type: ignore[arg-type]
        columns.append([references.draw(matrix[c], uniforms[r][j]) for r, c in enumerate(column)])
    return columns


def plain_recoding(table: Table, q: int) -> np.ndarray[Any, Any]:
    """Numpy, one comparison of the whole column for each merged category."""
    codes = table.codes.copy()
    for j, attribute in enumerate(table.schema.categorical):
        counts = np.array([(table.codes[:, j] == c).sum() for c in range(len(attribute.categories))])
        rarest = [c for c in np.argsort(counts, kind="stable") if counts[c] > 0][:q]
        inside = np.isin(table.codes[:, j], rarest)
        values = np.sort(table.codes[inside, j])
        codes[inside, j] = values[(len(values) - 1) // 2] if attribute.scale is ORDINAL else rarest[-1]
    return codes


def cases() -> Iterator[Case]:
    small, large = survey(300), survey(32_561)
    few, many = numeric(rng.normal(size=(300, 8))), numeric(rng.normal(size=(10_000, 8)))
    uniforms = rng.random(32_561)
    yield "pram p=0.5, 32561 x 3", lambda: masked(Pram, large, p=0.5), lambda: plain_pram(large, 0.5)
    yield (
        "partner ranks, n=32561, p=10",
        lambda: swapped(uniforms, reach(uniforms.size, 10)),
        lambda: references.swap_ranks(uniforms.tolist(), reach(uniforms.size, 10)),
    )
    yield "rank-swapping p=10, 32561 x 3", lambda: masked(RankSwapping, large, p=10), None
    yield "global-recoding q=4, 32561 x 3", lambda: masked(GlobalRecoding, large, q=4), lambda: plain_recoding(large, 4)
    yield "top-coding share=0.05, 10000 x 8", lambda: masked(TopCoding, many, share=0.05), None
    yield (
        "mdav partition k=3, 300 x 3 cat.",
        lambda: mdav_partition(space_of(small), 3),
        lambda: references.mdav(small, 3),
    )
    yield "mdav partition k=3, 300 x 8 num.", lambda: mdav_partition(space_of(few), 3), lambda: references.mdav(few, 3)
    yield "mdav k=3, 32561 x 3 categorical", lambda: masked(Mdav, large, k=3), None
    yield "mdav k=3, 10000 x 8 numeric", lambda: masked(Mdav, many, k=3), None
    yield "mdav k=10, 10000 x 8 numeric", lambda: masked(Mdav, many, k=10), None
    yield "portfolio (entries only), 32561 x 3", lambda: portfolio(large), None


def median_seconds(work: Callable[[], Any], repeat: int) -> float:
    seconds = []
    for _ in range(repeat):
        begin = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5, help="runs of which the median is shown")
    repeat = parser.parse_args().repeat
    grid = Grid("method", "evosdc [ms]", "plain [ms]", "times faster", title=f"Masking methods, medians of {repeat}")
    for name, ours, plain in cases():
        ours()  # compiles
        fast = median_seconds(ours, repeat)
        slow = median_seconds(plain, min(repeat, 3)) if plain else None
        shown = (f"{slow * 1000:.1f}", f"{slow / fast:.0f}") if slow else ("", "")
        grid.add_row(name, f"{fast * 1000:.2f}", *shown)
    Console().print(grid)


if __name__ == "__main__":
    main()
