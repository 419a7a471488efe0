"""``evosdc compare``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from evosdc.cli.options import PATH, takes_options
from evosdc.options.runs import CompareOptions


@click.command()
@click.argument("run_dirs", type=PATH, nargs=-1, required=True, metavar="RUN_DIR ...")
@takes_options(CompareOptions)
def compare(run_dirs: tuple[Path, ...], options: CompareOptions) -> None:
    """Compare the searches of finished runs by rank tests and effect sizes; nothing is evaluated again.

    Runs that differ in their seeds alone are one search, replicates and settings of studies among them. Compared are
    fitness, IL and DR of the best files, and of the fronts hypervolume, IGD+ and the additive epsilon indicator.
    """
    from evosdc.cli.inputs import require_apart
    from evosdc.cli.results import print_json
    from evosdc.cli.text import say
    from evosdc.files.atomic import require_unused, write_text
    from evosdc.runs.comparison import compare_runs, sentences
    from evosdc.runs.reader import read_run_folders
    from evosdc.runs.status import require_complete

    surfaces = options.surfaces
    if surfaces is not None:
        require_apart(surfaces)
        require_unused(surfaces, replace=options.force)
    require_complete(run_dirs)
    found = compare_runs(read_run_folders(run_dirs), options.paired)
    if surfaces is not None:
        write_text(surfaces, surface_text(found))
    if options.as_json:
        print_json(found)
        return
    _print_groups(found)
    for sentence in sentences(found):
        say(sentence)
    if surfaces is not None:
        say(f"Attainment surfaces: {surfaces}")


def surface_text(found: Mapping[str, Any]) -> str:
    """Return the corners of all attainment surfaces as the text of a CSV file."""
    from evosdc.printing import csv_text

    rows = [
        [group["label"], name, *corner]
        for group in found["groups"]
        for name, corners in group["surfaces"].items()
        for corner in corners
    ]
    return csv_text([["search", "surface", "il", "dr"], *rows])


def _print_groups(found: Mapping[str, Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    from evosdc.cli.text import harmless, print_table
    from evosdc.runs.comparison import TITLES

    shown = Table(title="Medians of the runs of each search", title_justify="left")
    shown.add_column("search", overflow="fold")
    shown.add_column("runs", justify="right")
    known = [name for name in TITLES if any(group["spread"][name]["n"] for group in found["groups"])]
    for name in known:
        shown.add_column(TITLES[name], justify="right", no_wrap=True)
    for group in found["groups"]:
        medians = [group["spread"][name]["median"] for name in known]
        figures = ["" if value is None else f"{value:.3f}" for value in medians]
        shown.add_row(Text(harmless(group["label"])), str(len(group["runs"])), *figures)
    print_table(shown)
