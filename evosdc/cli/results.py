"""Showing what a run found, on the terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import click
from rich.console import Console
from rich.table import Table


def print_json(document: Any) -> None:
    """Print one JSON object and nothing else."""
    click.echo(json.dumps(document, ensure_ascii=False, allow_nan=False))


def print_result(result: Mapping[str, Any]) -> None:
    """Print the original, the best file of the portfolio and the best file found, one column each."""
    columns: list[tuple[str, Mapping[str, Any]]] = []
    if result.get("identity"):
        columns.append(("original", result["identity"]))
    portfolio = result["portfolio"]["best"]
    if portfolio:
        columns.append((f"best of {result['portfolio']['size']} in portfolio\n{portfolio['label']}", portfolio))
    columns.append(("best found", result["best"]))
    table = Table(title=str(result["title"]), title_justify="left")
    table.add_column("")
    for heading, _ in columns:
        table.add_column(heading, justify="right")
    objectives = [[f"{value:.3f}" for value in scored["fitness"]] for _, scored in columns]
    table.add_row(f"fitness ({result['fitness']})", *(" ".join(row) for row in objectives), style="bold")
    for name in sorted(result["best"]["scores"], key=lambda n: (n not in ("il", "dr"), n != "il", n not in ("dr",))):
        label = {"il": "information loss (IL)", "dr": "disclosure risk (DR)"}.get(name, name)
        table.add_row(label, *(f"{scored['scores'][name]:.3f}" for _, scored in columns))
    Console(width=None).print(table)
    click.echo(
        f"{result['generations']} generations, {result['evaluations']} evaluations in {result['seconds']:.1f} s; "
        f"stopped: {result['stopped']}; seed {result['seed']}; missing values count by the rule "
        f"'{result['missing_rule']}'."
    )
    if result.get("dropped_identifiers"):
        click.echo(f"Identifiers left out of the protected file: {', '.join(result['dropped_identifiers'])}.")
