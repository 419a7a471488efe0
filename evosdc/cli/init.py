"""``evosdc init``."""

import shlex
from pathlib import Path

import click

from evosdc.cli.options import PATH


@click.command()
@click.argument("data", type=PATH)
@click.option("-o", "--output", type=PATH, default=Path("schema.toml"), show_default=True, metavar="SCHEMA.toml")
@click.option("--force", is_flag=True, help="Replace an existing schema file.")
def init(data: Path, output: Path, force: bool) -> None:
    """Look at DATA and propose roles, scales and categories in a schema file for you to edit."""
    from evosdc.cli.inputs import require_apart
    from evosdc.cli.text import say
    from evosdc.errors import Fault, SchemaError
    from evosdc.files.schema.schema_reader import dump_schema
    from evosdc.files.source import read_source

    if output.exists() and not force:
        raise SchemaError(Fault(str(output), "a file that exists", "a new file", "Choose another, or add --force."))
    require_apart(output, data)
    source = read_source(data)
    dump_schema(source.table.schema, output, source.notes)
    for note in source.notes:
        say(f"- {note}")
    say(
        "Risk is judged by role: masked quasi-identifiers, which an intruder knows, by linkage; masked attributes of "
        "the role sensitive by what an intruder learns about them."
    )
    follow = shlex.join(["evosdc", "protect", str(data), "--schema", str(output)])
    say(f"Wrote {output}: read it, correct it, then run: {follow}")
