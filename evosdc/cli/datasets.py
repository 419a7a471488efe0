"""``evosdc datasets``."""

import click

from evosdc.cli.options import takes_options
from evosdc.options.data import FetchOptions
from evosdc.options.shared import JsonOptions


@click.group(invoke_without_command=True)
@click.pass_context
def datasets(context: click.Context) -> None:
    """List the known data sets or the attributes of one, or fetch one."""
    if context.invoked_subcommand is None:
        context.invoke(list_datasets, as_json=False)


@datasets.command("list")
@takes_options(JsonOptions)
def list_datasets(options: JsonOptions) -> None:
    """List the data sets, their size and licence, and whether they are at hand."""
    from evosdc.datasets.storage import locate
    from evosdc.plugins.registry import default_registry

    registry = default_registry()
    rows = []
    for name in registry.names("dataset"):
        spec = registry.spec("dataset", name)
        rows.append(
            {
                "name": name,
                "records": spec.records,  # type: ignore[attr-defined]
                "attributes": spec.attributes,  # type: ignore[attr-defined]
                "licence": spec.licence,  # type: ignore[attr-defined]
                "at_hand": locate(spec) is not None,  # type: ignore[arg-type]
                "summary": spec.summary,
            }
        )
    if options.as_json:
        import json

        click.echo(json.dumps({"datasets": rows}, ensure_ascii=False))
        return
    width = max(len(str(row["name"])) for row in rows)
    for row in rows:
        state = "at hand" if row["at_hand"] else "to fetch"
        click.echo(f"{row['name']:<{width}}  {row['records']:>7} x {row['attributes']:<3} {state:<9} {row['summary']}")


@datasets.command()
@click.argument("name")
@takes_options(FetchOptions)
def fetch(name: str, options: FetchOptions) -> None:
    """Find data set NAME in EVOSDC_DATA or the cache, or download it, and check it."""
    from evosdc.cli.inputs import files_behind, require_apart
    from evosdc.datasets.loading import load_dataset
    from evosdc.files.atomic import require_unused
    from evosdc.plugins.registry import default_registry

    source = load_dataset(default_registry().spec("dataset", name))  # type: ignore[arg-type]
    output = options.output
    if output is not None:
        require_apart(output, *files_behind(source, name))
        require_unused(output, replace=options.force)
    click.echo(f"{name}: {len(source.table)} records, {len(source.table.schema)} attributes, from {source.origin}")
    if output is not None:
        source.write(output, source.table, drop_identifiers=False)
        click.echo(f"Wrote {output}")


@datasets.command()
@click.argument("name")
@takes_options(JsonOptions)
def attributes(name: str, options: JsonOptions) -> None:
    """List the attributes of data set NAME with their roles, scales and numbers of different values."""
    import json

    import numpy as np

    from evosdc.cli.text import print_rows
    from evosdc.datasets.loading import load_dataset
    from evosdc.plugins.registry import default_registry

    table = load_dataset(default_registry().spec("dataset", name)).table  # type: ignore[arg-type]
    rows = []
    for attribute in table.schema.attributes:
        column = table.column(attribute.name)
        present = column[column >= 0] if attribute.categorical else column[~np.isnan(column)]
        counts = {"values": len(np.unique(present)), "missing": len(column) - len(present)}
        rows.append(
            {"attribute": attribute.name, "role": attribute.role.value, "scale": attribute.scale.value} | counts
        )
    if options.as_json:
        click.echo(json.dumps({"name": name, "attributes": rows}, ensure_ascii=False))
        return
    alignments = {"attribute": "left", "role": "left", "scale": "left", "values": "right", "missing": "right"}
    print_rows(alignments, [[str(cell) for cell in row.values()] for row in rows], f"{name}: {len(table)} records")
