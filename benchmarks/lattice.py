"""Nodes of Adult's lattice (nine attributes, 12 960 nodes, 30 162 records): all of them, and the optimum by DM.

Run from the repository's root, with EVOSDC_DATA set: ``python -m benchmarks.lattice [--repeat 5]``. Beside evosdc stand

- numpy: each node by ``np.unique``, from the raw file and from distinct records with counts, on a sample of nodes and
  projected to all;
- anjana: its greedy k-anonymity, which ends with a single node. It needs older numpy and pandas: give the interpreter
  of an environment of its own by ``--anjana PYTHON``;
- ARX's Flash, as published times for like hardware, loaded and warm; it is a Java program and not started here.

All own times are of the processor, of one thread, but for whole processes: those are of the clock, from the start of
``evosdc run`` to its end, with reading, writing and the privacy of the file, beside ARX's loading, search and writing.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from rich.console import Console
from rich.table import Table as Grid

from benchmarks.whole_command import whole
from evosdc.files.schema.hierarchies import read_hierarchy
from evosdc.files.source import read_source
from evosdc.model import Microdata
from evosdc_lattice.evaluation import NodeEvaluator, swept
from evosdc_lattice.exact import optimum
from evosdc_lattice.lattice import Lattice
from evosdc_lattice.losses import Discernibility
from evosdc_lattice.space import LatticeSpace, nodes_of

K = 5
FLASH = {0.0: 0.034, 0.01: 0.41, 0.05: 1.10}
"""Seconds of ARX's Flash for the optimum by DM, k = 5, by limit of suppression."""
WHOLE = {0.0: 1.2, 0.01: 1.7, 0.05: 2.3}
"""Seconds of the clock of a whole process with ARX, as known from like hardware, likewise."""
ANJANA, NUMPY_NODE = 5.0, 13.0 / 36_000
"""Seconds of anjana's one node, and of exhaustive numpy for one of 36 000 nodes, as known from like data."""


def adult(suppression: float) -> LatticeSpace:
    """Return the lattice of Adult with the hierarchies of ARX."""
    folder = Path(os.environ["EVOSDC_DATA"]) / "adult"
    table = read_source(folder / "arx" / "adult.csv").table
    attributes = tuple(
        replace(a, hierarchy=read_hierarchy(folder / "hierarchies_arx" / f"adult_hierarchy_{a.name}.csv"))
        for a in table.schema.attributes
    )
    table = replace(table, schema=replace(table.schema, attributes=attributes))
    return Lattice(Lattice.Params(k=K, suppression=suppression), Microdata(table, table.schema.names)).space


EXPERIMENT = """
seed = 1
measures = ["dm"]
fitness = {{ name = "dm" }}
algorithm = {{ name = "optimal" }}
genotype = {{ name = "lattice", k = {k}, suppression = {suppression} }}
second_opinion = false
data.file = "{folder}/arx/adult.csv"
data.protect = {names}
[data.hierarchies]
{hierarchies}
"""


def whole_process(suppression: float, repeat: int) -> float:
    """Return the median seconds of the clock of a search for the optimum, as a command."""
    data = Path(os.environ["EVOSDC_DATA"]).absolute() / "adult"
    names = (data / "arx" / "adult.csv").read_text().partition("\n")[0].strip().split(";")
    hierarchies = "\n".join(f'{name} = "{data}/hierarchies_arx/adult_hierarchy_{name}.csv"' for name in names)
    known = {"folder": data, "names": json.dumps(names), "hierarchies": hierarchies}
    with TemporaryDirectory(prefix="evosdc-") as place:
        experiment = Path(place) / "adult.toml"
        experiment.write_text(EXPERIMENT.format(k=K, suppression=suppression, **known))
        words = ["run", str(experiment), "--quiet", "--no-report", "-o"]
        took = [whole([*words, str(Path(place) / f"run-{turn}")]) for turn in range(repeat + 1)]
    for each in took:
        if each.status:
            sys.exit(each.said)
    return statistics.median(each.seconds for each in took[1:])


def all_nodes(space: LatticeSpace) -> int:
    """Judge every node; return how many are within the limit."""
    figures = swept(space)
    return 0 if figures is None else int((figures[:, 2] <= space.limit).sum())


def numpy_node(codes: np.ndarray, counts: np.ndarray) -> int:
    """Return the records that one node suppresses, as a plain program finds them."""
    _, group = np.unique(codes, axis=0, return_inverse=True)
    sizes = np.bincount(group.reshape(-1), weights=counts)
    return int(sizes[sizes < K].sum())


