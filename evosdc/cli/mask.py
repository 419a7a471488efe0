"""``evosdc mask``."""

from __future__ import annotations

import json
from pathlib import Path

import click

from evosdc.cli.options import PATH, attributes_option, listed, parameters, schema_option


@click.command()
@click.argument("method")
@click.argument("data", type=PATH)
@schema_option
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A parameter of the method: k=3.")
@attributes_option("What to mask; default: the quasi-identifiers.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True)
@click.option("-o", "--output", type=PATH, required=True, metavar="MASKED.csv")
def mask(
    method: str,
    data: Path,
    schema: Path | None,
    settings: tuple[str, ...],
    attributes: str | None,
    seed: int,
    output: Path,
) -> None:
    """Mask DATA by METHOD and write the protected file with a manifest of what was done."""
    from evosdc._version import __version__
    from evosdc.api import chosen_attributes
    from evosdc.api import mask as masked_table
    from evosdc.data.files import write_text
    from evosdc.data.source import check_writable, read_source
    from evosdc.errors import FaultCollector
    from evosdc.registry import default_registry

    params = parameters(settings)
    registry = default_registry()
    collect = FaultCollector()
    with collect.step():
        registry.build("masking-method", method, params)
    with collect.step():
        check_writable(output)
    with collect.step():
        source = read_source(data, schema)
    collect.settle()
    chosen = chosen_attributes(source.table.schema, listed(attributes))
    masked = masked_table(source.table, method, attributes=chosen, seed=seed, **params)
    written = source.write(output, masked.select(chosen))
    manifest = output.with_name(f"{output.stem}.manifest.json")
    document = {
        "method": method,
        "provider": registry.provider("masking-method", method),
        "evosdc": __version__,
        "parameters": params,
        "seed": seed,
        "missing_rule": str(source.table.schema.na),
        "records": len(masked),
        "changed": dict(written.changed),
        "dropped_identifiers": list(written.dropped),
    }
    write_text(manifest, json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    changed = ", ".join(f"{name} {count}" for name, count in written.changed.items())
    click.echo(f"{method}: {len(masked)} records, cells changed: {changed}. Wrote {output} and {manifest.name}.")
    if written.dropped:
        click.echo(f"Identifiers left out: {', '.join(written.dropped)}.")
