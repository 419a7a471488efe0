"""Social graphs protected by groups of users: chapter 6 of the thesis in one command.

    python experiments/thesis-ch6/study.py [--smoke] [-o FOLDER]

Members of parliament on Twitter and a karate club are protected by groups of k users: what that costs and what
intruders learn by k, what bounds on the level of places do, how much less evolved groups lose at equal risk, tested by
signed ranks over ten seeds, and what masking methods make of the extracted microdata. Tables (CSV) and pictures (SVG)
go to the study's own folder, whose README is brought up to date; with ``-o`` to another one. ``--smoke`` takes the
karate club, few k, seeds and evaluations.

Text and numbers of chapter 6 are not available, titles of its sections, figures and tables are: a reconstruction.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

import click
import pictures
from graphs import GRAPHS, StudyGraph
from microdata import microdata
from protections import DR, IL, LOSSES, METHODS, RISKS, THESIS, Protection, evolved, grouped
from scipy.stats import wilcoxon

from evosdc.table.table import Table

HERE = Path(__file__).parent
WANTED = 15.0
"""Per cent of the loss that evolved groups are to save at equal risk."""


@dataclass(frozen=True)
class Profile:
    """How much is done."""

    graphs: Sequence[str] = tuple(GRAPHS)
    ks: Sequence[int] = range(2, 21)
    evolved_ks: Sequence[int] = (3, 5, 10, 20)
    bounded_k: int = 5
    seeds: Sequence[int] = range(1, 11)
    tested: Sequence[tuple[str, int]] = (("mps", 10), ("karate", 3), ("karate", 5))
    evaluations: int = 6000


SMOKE = Profile(("karate",), (2, 5), (2, 5), 3, range(1, 4), (("karate", 5),), 300)


@click.command()
@click.option("--smoke", is_flag=True, help="The karate club, few k, seeds and evaluations.")
@click.option("--workers", default=2, show_default=True, help="Searches at a time; results are the same.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, file_okay=False),
    help="Default: the study's own folder; of --smoke runs/thesis-ch6.",
)  # fmt: skip
def main(smoke: bool, workers: int, output: Path | None) -> None:
    """Run the study."""
    began = perf_counter()
    profile = SMOKE if smoke else Profile()
    target = output or (Path("runs/thesis-ch6") if smoke else HERE)
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        made = [GRAPHS[name](Path(folder)) for name in profile.graphs]
        with ProcessPoolExecutor(workers) as pool:
            chapter_six(profile, made, target, pool)
    if target.resolve() == HERE.resolve():
        subprocess.run([sys.executable, str(HERE.parent / "readme_tables.py")], check=False)
    click.echo(f"Tables and pictures: {target}; {perf_counter() - began:.0f} s by the clock")


def chapter_six(profile: Profile, made: Sequence[StudyGraph], target: Path, pool: Executor) -> None:
    """Make the tables and pictures."""
    publish(
        target / "graphs.csv", ["graph", "users", "edges", "attribute", "levels"], [r for g in made for r in told(g)]
    )
    found: list[Protection] = []
    for graph in made:
        pictures.layout(graph, target / f"{graph.name}-layout.svg")
        for k in profile.ks:
            found += [grouped(graph, way, k) for way in METHODS]
        click.echo(f"{graph.name}: {len(profile.ks)} k by {len(METHODS)} methods")
    publish(target / "by-k.csv", [*HEADER], [row_of(one) for one in found])
    start = {(one.graph, one.k): one.figures for one in found if one.way == THESIS}
    wanted = [(graph, k, 1) for graph in made for k in profile.evolved_ks]
    wanted += [(g, k, seed) for g in made for name, k in profile.tested if name == g.name for seed in profile.seeds]
    waiting = {
        (g.name, k, seed): pool.submit(evolved, g, k, start[g.name, k][DR], seed, profile.evaluations)
        for g, k, seed in sorted(wanted, key=lambda one: (one[0].name, *one[1:]))
    }
    searched = {}
    for address, one in waiting.items():
        searched[address] = one.result()
        click.echo(f"{address}: {saved(searched[address], start):.1f} % less than {THESIS}")
    best = [searched[graph.name, k, 1] for graph in made for k in profile.evolved_ks]
    found += best
    publish(target / "evolved.csv", [*HEADER, "saved"], [[*row_of(one), saved(one, start)] for one in best])
    for graph in made:
        own = [one for one in found if one.graph == graph.name]
        pictures.losses(own, target / f"{graph.name}-loss.svg")
        pictures.risks(own, target / f"{graph.name}-risk.svg")
    bounds(profile, made, target)
    ranks(profile, searched, start, target)
    for graph in made:
        rows = list(microdata(graph))
        publish(target / f"{graph.name}-microdata.csv", ["method", "parameters", *LOSSES, IL, DR], rows)
        pictures.dispersion(
            rows, [one for one in found if one.graph == graph.name], target / f"{graph.name}-microdata.svg"
        )


HEADER = ("graph", "way", "k", "seed", *LOSSES, IL, *RISKS)


def row_of(one: Protection) -> list[object]:
    """Return a protection as a row."""
    return [one.graph, one.way, one.k, one.seed, *(one.figures[name] for name in (*LOSSES, IL, *RISKS))]


def told(graph: StudyGraph) -> list[list[object]]:
    """Return the facts about a graph, one row per attribute."""
    table: Table = graph.table()
    edges = sum(len(text.split()) - 1 for text in table.schema["neighbours"].categories) // 2
    rows: list[list[object]] = []
    for attribute in table.schema.attributes:
        if attribute.role.published:
            height = attribute.hierarchy.height + 1 if attribute.hierarchy is not None else "made"
            rows.append([graph.name, len(table), edges, f"{attribute.name} ({len(attribute.categories)})", height])
    return rows


Starts = Mapping[tuple[str, int], Mapping[str, float]]
"""Figures of the thesis' groups by graph and k."""


