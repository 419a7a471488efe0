"""Evolution of whole files: all experiments of thesis chapter 3 in one command.

    python experiments/thesis-ch3/study.py [--smoke] [--files german,flare] [--algorithm memetic] [-o FOLDER]

For every file it searches from its portfolio with the mean, twice by other seeds, and with the maximum of IL and DR (on
Solar Flare with the maximum also without the best 5 and 10 per cent of the portfolio), and with both as two objectives
(nsga2). It prints and writes (CSV) least, mean and greatest score of the initial and of the final population, what was
gained over the portfolio's best file, and how much the fronts dominate. Dispersion and evolution of every run are in
``figures.html``, the runs themselves in ``report.html``; ``runs.csv`` names them for ``experiments/populations.py``,
which writes the tables of dispersion, evolution and times. Beside each score stand what an informed intruder gains of
the file found (guess gain, informed linkage) and how much of an attribute reads right under exchanged labels, and the
same of the tuned classical file: each masking method at the best parameters for that fitness. The exit status is 1 when
a search gained nothing or a front did not grow. Which operators and how many generations the thesis took is not known;
those here are the defaults, a reconstruction. ``--smoke`` searches the embedded file for a few generations.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import click
from figures import dispersion, evolution, write_page
from informed import MEASURES, as_text, figures_of_run, tuned_classical
from rich.console import Console
from rich.table import Table
from searches import FILES, Search, Variant, search, variants_of

from evosdc.report import write_report

CONSOLE = Console(width=150)
FIRST, EXECUTIONS = Variant("mean"), 2
"""The experiment that is executed twice, as in the figures of the chapter."""


def show(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], path: Path) -> None:
    """Print a table and write it as CSV."""
    table = Table(*headings, title=title, title_justify="left")
    for row in rows:
        table.add_row(*row)
    CONSOLE.print(table)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([headings, *rows])


@click.command()
@click.option("--smoke", is_flag=True, help="A few generations on the embedded file.")
@click.option("--files", default=",".join(FILES), show_default=True)
@click.option("--algorithm", default="parent-child", show_default=True, help="For mean and maximum.")
@click.option("--evaluations", type=click.IntRange(min=1), help="Of each search; default: the experiments' own.")
@click.option("--tuning", type=click.IntRange(min=1), default=600, show_default=True, help="Files judged to tune.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("runs/thesis-ch3"), show_default=True)
def main(smoke: bool, files: str, algorithm: str, evaluations: int | None, tuning: int, output: Path) -> None:
    """Run the study."""
    names = ["housing"] if smoke else [name.strip() for name in files.split(",")]
    if unknown := [name for name in names if name not in FILES]:
        raise click.BadParameter(f"{', '.join(unknown)}; choose from {', '.join(FILES)}", param_hint="--files")
    if smoke:
        evaluations, tuning = 1500, 40
    output.mkdir(parents=True, exist_ok=True)
    searches = []
    for name in names:
        for variant in variants_of(name, smoke):
            for execution in range(1, (EXECUTIONS if variant == FIRST else 1) + 1):
                done = search(name, variant, algorithm, output, evaluations, execution)
                searches.append(done)
                click.echo(f"{name}, {variant.name}: {done.result['evaluations']} in {done.seconds:.1f} s")
    show_runs(searches, output)
    again = [done for done in searches if done.execution > 1]
    searches = [done for done in searches if done.execution == 1]
    single = [done for done in searches if done.variant.fitness != "pareto"]
    fronts = [done for done in searches if done.variant.fitness == "pareto"]
    improved = show_scores(single, again, output)
    show_informed(single, tuning, output)
    grown = show_fronts(fronts, output)
    write_page([dispersion(searches), evolution(single)], output / "figures.html")
    click.echo(f"Figures: {output / 'figures.html'}")
    click.echo(f"Report: {write_report([done.folder for done in searches], output / 'report.html')}")
    raise SystemExit(0 if improved and grown else 1)


def show_runs(searches: Sequence[Search], output: Path) -> None:
    """Write what the run folders hold, for ``experiments/populations.py``."""
    rows = [
        [done.folder.name, done.file, done.variant.name, str(done.execution), f"{done.seconds:.1f}"]
        for done in searches
    ]
    with (output / "runs.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([["folder", "file", "fitness", "run", "CPU seconds"], *rows])


def show_scores(searches: Sequence[Search], again: Sequence[Search], output: Path) -> bool:
    """Show the scores of the first and last populations; return whether every search gained something."""
    rows, improved = [], True
    second = {(done.file, done.variant): f"{done.result['best']['fitness'][0]:.3f}" for done in again}
    for done in searches:
        first, last = (done.records[place]["fitness"] for place in (0, -1))
        start, best = done.portfolio_best, done.result["best"]["fitness"][0]
        improved = improved and best < start
        scores = [f"{of[key]:.2f}" for of in (first, last) for key in ("min", "mean", "max")]
        gained = [f"{start:.3f}", f"{best:.3f}", f"{start - best:.3f}", f"{100 * (start - best) / start:.1f} %"]
        other = second.get((done.file, done.variant), "")
        rows.append([done.file, done.variant.name, *scores, *gained, other, str(done.result["evaluations"])])
    headings = ["file", "fitness", "initial min", "mean", "max", "final min", "mean", "max"]
    headings += ["portfolio's best", "best found", "gained", "gained, per cent", "found by run 2", "evaluations"]
    show("Scores of the initial and final populations", headings, rows, output / "scores.csv")
    return improved


def show_informed(searches: Sequence[Search], tuning: int, output: Path) -> None:
    """Show what informed intruders gain of each file found, and of the tuned classical one."""
    rows = []
    for done in searches:
        if done.variant.without_best:
            continue
        found = as_text(figures_of_run(done.experiment, done.folder))
        classical = tuned_classical(done.experiment, tuning)
        best = f"{done.result['best']['fitness'][0]:.3f}"
        known = [f"{classical.score:.3f}", *as_text(classical.figures), classical.label]
        rows.append([done.file, done.variant.name, best, *found, *known])
    headings = ["file", "fitness", "best found", *MEASURES]
    headings += ["tuned classical", *(f"{name}, classical" for name in MEASURES), "made by"]
    title = f"The informed intruder: files found and tuned classical ones ({tuning} files judged)"
    show(title, headings, rows, output / "informed.csv")


def show_fronts(searches: Sequence[Search], output: Path) -> bool:
    """Show what the fronts dominate; return whether each dominates more than its portfolio's."""
    rows, grown = [], True
    for done in searches:
        volumes = done.result["hypervolume"]
        grown = grown and volumes["front"] > volumes["portfolio"]
        figures = [f"{volumes['portfolio']:.2f}", f"{volumes['front']:.2f}"]
        gained = f"{volumes['front'] - volumes['portfolio']:.2f}"
        rows.append([done.file, *figures, gained, str(len(done.result["front"])), str(done.result["evaluations"])])
    headings = ["file", "portfolio's front", "final front", "gained", "files on it", "evaluations"]
    show(
        "Share of the box up to (100, 100) that the fronts dominate, in per cent", headings, rows, output / "fronts.csv"
    )
    return grown


if __name__ == "__main__":
    main()
