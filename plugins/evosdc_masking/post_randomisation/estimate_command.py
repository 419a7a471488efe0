"""``evosdc estimate``."""

import csv
import json
from pathlib import Path

import click

from evosdc.printing import printable

PATH = click.Path(path_type=Path)


@click.command(short_help="Estimate original counts from a file masked by PRAM.")
@click.argument("masked", type=PATH)
@click.option(
    "--matrices", type=PATH, required=True, metavar="FILE", help="The transition matrices: MASKED.matrices.json."
)
@click.option("--attributes", required=True, metavar="A,B,...", help="One attribute, or those of a table of counts.")
@click.option("--weight", metavar="NAME", help="Attribute of sampling weights; totals are then estimated.")
@click.option("--schema", type=PATH, help="Schema file; inferred from the data when not given.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
def estimate(
    masked: Path, matrices: Path, attributes: str, weight: str | None, schema: Path | None, as_json: bool
) -> None:
    """Estimate the counts that the original of MASKED had, a file that was published by post-randomisation (PRAM).

    The standard errors are those of the randomisation; sampling is not part of them.
    """
    from evosdc.files.reading import read_published
    from evosdc.randomisation.table_estimation import estimate_after_pram

    names = [part.strip() for row in csv.reader([attributes], skipinitialspace=True) for part in row if part.strip()]
    found = estimate_after_pram(read_published(masked, schema).table, matrices, names, weight=weight)
    rows = found.reset_index().astype(dict.fromkeys(names, str)).to_dict(orient="records")
    if as_json:
        click.echo(json.dumps({"attributes": names, "cells": rows}, ensure_ascii=False, allow_nan=False))
        return
    shown = [[*(str(row[name]) for name in names), *(f"{row[column]:.1f}" for column in found.columns)] for row in rows]
    lines = [[*names, "published", "estimated", "standard error"], *shown]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        left = [cell.ljust(width) for cell, width in zip(line[: len(names)], widths, strict=False)]
        right = [cell.rjust(width) for cell, width in zip(line[len(names) :], widths[len(names) :], strict=True)]
        click.echo(printable("  ".join(left + right)))
