"""``evosdc large``."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from evosdc.cli.options import (
    PATH,
    drawing_options,
    force_option,
    json_option,
    listed,
    parameters,
    schema_option,
)

F = TypeVar("F", bound=Callable[..., Any])


def workers_options(command: F) -> F:
    """Add ``--workers`` and ``--dask``."""
    number = click.option(
        "--workers", type=click.IntRange(min=1), metavar="N", help="Start a Dask cluster of N workers here."
    )
    address = click.option("--dask", "address", metavar="ADDRESS", help="Use the Dask cluster of this scheduler.")
    return number(address(command))


@click.group(short_help="Files beyond memory: risk, measures, masking of Parquet.")
def large() -> None:
    """Judge and mask Parquet files that do not fit into memory, block by block, here or on a Dask cluster.

    All rests on distinct records with counts; figures and files are the same whoever works on them.
    """


@large.command("risk")
@click.argument("data", type=PATH)
@click.option("--keys", required=True, metavar="A,B,...", help="What an intruder knows.")
@click.option("--sensitive", metavar="A,B,...", help="What an intruder wants to learn.")
@click.option("--missing", type=click.Choice(["wildcard", "category"]), help="What a missing value equals.")
@click.option("--models", metavar="A,B,...", help="Registered privacy models; default: all that judge counts.")
@click.option("--set", "settings", metavar="MODEL.KEY=VALUE", multiple=True, help="A parameter of a model.")
@schema_option
@workers_options
@json_option
def large_risk(
    data: Path,
    keys: str,
    sensitive: str | None,
    missing: str | None,
    models: str | None,
    settings: tuple[str, ...],
    schema: Path | None,
    workers: int | None,
    address: str | None,
    as_json: bool,
) -> None:
    """Show what DATA, a Parquet file of any length, reveals of its respondents, as evosdc risk does."""
    from evosdc.cli.results import print_json
    from evosdc.plugins.registry import default_registry
    from evosdc_large import workers as cluster
    from evosdc_large.risk import counted_models, risk_of_parquet

    names = listed(models) if models is not None else list(counted_models(default_registry()))
    chosen = _with_parameters(names or [], settings, "MODEL")
    with cluster.workers(address, workers) as by:
        figures = risk_of_parquet(
            data, listed(keys) or [], listed(sensitive) or [], schema=schema, missing=missing, models=chosen, by=by
        )
    if as_json:
        print_json(figures)
    else:
        _show_risk(figures, chosen)


def _with_parameters(names: list[str], settings: tuple[str, ...], what: str) -> dict[str, Any]:
    """Return the parameters by name; raises `ParameterError` for those of a name that is not taken."""
    from evosdc.errors import Fault, ParameterError

    given = parameters(settings)
    strange = [name for name in given if name not in names or not isinstance(given[name], dict)]
    if strange:
        wanted = f"{what}.KEY=VALUE with one of {', '.join(names)}"
        raise ParameterError([Fault("--set", repr(name), wanted) for name in strange])
    return {name: given.get(name, {}) for name in names}


def _show_risk(figures: dict[str, Any], chosen: dict[str, Any]) -> None:
    from evosdc.cli.privacy_table import show_models
    from evosdc.cli.text import say

    show_models(chosen, figures)
    say(
        f"{figures['records']} records, {figures['distinct']} distinct; known to an intruder: "
        f"{', '.join(figures['quasi_identifiers'])}; missing values count by the rule '{figures['missing_rule']}'."
    )


@large.command("measure")
@click.argument("original", type=PATH)
@click.argument("masked", type=PATH)
@click.option("--attributes", metavar="A,B,...", help="What is judged; default: all columns that both files have.")
@click.option("--measures", metavar="A,B,...", help="Registered names; default: all that joint counts tell.")
@click.option("--set", "settings", metavar="NAME.KEY=VALUE", multiple=True, help="A parameter of a measure.")
@schema_option
@workers_options
@json_option
def large_measure(
    original: Path,
    masked: Path,
    attributes: str | None,
    measures: str | None,
    settings: tuple[str, ...],
    schema: Path | None,
    workers: int | None,
    address: str | None,
    as_json: bool,
) -> None:
    """Compare MASKED with ORIGINAL, two Parquet files of the same records in one order, as evosdc measure does."""
    from evosdc.cli.results import print_json
    from evosdc.cli.text import say
    from evosdc.plugins.registry import default_registry
    from evosdc_large import workers as cluster
    from evosdc_large.measure import measure_parquet, measures_of_counts

    registry = default_registry()
    names = listed(measures) if measures is not None else measures_of_counts(registry)
    chosen = _with_parameters(names or [], settings, "NAME")
    with cluster.workers(address, workers) as by:
        figures = measure_parquet(original, masked, listed(attributes), schema=schema, measures=chosen, by=by)
    if as_json:
        print_json(figures)
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("measure", "score", "kind", "what it is")
    for name in chosen:
        spec: Any = registry.spec("measure", name)
        table.add_row(name, f"{figures[name]:.4f}", spec.kind, spec.summary)
    Console().print(table)
    say(
        f"{figures['records']} records, {', '.join(figures['attributes'])}; missing values count by the rule "
        f"'{figures['missing_rule']}'."
    )


@large.command("mask")
@click.argument("method")
@click.argument("data", type=PATH)
@click.option("--attributes", required=True, metavar="A,B,...", help="What to mask.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A parameter of the method: k=3.")
@drawing_options
@click.option("-o", "--output", type=PATH, required=True, help="Parquet file to write.")
@schema_option
@workers_options
@force_option
@json_option
def large_mask(
    method: str,
    data: Path,
    attributes: str,
    settings: tuple[str, ...],
    key_file: Path | None,
    seed: int | None,
    output: Path,
    schema: Path | None,
    workers: int | None,
    address: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Mask columns of DATA, Parquet of any length, by pram, global-recoding, local-suppression or rank-swapping.

    A step of work: rows keep their order, and nothing is judged.
    """
    from evosdc.cli.inputs import require_apart
    from evosdc.cli.results import print_json
    from evosdc.cli.text import say
    from evosdc.secret import PUBLIC_SEED
    from evosdc_large import workers as cluster
    from evosdc_large.masking import IN_ORDER, mask_parquet

    require_apart(output, data, schema, key_file)
    with cluster.workers(address, workers) as by:
        changed = mask_parquet(
            data,
            method,
            output,
            listed(attributes) or [],
            schema=schema,
            seed=seed,
            key=key_file,
            by=by,
            force=force,
            params=parameters(settings),
        )
    not_for_release = [IN_ORDER, *([] if seed is None else [PUBLIC_SEED])]
    if as_json:
        document = {"output": str(output), "method": method, "seed": seed, "changed": changed}
        print_json(document | {"not_for_release": not_for_release})
        return
    say(f"Values changed: {', '.join(f'{name} {count}' for name, count in changed.items())}: {output}")
    for sentence in not_for_release:
        say(sentence)
