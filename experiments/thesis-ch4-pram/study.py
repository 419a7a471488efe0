"""Evolve PRAM matrices as chapter 4.1 of the thesis does, and print its tables.

    python experiments/thesis-ch4-pram/study.py [--smoke] [-o FOLDER]

Part one: German Credit, Solar Flare and the housing survey, three attributes together and each alone, mean and maximum
of IL and DR, by a population and by (1+1) search of a single tuple of matrices. Evolved matrices and all standard ones
of designs a and b are judged on the same fresh draws. Part two: invariant matrices of degree for the pairs degree-metro
and degree-sch. The exit status is 1 when an evolved matrix is not better than the best standard one, or a matrix of
part two than its initial one, by more than two standard errors, or when a requirement does not hold on fresh draws.
``--smoke`` runs a few generations of a part of it, too few to ask that part two holds.
"""

from __future__ import annotations

from pathlib import Path

import attributes
import click
import pairs

from evosdc.report import write_report

HERE = Path(__file__).parent


@click.command()
@click.option("--smoke", is_flag=True, help="A few generations, on one data set and one pair.")
@click.option("--generations", type=click.IntRange(min=1), help="Of each population; default: the experiments' own.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), default=Path("runs/thesis-ch4-pram"), show_default=True
)
def main(smoke: bool, generations: int | None, output: Path) -> None:
    """Run both parts, print and write their tables, and write one report of all runs."""
    output.mkdir(parents=True, exist_ok=True)
    folders, better = attributes.run(HERE, output, smoke, generations)
    further, kept = pairs.run(HERE, output, smoke, generations)
    folders += further
    click.echo(f"Report: {write_report(folders, output / 'report.html')}")
    click.echo(f"Matrices of attributes {_said(better)}; matrices that keep pairs {_said(kept)}.")
    raise SystemExit(0 if better and (kept or smoke) else 1)


def _said(holds: bool) -> str:
    return "hold on fresh draws" if holds else "do not all hold on fresh draws"


if __name__ == "__main__":
    main()
