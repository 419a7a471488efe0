"""Nodes of Adult's lattice (nine attributes, 12 960 nodes, 30 162 records): all of them, and the optimum by DM.

Run from the repository's root, with EVOSDC_DATA set: ``python -m benchmarks.lattice [--repeat 5]``. Beside evosdc stand

- numpy: each node from the raw file by ``np.unique``, timed on a sample of nodes and projected to all;
- anjana, where it is installed: its greedy k-anonymity, which ends with a single node;
- ARX's Flash, as published times for like hardware, loaded and warm; it is a Java program and not started here.

All own times are of the processor, of one thread.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table as Grid

from evosdc.data.hierarchy import Hierarchy
from evosdc.data.source import read_source
from evosdc.model import Microdata
from evosdc_lattice.evaluation import NodeEvaluator
from evosdc_lattice.exact import exhaustive_nodes, optimum
from evosdc_lattice.lattice import Lattice
from evosdc_lattice.losses import Discernibility
from evosdc_lattice.space import LatticeSpace

K = 5
FLASH = {0.0: 0.034, 0.01: 0.41, 0.05: 1.10}
"""Seconds of ARX's Flash for the optimum by DM, k = 5, by limit of suppression."""
ANJANA, NUMPY_NODE = 5.0, 13.0 / 36_000
"""Seconds of anjana's one node, and of exhaustive numpy for one of 36 000 nodes, as known from like data."""


def adult(suppression: float) -> LatticeSpace:
    """Return the lattice of Adult with the hierarchies of ARX."""
    folder = Path(os.environ["EVOSDC_DATA"]) / "adult"
    table = read_source(folder / "arx" / "adult.csv").table
    attributes = tuple(
        replace(a, hierarchy=Hierarchy.from_csv(folder / "hierarchies_arx" / f"adult_hierarchy_{a.name}.csv"))
        for a in table.schema.attributes
    )
    table = replace(table, schema=replace(table.schema, attributes=attributes))
    return Lattice(Lattice.Params(k=K, suppression=suppression), Microdata(table, table.schema.names)).space


def all_nodes(space: LatticeSpace) -> int:
    """Judge every node; return how many are within the limit."""
    evaluator = NodeEvaluator(space)
    return sum(evaluator.facts(node).suppressed <= space.limit for node in exhaustive_nodes(space))


def numpy_node(space: LatticeSpace, levels: np.ndarray) -> int:
    """Judge one node from the raw file, as a plain program does."""
    codes = np.stack([x.codes[at][x.base] for x, at in zip(space.ladders, levels.tolist(), strict=True)], axis=1)
    counts = np.unique(codes, axis=0, return_counts=True)[1]
    return int(counts[counts < K].sum())


def seconds(call, repeat: int) -> float:
    """Return the median processor time of some calls after a first one that compiles and warms up."""
    call()
    times = []
    for _ in range(repeat):
        began = time.process_time()
        call()
        times.append(time.process_time() - began)
    return statistics.median(times)


def anjana_seconds() -> float | None:
    """Return the time of anjana's k-anonymity on the same file; None where it is not installed."""
    try:
        import pandas as pd
        from anjana.anonymity import k_anonymity
    except ImportError:
        return None
    folder = Path(os.environ["EVOSDC_DATA"]) / "adult"
    frame = pd.read_csv(folder / "arx" / "adult.csv", sep=";")
    hierarchies = {}
    for name in frame.columns:
        rows = pd.read_csv(folder / "hierarchies_arx" / f"adult_hierarchy_{name}.csv", sep=";", header=None)
        hierarchies[name] = {level: rows[level].to_numpy() for level in rows.columns}
    began = time.process_time()
    k_anonymity(frame, [], list(frame.columns), K, 5, hierarchies)
    return time.process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeat", type=int, default=5)
    repeat = parser.parse_args().repeat
    console = Console(width=110)
    grid = Grid("what", "evosdc (s)", "other", "other (s)", "times faster", title=f"Adult, k = {K}")

    def row(what: str, own: float, other: str, theirs: float | None) -> None:
        faster = f"{theirs / own:.1f}" if theirs is not None else ""
        grid.add_row(what, f"{own:.4f}", other, f"{theirs:.3f}" if theirs is not None else "not installed", faster)

    space = adult(0.01)
    space.ground  # noqa: B018 -- the one pass over the file is loading, not search
    everything = seconds(lambda: all_nodes(space), max(repeat // 2, 1))
    nodes = list(exhaustive_nodes(space))[:: space.size // 40]
    plain = seconds(lambda: [numpy_node(space, node) for node in nodes], 1) / len(nodes)
    row(f"all {space.size} nodes", everything, "numpy, each node from the file (projected)", plain * space.size)
    row("one node, on average", everything / space.size, "exhaustive numpy, known figure", NUMPY_NODE)
    for suppression, flash in FLASH.items():
        space = adult(suppression)
        space.ground  # noqa: B018
        own = seconds(lambda space=space: optimum(NodeEvaluator(space), Discernibility()), repeat)
        row(f"optimum by dm, {suppression:.0%} suppression", own, "ARX Flash, known figure", flash)
    began = time.process_time()
    fresh = adult(0.05)
    optimum(NodeEvaluator(fresh), Discernibility())
    whole = time.process_time() - began
    row("reading the file and optimum, 5%", whole, "anjana, one greedy node, known figure", ANJANA)
    row("optimum by dm, 5%, loaded", own, "anjana, one greedy node, measured here", anjana_seconds())
    console.print(grid)


if __name__ == "__main__":
    main()
