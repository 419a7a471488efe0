"""The limit: how long it takes on wide domains, and how near optimal channels come to it.

python benchmarks/limit.py [wide] [starts]

Times are of one run. `wide` draws 20 000 records of one attribute, with frequencies from a flat Dirichlet distribution.
"""

from __future__ import annotations

import sys
from time import perf_counter

import numpy as np

import evosdc
from evosdc.datasets.loading import load_dataset
from evosdc.plugins.registry import default_registry
from evosdc.table.schema import Attribute, Scale, Schema
from evosdc.table.table import Table
from evosdc_limit.bound import limit_of
from evosdc_limit.generation import Generation
from evosdc_limit.objective import objective_of

STARTS = {
    "german-credit": ("existacc", "savings", "presemploy"),
    "housing": ("built", "degree", "grade1"),
    "solar-flare": ("class", "largspot", "spotdist"),
    "adult": ("education", "marital-status", "occupation"),
}
LINKAGES = ("dbrl", "prl")
LOSSES = ("dbil", "ctbil", "ebil")


def wide() -> None:
    """Print the time of the least maximum by the number of categories."""
    print("categories scale      max      gap      s")
    for size in (25, 100, 500):
        for scale in (Scale.NOMINAL, Scale.ORDINAL):
            rng = np.random.default_rng(1)
            codes = rng.choice(size, size=(20_000, 1), p=rng.dirichlet(np.ones(size))).astype(np.int32)
            schema = Schema((Attribute("a", scale=scale, categories=tuple(map(str, range(size)))),))
            begin = perf_counter()
            found = Generation(objective_of(Table(schema, codes, np.zeros((len(codes), 0))))).optimum(None)
            print(f"{size:10} {scale:8} {found.value:9.6f} {found.gap:7.1e} {perf_counter() - begin:6.2f}", flush=True)


def starts() -> None:
    """Print the limit, and the scores of a file by the optimal channel, its linkages included."""
    print("data             limit      s    il      dr      guess/2 linkage  ctbil  % above       s")
    for name, protect in STARTS.items():
        table = load_dataset(default_registry().spec("dataset", name)).table  # type: ignore[arg-type]
        table = table.take(np.arange(min(len(table), 1000), dtype=np.intp)).select(protect)
        begin = perf_counter()
        limit = limit_of(table)
        middle = perf_counter()
        masked = evosdc.mask(table, "optimal-channel", protect=protect, seed=1)
        end = perf_counter()
        scores = evosdc.measure(table, masked, [*LOSSES, *LINKAGES, "best-guess"], protect=protect)
        il, guess = float(np.mean([scores[loss] for loss in LOSSES])), scores["best-guess"] / 2
        linkage = max(scores[linkage] for linkage in LINKAGES)
        print(
            f"{name:14} {limit.max:7.3f} {middle - begin:6.2f} {il:7.3f} {guess + linkage / 2:7.3f} {guess:7.3f} "
            f"{linkage:7.3f} {scores['ctbil']:7.3f} {limit.above(il, guess + linkage / 2):7.2f} {end - middle:8.2f}",
            flush=True,
        )


if __name__ == "__main__":
    for name in sys.argv[1:] or ("wide", "starts"):
        {"wide": wide, "starts": starts}[name]()