def numpy_nodes(space: LatticeSpace, nodes: list[np.ndarray], base: list[np.ndarray], counts: np.ndarray) -> None:
    """Judge nodes from records, or from distinct records with counts."""
    for node in nodes:
        levels = zip(space.ladders, base, node.tolist(), strict=True)
        numpy_node(np.stack([ladder.codes[at][codes] for ladder, codes, at in levels], axis=1), counts)


def greedy_node(space: LatticeSpace) -> np.ndarray:
    """Climb from the lowest node, always the attribute with most values, until few enough records are suppressed."""
    evaluator = NodeEvaluator(space)
    node = space.bottom.copy()
    while evaluator.facts(node).suppressed > space.limit:
        values = [len(x.labels[at]) if at < x.height else 0 for x, at in zip(space.ladders, node.tolist(), strict=True)]
        node[int(np.argmax(values))] += 1
    return node


def seconds(call, repeat: int) -> float:
    """Return the median processor time of some calls after a first one that compiles and warms up."""
    call()
    times = []
    for _ in range(repeat):
        began = time.process_time()
        call()
        times.append(time.process_time() - began)
    return statistics.median(times)


ANJANA_PROGRAM = """
import sys, time, pandas as pd
from anjana.anonymity import k_anonymity
folder, k = sys.argv[1], int(sys.argv[2])
frame = pd.read_csv(folder + "/arx/adult.csv", sep=";")
hierarchies = {}
for name in frame.columns:
    rows = pd.read_csv(f"{folder}/hierarchies_arx/adult_hierarchy_{name}.csv", sep=";", header=None)
    hierarchies[name] = {level: rows[level].to_numpy() for level in rows.columns}
began = time.process_time()
k_anonymity(frame, [], list(frame.columns), k, 5, hierarchies)
print(time.process_time() - began)
"""


def anjana_seconds(python: str | None) -> float | None:
    """Return the time of anjana's k-anonymity on the same file, 5 % suppression, loaded; None where it is not given."""
    if python is None:
        return None
    folder = Path(os.environ["EVOSDC_DATA"]) / "adult"
    command = [python, "-c", ANJANA_PROGRAM, str(folder), str(K)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--anjana", metavar="PYTHON", help="an interpreter that can import anjana")
    options = parser.parse_args()
    repeat = options.repeat
    console = Console(width=120)
    grid = Grid("what", "evosdc (s)", "other", "other (s)", "times faster", title=f"Adult, k = {K}")

    def row(what: str, own: float, other: str, theirs: float | None) -> None:
        faster = f"{theirs / own:.1f}" if theirs is not None else ""
        grid.add_row(what, f"{own:.6f}", other, f"{theirs:.6f}" if theirs is not None else "not given", faster)

    space = adult(0.01)
    space.ground  # noqa: B018 -- the one pass over the file is loading, not search
    everything = seconds(lambda: all_nodes(space), max(repeat // 2, 1))
    nodes = nodes_of(space)[:: space.size // 40]
    records = [ladder.base for ladder in space.ladders]
    distinct, counts = np.unique(np.stack(records, axis=1), axis=0, return_counts=True)
    for what, base, sizes in (
        ("numpy, each node from the file", records, np.ones(space.n)),
        ("numpy, each node from distinct records", list(distinct.T), counts),
    ):
        plain = seconds(lambda base=base, sizes=sizes: numpy_nodes(space, nodes, base, sizes), 1) / len(nodes)
        row(f"all {space.size} nodes", everything, f"{what} (projected)", plain * space.size)
    row("one node, on average", everything / space.size, "exhaustive numpy, known figure", NUMPY_NODE)
    for suppression, flash in FLASH.items():
        space = adult(suppression)
        space.ground  # noqa: B018
        own = seconds(lambda space=space: optimum(NodeEvaluator(space), Discernibility()), repeat)
        row(f"optimum by dm, {suppression:.0%} suppression", own, "ARX Flash, known figure", flash)
    for suppression, arx in WHOLE.items():
        row(
            f"whole process, {suppression:.0%} suppression",
            whole_process(suppression, repeat),
            "ARX, known figure",
            arx,
        )
    measured = anjana_seconds(options.anjana)
    row("optimum by dm, 5%, loaded", own, "anjana, one greedy node, known figure", ANJANA)
    row("optimum by dm, 5%, loaded", own, "anjana, one greedy node, measured here", measured)
    greedy = seconds(lambda: greedy_node(space), repeat)
    row("one greedy node, 5%, loaded", greedy, "anjana, one greedy node, measured here", measured)
    console.print(grid)


if __name__ == "__main__":
    main()
