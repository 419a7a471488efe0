"""What a random winner does on draws that its search never saw, on the terminal."""

from collections.abc import Mapping
from typing import Any

import click

from evosdc.cli.text import harmless


def print_fresh(fresh: Mapping[str, Any]) -> None:
    """Print the figures on fresh draws with their standard errors, and what holds there."""
    click.echo(f"On {fresh['draws']} fresh draws (mean, standard error):")
    for name, entry in (
        ("best found", fresh["best"]),
        ("best initial genome", fresh["founder"]),
        ("best standard method", fresh["portfolio"]),
    ):
        if entry is None:
            continue
        pairs = zip(entry["fitness"], entry["fitness_errors"], strict=True)
        figures = ", ".join(f"{value:.3f} ± {error:.3f}" for value, error in pairs)
        label = f", {entry['label']}" if "label" in entry else ""
        lead = ""
        if "advantage" in entry:
            lead = f"; the best found is better by {entry['advantage']:.3f} ± {entry['advantage_error']:.3f}"
        click.echo(f"  {name}{label}: fitness {figures}{lead}")
    for entry in fresh.get("requirements", ()):
        said = "holds" if entry["met"] else "does NOT hold"
        text = f"  {entry['requirement']} {said}: {entry['value']:.3f} ± {entry['error']:.3f}"
        share = f", and in {100 * entry['share']:.0f} % of the single draws"
        click.secho(harmless(text + share), fg="green" if entry["met"] else "red")
    for entry in fresh.get("pairs", ()):
        names = " and ".join(entry["attributes"])
        click.echo(harmless(f"  table of {names}: {entry['moved']:.1f} ± {entry['error']:.1f} % of the records moved"))
