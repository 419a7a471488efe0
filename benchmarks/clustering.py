"""Clustering of mixed files whose records are all distinct: CPU seconds and peak memory.

Run from the repository's root: ``python -m benchmarks.clustering [--records N] [--clusters C] [--smoke]``.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from evosdc.clustering.c_median import c_median
from evosdc.clustering.fuzzy import fuzzy_c_median
from evosdc.clustering.geometry import records_of
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import Table

CATEGORIES = (25, 8, 21, 6)
GROUPS = 6


def mixed(records: int, seed: int = 1) -> Table:
    """Return a file of four categorical and four numeric attributes that hang on a hidden group."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, GROUPS, records)
    codes = [np.clip(group * k // GROUPS + rng.integers(-2, 3, records), 0, k - 1) for k in CATEGORIES]
    numbers = [
        rng.normal(group, 1.0),
        rng.exponential(1.0 + group % 3),
        np.floor(1000.0 * rng.normal(size=records)),
        7.0 * group + rng.integers(0, 40, records),
    ]
    categorical = tuple(
        Attribute(f"c{v}", scale=(Scale.ORDINAL, Scale.NOMINAL)[v % 2], categories=tuple(map(str, range(k))))
        for v, k in enumerate(CATEGORIES)
    )
    numeric = tuple(Attribute(f"n{v}", scale=Scale.NUMERIC) for v in range(len(numbers)))
    return Table(Schema((*categorical, *numeric)), np.column_stack(codes).astype(np.int32), np.column_stack(numbers))


def timed(what: str, call: Callable[[], Any]) -> Any:
    began = time.process_time()
    found = call()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{what:30s} {time.process_time() - began:8.2f} s CPU   peak so far {peak:6.0f} MB")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--clusters", type=int, default=8)
    parser.add_argument("--smoke", action="store_true", help="a small file, to see that it works")
    words = parser.parse_args()
    small = mixed(500)
    fuzzy_c_median(small, c_median(small, 3, np.random.default_rng(1)).representatives)  # compiles
    file = small if words.smoke else mixed(words.records)
    distinct = timed("distinct records", lambda: records_of(file))
    print(f"{len(file)} records, {len(distinct.counts)} distinct, {len(file.schema)} attributes")
    found = timed("c-median, 10 starts", lambda: c_median(file, words.clusters, np.random.default_rng(1)))
    timed("fuzzy, m = 1.5", lambda: fuzzy_c_median(file, found.representatives, 1.5))


if __name__ == "__main__":
    main()