def saved(one: Protection, start: Starts) -> float:
    """Return the per cent of the thesis' loss that a protection saves."""
    return 100.0 * (1.0 - one.figures[IL] / start[one.graph, one.k][IL])


def bounds(profile: Profile, made: Sequence[StudyGraph], target: Path) -> None:
    """Publish Table 6.1 in kind: what a bound on the level of places costs."""
    rows: list[list[object]] = []
    for graph in made:
        for level in (*graph.bounds, ""):
            one = grouped(graph, THESIS, profile.bounded_k, {graph.located: level} if level else {})
            rows.append([graph.name, level or "none", *row_of(one)[4:]])
    publish(target / "levels.csv", ["graph", "never coarser than", *LOSSES, IL, *RISKS], rows)


def ranks(profile: Profile, searched: Mapping[tuple[str, int, int], Protection], start: Starts, target: Path) -> None:
    """Publish the test of ranks: what evolved groups save beyond what is wanted, over seeds."""
    rows: list[list[object]] = []
    tests: list[list[object]] = []
    for graph, k in profile.tested:
        own = [searched[graph, k, seed] for seed in profile.seeds]
        gains = [saved(one, start) for one in own]
        rows += [[*row_of(one), gain] for one, gain in zip(own, gains, strict=True)]
        p = float(wilcoxon([gain - WANTED for gain in gains], alternative="greater").pvalue)
        tests.append([graph, k, len(gains), min(gains), median(gains), max(gains), p])
        click.echo(f"{graph}, k = {k}: {min(gains):.1f} to {max(gains):.1f} % less, p = {p:.4f}")
    publish(target / "seeds.csv", [*HEADER, "saved"], rows)
    header = ["graph", "k", "seeds", "least saved", "median saved", "most saved", f"p of more than {WANTED:g} %"]
    publish(target / "ranks.csv", header, tests, 4)


def publish(path: Path, header: Sequence[str], rows: Sequence[Sequence[object]], digits: int = 2) -> None:
    """Write a table."""
    shown = [[f"{cell:.{digits}f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *shown])


if __name__ == "__main__":
    main()
