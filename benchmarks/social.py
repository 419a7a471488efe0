"""A generated social graph protected and measured: seconds of each step and peak memory.

Run from the repository's root: ``python -m benchmarks.social [--users 100000] [--edges 1000000] [--smoke]``. Users live
in a tree of places (three levels above 2000 of them) and have three topics of a taxonomy of 60; friends mostly live
near each other. Aim: 100 000 users and 1 000 000 edges are read, protected, measured and written in less than two
minutes. Times are CPU seconds, with those of the clock beside. MDAV compares all users with all, so that it is run
within counties (``coarsest``).
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from rich.console import Console
from rich.table import Table as Grid

from evosdc.files.source import Source, read_source
from evosdc.model import Microdata
from evosdc.plugins.registry import default_registry
from evosdc.table.table import Table

K = 5
PROTECTED = ("place", "topics_1", "topics_2", "topics_3")
MEASURES = ("aamil", "cdil", "semantic-dbil", "semantic-dr", "informed-semantic-dr", "neighbourhood-dr")
METHODS: dict[str, dict[str, Any]] = {
    "level-filling": {"inner": "level-filling"},
    "mdav within counties": {"coarsest": {"place": "county"}},
}
T = TypeVar("T")


def generated(users: int, edges: int, folder: Path, seed: int = 1) -> tuple[Path, Path]:
    """Write a graph in the node-link form and its schema; return both paths."""
    rng = np.random.default_rng(seed)
    places, topics = 2000, 60
    place = np.minimum((places * rng.beta(0.8, 2.0, users)).astype(np.int64), places - 1)
    first = (place // 40 + rng.integers(0, 12, users)) % topics
    chosen = np.stack([(first + step * rng.integers(1, 9, users)) % topics for step in range(3)], axis=1)
    order = np.argsort(place + rng.normal(0, 20, users))
    start = rng.integers(0, users, edges)
    near = np.clip(start + rng.geometric(min(0.5, 30 / users), edges) * rng.choice([-1, 1], edges), 0, users - 1)
    nodes = [
        {"id": f"user {number}", "place": f"p{at}", "topics": [f"t{t}" for t in dict.fromkeys(own)]}
        for number, (at, own) in enumerate(zip(place.tolist(), chosen.tolist(), strict=True))
    ]
    pairs = zip(order[start].tolist(), order[near].tolist(), strict=True)
    links = [{"source": f"user {one}", "target": f"user {other}"} for one, other in pairs]
    graph, schema = folder / "graph.json", folder / "schema.toml"
    graph.write_text(json.dumps({"directed": False, "nodes": nodes, "links": links}))
    (folder / "places.csv").write_text("".join(f"p{p};c{p // 20};r{p // 200};*\n" for p in range(places)))
    (folder / "topics.csv").write_text("".join(f"t{t};theme {t // 6};*\n" for t in range(topics)))
    listed = [
        f'{n} = {{ role = "quasi-identifier", scale = "nominal", hierarchy = "topics.csv" }}' for n in PROTECTED[1:]
    ]
    tree = 'hierarchy = "places.csv", levels = ["town", "county", "region"]'
    lines = ["[attributes]", f'place = {{ role = "quasi-identifier", scale = "nominal", {tree} }}', *listed]
    schema.write_text("\n".join(lines) + "\n")
    return graph, schema


class Clock:
    """Seconds of steps, by what they are called."""

    def __init__(self) -> None:
        self.steps: dict[str, tuple[float, float]] = {}

    def of(self, step: str, call: Callable[[], T]) -> T:
        """Return what a call returns, and note its seconds."""
        processor, clock = time.process_time(), time.perf_counter()
        found = call()
        self.steps[step] = (time.process_time() - processor, time.perf_counter() - clock)
        return found

    @property
    def total(self) -> tuple[float, float]:
        """The seconds of all steps."""
        return sum(p for p, _ in self.steps.values()), sum(c for _, c in self.steps.values())


def protected_and_measured(
    graph: Path, schema: Path, params: dict[str, Any], out: Path
) -> tuple[Clock, dict[str, float]]:
    """Read, protect, write and measure a graph; return seconds and scores."""
    clock, registry = Clock(), default_registry()
    source: Source = clock.of("read", lambda: read_source(graph, schema))
    microdata = Microdata(source.table, PROTECTED)
    method = registry.build("masking-method", "semantic-groups", {"k": K, **params})
    masked: Table = clock.of("protect", lambda: method.mask(microdata.original, np.random.default_rng(1)))
    clock.of("write", lambda: source.write(out, masked))
    scores = {}
    for name in MEASURES:
        measure = registry.build("measure", name, {})
        scores[name] = clock.of(name, lambda measure=measure: measure.fit_in(microdata).score(masked))  # type: ignore[misc]
    return clock, scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--smoke", action="store_true", help="300 users, 900 edges.")
    given = parser.parse_args()
    users, edges = (300, 900) if given.smoke else (given.users, given.edges)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        warm = generated(300, 900, folder)
        for params in METHODS.values():
            protected_and_measured(*warm, params, folder / "warm.json")  # compiles what has to be
        files = generated(users, edges, folder)
        found = {way: protected_and_measured(*files, params, folder / "out.json") for way, params in METHODS.items()}
    grid = Grid("step", *(f"{way}: CPU s" for way in found), *(f"{way}: score" for way in found))
    for step in next(iter(found.values()))[0].steps:
        seconds = [f"{clock.steps[step][0]:.1f}" for clock, _ in found.values()]
        grid.add_row(step, *seconds, *(f"{s[step]:.2f}" if step in s else "" for _, s in found.values()))
    grid.add_row("all", *(f"{clock.total[0]:.1f} (clock {clock.total[1]:.1f})" for clock, _ in found.values()))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    console = Console(width=160)
    console.print(grid)
    console.print(f"{users} users, {edges} edges, k = {K}; at most {peak:.0f} MiB")


if __name__ == "__main__":
    main()
