"""The command `greet`."""

import click


@click.command()
@click.argument("name", default="stranger")
def greet(name: str) -> None:
    """Say hello."""
    click.echo(f"hello, {name}")
