"""``evosdc estimate``."""

import json
from collections.abc import Sequence
from pathlib import Path

import click

from evosdc.cli.options import PATH, takes_options
from evosdc.options import shared
from evosdc.options.model import Options, names, option
from evosdc.printing import printable


class EstimateOptions(Options):
    """Options of ``evosdc estimate``."""

    matrices: Path = option(..., "The transition matrices: MASKED.matrices.json.", metavar="FILE")
    protect: Sequence[str] = names("One attribute, or those of a table of counts.", ...)
    weight: str | None = option(None, "Attribute of sampling weights; totals are then estimated.", metavar="NAME")
    schema_file: Path | None = shared.SCHEMA
    as_json: bool = shared.JSON


@click.command()
@click.argument("masked", type=PATH)
@takes_options(EstimateOptions)
def estimate(masked: Path, options: EstimateOptions) -> None:
    """Estimate the counts that the original of MASKED had, a file that was published by post-randomisation (PRAM).

    The standard errors are those of the randomisation; sampling is not part of them.
    """
    from evosdc.files.reading import read_published
    from evosdc.randomisation.table_estimation import estimate_after_pram

    chosen = list(options.protect)
    table = read_published(masked, options.schema_file).table
    found = estimate_after_pram(table, options.matrices, chosen, weight=options.weight)
    rows = found.reset_index().astype(dict.fromkeys(chosen, str)).to_dict(orient="records")
    if options.as_json:
        click.echo(json.dumps({"attributes": chosen, "cells": rows}, ensure_ascii=False, allow_nan=False))
        return
    shown = [
        [*(str(row[name]) for name in chosen), *(f"{row[column]:.1f}" for column in found.columns)] for row in rows
    ]
    lines = [[*chosen, "published", "estimated", "standard error"], *shown]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        left = [cell.ljust(width) for cell, width in zip(line[: len(chosen)], widths, strict=False)]
        right = [cell.rjust(width) for cell, width in zip(line[len(chosen) :], widths[len(chosen) :], strict=True)]
        click.echo(printable("  ".join(left + right)))
