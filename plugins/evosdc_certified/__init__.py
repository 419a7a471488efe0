"""Files with a proof: evolution on private tables. Importing this package loads nothing but hooks."""

from typing import TYPE_CHECKING

from evosdc.hookspecs import hookimpl

if TYPE_CHECKING:
    import click


@hookimpl
def evosdc_commands(cli: "click.Group") -> None:
    """Add ``evosdc certify``."""
    from evosdc_certified.command import certify

    cli.add_command(certify)
