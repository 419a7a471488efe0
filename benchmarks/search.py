"""Searches side by side: curves of the best score against seconds and evaluations, and what an evaluation costs.

Run from the repository's root: ``python -m benchmarks.search [--files german,flare] [--seconds 4] [--seeds 10]``.

Every algorithm starts from the same files with default parameters. `nsga2` searches for the front of IL and DR, of
which the best member by the fitness counts. Seconds are processor time of the search, so other work on the machine
does not decide. The rank-sum test (Mann and Whitney, one-sided) asks whether `memetic` ends with less than
`parent-child`. Written: ``curves.csv`` (each improvement of each search) and ``curves.html``. The exit status is 1 when
`memetic` has no smaller median than `parent-child` on some file with some fitness, or the ratio to evaluation from
scratch (measures fitted again) is below 50. ``--check N`` also compares the scores of a run of N evaluations with fresh
ones.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median

import click
from rich.console import Console
from rich.table import Table
from scipy.stats import mannwhitneyu

from benchmarks.search_figures import evaluation_costs, offspring_a_second, population_memory
from benchmarks.search_page import write_page
from benchmarks.search_runs import ALGORITHMS, FILES, FITNESSES, Curve, Job, warmed

CONSOLE = Console(width=150)
WANTED_RATIO = 50


def chosen(text: str, offered: Sequence[str], what: str) -> list[str]:
    """Return the names of a comma-separated list; refuse unknown ones."""
    names = [name.strip() for name in text.split(",")]
    if unknown := [name for name in names if name not in offered]:
        raise click.BadParameter(f"{what} {', '.join(unknown)}; choose from {', '.join(offered)}")
    return names


@click.command()
@click.option("--files", default=",".join(FILES), show_default=True)
@click.option("--fitnesses", default=",".join(FITNESSES), show_default=True)
@click.option("--algorithms", default=",".join(ALGORITHMS), show_default=True)
@click.option("--seconds", default=4.0, show_default=True, help="Processor time of a search.")
@click.option("--seeds", default=10, show_default=True)
@click.option("--workers", default=1, show_default=True, help="Searches at a time, one processor each.")
@click.option("--check", default=0, help="Compare a run of N evaluations with fresh ones, on the first file.")
@click.option("--figures/--no-figures", default=True, show_default=True, help="Ratio, offspring a second, memory.")
@click.option("--smoke", is_flag=True, help="Moments of the embedded file, to see that it works.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("runs/search"), show_default=True)
def main(
    files: str,
    fitnesses: str,
    algorithms: str,
    seconds: float,
    seeds: int,
    workers: int,
    check: int,
    figures: bool,
    smoke: bool,
    output: Path,
) -> None:
    """Compare searches."""
    portfolio = None
    if smoke:
        files, seconds, seeds, portfolio = "housing", 0.2, 2, 10
    names, kinds = chosen(files, list(FILES), "file"), chosen(fitnesses, FITNESSES, "fitness")
    compared = chosen(algorithms, ALGORITHMS, "algorithm")
    jobs = [Job(f, k, a, s, seconds) for f in names for k in kinds for s in range(1, seeds + 1) for a in compared]
    curves = _all_curves(jobs, portfolio, workers)
    output.mkdir(parents=True, exist_ok=True)
    write_curves(curves, output / "curves.csv")
    write_page(curves, output / "curves.html")
    beaten = show_results(curves, compared)
    cheap = not figures or show_figures(names, portfolio, smoke)
    if check:
        from benchmarks.exactness import main as exactness
        from benchmarks.search_runs import EXPERIMENTS

        arguments = [str(EXPERIMENTS / FILES[names[0]]), "--evaluations", str(check)]
        beaten = exactness.main(arguments, standalone_mode=False) in (None, 0) and beaten
    click.echo(f"Curves: {output / 'curves.html'}")
    raise SystemExit(0 if smoke or (beaten and cheap) else 1)


def _all_curves(jobs: Sequence[Job], portfolio: int | None, workers: int) -> list[Curve]:
    if workers == 1:
        return [warmed(job, portfolio) for job in jobs]
    # Whole files go to one worker, which then makes the starting files once.
    size = max(1, len(jobs) // (2 * workers * len({job.file for job in jobs})))
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        return list(pool.map(warmed, jobs, [portfolio] * len(jobs), chunksize=size))


def write_curves(curves: Sequence[Curve], path: Path) -> None:
    """Write each improvement of each search."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["file", "fitness", "algorithm", "seed", "seconds", "evaluations", "best"])
        for curve in curves:
            job = curve.job
            for seconds, evaluations, best in curve.points:
                writer.writerow([job.file, job.fitness, job.algorithm, job.seed, f"{seconds:.4f}", evaluations, best])


def show_results(curves: Sequence[Curve], algorithms: Sequence[str]) -> bool:
    """Print medians after equal time and equal evaluations; return whether memetic beats parent-child everywhere."""
    beaten = True
    pair = [name for name in ("memetic", "parent-child") if name in algorithms]
    for axis, title in ((0, "after equal processor time"), (1, "after equal evaluations")):
        table = Table("file", "fitness", "start", *algorithms, "p", title=f"Median best score {title}")
        for file, fitness in dict.fromkeys((curve.job.file, curve.job.fitness) for curve in curves):
            part = [c for c in curves if (c.job.file, c.job.fitness) == (file, fitness)]
            least = min(curve.points[-1][axis] for curve in part)
            found = {a: [c.best_at(least, axis) for c in part if c.job.algorithm == a] for a in algorithms}
            medians = {name: median(values) for name, values in found.items()}
            p = ""
            if len(pair) == 2:
                test = mannwhitneyu(found["memetic"], found["parent-child"], alternative="less")
                p = f"{float(test.pvalue):.4f}"
                beaten = beaten and (axis == 1 or medians["memetic"] < medians["parent-child"])
            where = f"{fitness}, {least:.1f} s" if axis == 0 else f"{fitness}, {least:.0f}"
            start = f"{part[0].points[0][2]:.3f}"
            table.add_row(file, where, start, *(f"{medians[name]:.3f}" for name in algorithms), p)
        CONSOLE.print(table)
    return beaten


def show_figures(files: Sequence[str], portfolio: int | None, smoke: bool) -> bool:
    """Print what evaluations cost; return whether the ratio to evaluation from scratch is enough on each file."""
    headings = ("from scratch, microseconds", "afresh", "tracked", "scratch / tracked", "afresh / tracked")
    table = Table("file", *headings, title="Mutants in one cell, processor time")
    enough = True
    for file in files:
        scratch, fresh, followed = evaluation_costs(file, portfolio, 20 if smoke else 200)
        enough = enough and scratch / followed >= WANTED_RATIO
        ratios = (f"{scratch / followed:.0f}", f"{fresh / followed:.1f}")
        table.add_row(file, f"{scratch:.0f}", f"{fresh:.0f}", f"{followed:.1f}", *ratios)
    CONSOLE.print(table)
    rate, share = offspring_a_second(files[0], 2_000 if smoke else 100_000)
    CONSOLE.print(f"{files[0]}: {rate:.0f} offspring a second by the journal, with {100 * share:.0f} % of a processor")
    memory = population_memory(files[-1], 10 if smoke else 100, portfolio or 1)
    CONSOLE.print(f"{files[-1]}: {memory:.0f} MB for {10 if smoke else 100} files with their states")
    return enough


if __name__ == "__main__":
    main()
