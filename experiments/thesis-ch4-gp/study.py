"""Genetic programming of PRAM-matrix equations: all runs, tables and figures of thesis section 4.2 in one command.

    python experiments/thesis-ch4-gp/study.py [--smoke] [-o FOLDER]

It prints and writes (CSV) the best equations; IL, DR and score of each standard PRAM beside them on fresh draws (as
tables 4.12 to 4.14); the sweep of depth limits (4.15); both algorithms; and every equation on every file. Figures 4.16
to 4.20 are in ``figures.html``, each run in ``report.html``. The exit status is 1 when an equation is not better than
the best standard PRAM of its file by two standard errors, or breaks a requirement on fresh draws. The sizes of runs are
a reconstruction: the thesis's are not at hand. ``--smoke`` runs a few generations on the embedded file only, and fails
only when something breaks.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import click
from figures import bests, evolution, scatter, write_page
from informed import INFORMED, informed_figures
from judgements import Judged, best_of, gain, judged_designs, judged_equation
from rich.console import Console
from rich.table import Table
from searches import ALGORITHM, ALGORITHMS, DEPTH, DEPTHS, FILES, FITNESSES, Search, search, wanted

from evosdc.randomisation.equations.infix import infix
from evosdc.report import write_report
from evosdc_equations.simplification import simplify

CONSOLE = Console(width=150)


def show(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], path: Path) -> None:
    """Print a table and write it as CSV."""
    table = Table(*headings, title=title, title_justify="left")
    for row in rows:
        table.add_row(*row)
    CONSOLE.print(table)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([headings, *rows])


def figures_of(judged: Judged) -> list[str]:
    """Return IL, DR, score and its standard error, what an informed intruder gains, and whether requirements hold."""
    scores = judged.scores.scores
    own = [f"{scores['il']:.3f}", f"{scores['dr']:.3f}", f"{judged.fitness:.3f}", f"{judged.error:.3f}"]
    return [*own, *(f"{figure:.1f}" for figure in informed_figures(judged.scores)), "yes" if judged.holds else "no"]


@click.command()
@click.option("--smoke", is_flag=True, help="A few generations on the embedded file.")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("runs/thesis-ch4-gp"), show_default=True)
@click.option("--generations", type=click.IntRange(min=2), default=150, show_default=True)
@click.option("--population", type=click.IntRange(min=8), default=120, show_default=True)
@click.option("--draws", type=click.IntRange(min=2), default=30, show_default=True, help="Fresh draws.")
def main(smoke: bool, output: Path, generations: int, population: int, draws: int) -> None:
    """Run the study."""
    files, depths = (("housing",), (3, DEPTH)) if smoke else (FILES, DEPTHS)
    if smoke:
        generations, population, draws = 4, 16, 5
    output.mkdir(parents=True, exist_ok=True)
    runs: dict[tuple[str, str, str, int], Search] = {}
    for key in wanted(files, depths):
        runs[key] = search(*key, output, population, generations)
        result = runs[key].result
        click.echo(f"{' '.join(map(str, key))}: {result['best']['fitness'][0]:.3f} in {result['seconds']:.1f} s")
    main_runs = {(f, g): runs[f, g, ALGORITHM, DEPTH] for f in files for g in FITNESSES}
    designs = {key: judged_designs(run.problem, draws) for key, run in main_runs.items()}
    found = {key: judged_equation(run.problem, "equation", run.equation, draws) for key, run in main_runs.items()}
    better = [_standard(key, found[key], designs[key], output) for key in main_runs]
    show(
        "The best equations",
        ["file", "fitness", "nodes", "depth", "equation, cleaned up"],
        [
            [*key, str(len(run.equation)), str(run.equation.depth), infix(simplify(run.equation, "raw"))]
            for key, run in main_runs.items()
        ],
        output / "equations.csv",
    )
    _algorithms(runs, files, draws, output)
    _depths(runs, files, depths, draws, output)
    _transfer(main_runs, designs, files, draws, output)
    pairs = {key: (found[key], designs[key]) for key in main_runs}
    drawn = [scatter(pairs), bests(pairs), evolution({key: run.folder for key, run in main_runs.items()})]
    write_page(drawn, output / "figures.html")
    click.echo(f"Report: {write_report([run.folder for run in runs.values()], output / 'report.html')}")
    raise SystemExit(0 if all(better) or smoke else 1)


def _standard(key: tuple[str, str], equation: Judged, designs: list[Judged], output: Path) -> bool:
    """Show one equation beside all standard PRAM; return whether it is better than the best by two standard errors."""
    rows = []
    for judged in [equation, *designs]:
        gained, error = gain(equation, judged) if judged is not equation else (0.0, 0.0)
        compared = ["", ""] if judged is equation else [f"{gained:+.3f}", f"{error:.3f}"]
        rows.append([judged.label, *figures_of(judged), *compared])
    headings = ["method", "IL", "DR", "score", "s.e.", *INFORMED, "holds", "equation is better by", "s.e. of that"]
    title = f"{key[0]}, {key[1]}: standard PRAM and the evolved equation, {equation.scores.draws} fresh draws"
    show(title, headings, rows, output / f"standard-{key[0]}-{key[1]}.csv")
    gained, error = gain(equation, best_of(designs))
    return gained > 2 * error and equation.holds


def _algorithms(runs: dict[tuple[str, str, str, int], Search], files: Sequence[str], draws: int, output: Path) -> None:
    rows = []
    for file in files:
        for fitness in FITNESSES:
            for algorithm in ALGORITHMS:
                run = runs[file, fitness, algorithm, DEPTH]
                judged = judged_equation(run.problem, "equation", run.equation, draws)
                evaluations = str(run.result["evaluations"])
                rows.append([file, fitness, algorithm, evaluations, *figures_of(judged), str(len(run.equation))])
    headings = ["file", "fitness", "algorithm", "evaluations", "IL", "DR", "score", "s.e.", *INFORMED, "holds", "nodes"]
    show("Steady-state and generational search, fresh draws", headings, rows, output / "algorithms.csv")


def _depths(
    runs: dict[tuple[str, str, str, int], Search], files: Sequence[str], depths: Sequence[int], draws: int, output: Path
) -> None:
    rows = []
    for file in files:
        for depth in depths:
            run = runs[file, "max", ALGORITHM, depth]
            judged = judged_equation(run.problem, "equation", run.equation, draws)
            sizes = [str(len(run.equation)), str(run.equation.depth)]
            rows.append([file, str(depth), *figures_of(judged), *sizes])
    headings = ["file", "depth limit", "IL", "DR", "max(IL, DR)", "s.e.", *INFORMED, "holds", "nodes", "depth"]
    show("Limits on the depth, max, fresh draws", headings, rows, output / "depths.csv")


def _transfer(
    main_runs: dict[tuple[str, str], Search],
    designs: dict[tuple[str, str], list[Judged]],
    files: Sequence[str],
    draws: int,
    output: Path,
) -> None:
    for fitness in FITNESSES:
        rows = []
        for origin in files:
            equation = main_runs[origin, fitness].equation
            judged = [judged_equation(main_runs[f, fitness].problem, f, equation, draws) for f in files]
            rows.append([f"equation of {origin}", *(f"{j.fitness:.3f} ± {j.error:.3f}" for j in judged)])
        for design in "ab":
            chosen = [best_of(designs[f, fitness], design) for f in files]
            labels = [f"{j.fitness:.3f} ± {j.error:.3f} ({j.label.rpartition(' ')[2]})" for j in chosen]
            rows.append([f"best of design {design}", *labels])
        headings = ["evolved on", *(f"score on {f}" for f in files)]
        show(f"Transfer, {fitness}, fresh draws", headings, rows, output / f"transfer-{fitness}.csv")


if __name__ == "__main__":
    main()
