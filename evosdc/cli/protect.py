"""``evosdc protect``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from evosdc.cli.options import PATH, DefaultName, json_option, listed, schema_option

PROTECT_GENERATIONS = 1200
"""Generations of the search, two of which are a round of some sixty candidates."""


def seconds_of(context: click.Context, parameter: click.Parameter, text: str | None) -> float | None:
    """Return the seconds that a text like ``60s``, ``5m`` or ``1.5h`` stands for."""
    if text is None:
        return None
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smh]?)\s*", text)
    if match is None or float(match[1]) == 0.0:
        raise click.BadParameter(f"{text!r} is no time; wanted a positive number with s, m or h: 60s, 5m, 1.5h.")
    return float(match[1]) * {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}[match[2]]


@click.command()
@click.argument("data")
@schema_option
@click.option("--protect", "names", metavar="A,B,...", help="Attributes to protect; default: the quasi-identifiers.")
@click.option("--time", "seconds", callback=seconds_of, metavar="60s", help="Stop after this time instead of by stall.")
@click.option(
    "--fitness",
    default=DefaultName("fitness", "protect"),
    show_default=True,
    metavar="NAME",
    help="How IL and DR are combined.",
)
@click.option("--il", metavar="A,B,...", help="Measures of information loss; default: by the scales of the attributes.")
@click.option("--dr", metavar="A,B,...", help="Measures of disclosure risk; default likewise.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True)
@click.option("--executor", default="processes", show_default=True, metavar="NAME")
@click.option("--workers", type=click.IntRange(min=1), metavar="N")
@click.option("-o", "--output", type=PATH, metavar="DIR", help="New run folder; default: below runs/.")
@click.option("--quiet", is_flag=True, help="No progress.")
@json_option
def protect(
    data: str,
    schema: Path | None,
    names: str | None,
    seconds: float | None,
    fitness: str,
    il: str | None,
    dr: str | None,
    seed: int,
    executor: str,
    workers: int | None,
    output: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Protect DATA, a file or the name of a registered data set, with good defaults.

    Masks it by a portfolio of methods, evolves the masked files, and writes the best one, the front and a report.
    """
    from evosdc.cli.run import carry_out
    from evosdc.experiment.config.reader import parse_experiment
    from evosdc.plugins.registry import default_registry

    path, source = Path(data), data_of(data, schema, names)
    document: dict[str, Any] = {
        "title": f"Protection of {path.name}",
        "seed": seed,
        "data": source,
        "fitness": {"name": fitness},
        "algorithm": {"name": default_registry().default("algorithm", "protect")},
        "stop": {"seconds": seconds} if seconds else {"generations": PROTECT_GENERATIONS, "stalled": 400},
        "executor": {"name": executor} | ({"workers": workers} if workers else {}),
    }
    if il or dr:
        document["measures"] = measures_of(source, listed(il), listed(dr))
    carry_out(parse_experiment(document, Path.cwd(), "protect"), output, quiet, as_json)


def data_of(data: str, schema: Path | None, names: str | None) -> dict[str, Any]:
    """Return the data of an experiment about a file or a registered data set; `names` are to be protected."""
    from evosdc.cli.inputs import is_dataset

    source: dict[str, Any] = {"name": data} if is_dataset(data) else {"file": str(Path(data))}
    if schema is not None:
        source["schema"] = str(schema)
    return source if names is None else source | {"protect": listed(names)}


def measures_of(source: dict[str, Any], il: list[str] | None, dr: list[str] | None) -> dict[str, list[str]]:
    """Return the measures asked for, and the usual ones of the kind that is left open, for which the data are read."""
    if il and dr:
        return {"il": il, "dr": dr}
    from evosdc.calls.defaults import default_measures
    from evosdc.experiment.build.data import load_data, microdata_of
    from evosdc.experiment.config.experiment import DataSource
    from evosdc.plugins.registry import default_registry

    given, registry = DataSource(**source), default_registry()
    usual = default_measures(microdata_of(load_data(given, registry), given.protect).original.schema, registry)
    return {"il": il or list(usual["il"]), "dr": dr or list(usual["dr"])}
