"""``evosdc init``."""

from __future__ import annotations

from pathlib import Path

import click

from evosdc.cli.options import PATH


@click.command()
@click.argument("data", type=PATH)
@click.option("-o", "--output", type=PATH, default=Path("schema.toml"), show_default=True, metavar="SCHEMA.toml")
@click.option("--force", is_flag=True, help="Replace an existing schema file.")
def init(data: Path, output: Path, force: bool) -> None:
    """Look at DATA and propose roles, scales and categories in a schema file for you to edit."""
    from evosdc.data.schema_file import dump_schema
    from evosdc.data.source import check_writable, read_source
    from evosdc.errors import Fault, SchemaError

    if output.exists() and not force:
        raise SchemaError(Fault(str(output), "a file that exists", "a new file", "Choose another, or add --force."))
    check_writable(output)
    source = read_source(data)
    dump_schema(source.table.schema, output, source.notes)
    for note in source.notes:
        click.echo(f"- {note}")
    click.echo(f"Wrote {output}: read it, correct it, then run: evosdc protect {data} --schema {output}")
