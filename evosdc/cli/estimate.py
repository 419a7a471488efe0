"""``evosdc estimate``."""

from __future__ import annotations

from pathlib import Path

import click

from evosdc.cli.options import PATH, json_option, listed, schema_option


@click.command()
@click.argument("masked")
@click.option(
    "--matrices", type=PATH, required=True, metavar="FILE", help="The transition matrices: MASKED.matrices.json."
)
@click.option("--attributes", required=True, metavar="A,B,...", help="One attribute, or those of a table of counts.")
@click.option("--weight", metavar="NAME", help="Attribute of sampling weights; totals are then estimated.")
@schema_option
@json_option
def estimate(
    masked: str, matrices: Path, attributes: str, weight: str | None, schema: Path | None, as_json: bool
) -> None:
    """Estimate the counts that the original of MASKED had, a file that was published by post-randomisation (PRAM).

    The standard errors are those of the randomisation; sampling is not part of them.
    """
    from evosdc.cli.inputs import open_published
    from evosdc.cli.results import print_json
    from evosdc.cli.text import say
    from evosdc.randomisation.table_estimation import estimate_after_pram

    names = listed(attributes) or []
    found = estimate_after_pram(open_published(masked, schema).table, matrices, names, weight=weight)
    rows = found.reset_index().astype(dict.fromkeys(names, str)).to_dict(orient="records")
    if as_json:
        print_json({"attributes": names, "cells": rows})
        return
    shown = [[*(str(row[name]) for name in names), *(f"{row[column]:.1f}" for column in found.columns)] for row in rows]
    lines = [[*names, "published", "estimated", "standard error"], *shown]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        left = [cell.ljust(width) for cell, width in zip(line[: len(names)], widths, strict=False)]
        right = [cell.rjust(width) for cell, width in zip(line[len(names) :], widths[len(names) :], strict=True)]
        say("  ".join(left + right))
