"""The workbench: evosdc in a browser, on this computer alone.

It shows what commands say, and begins commands; it has no logic of its own. Importing this package loads nothing but
hooks.
"""

from typing import TYPE_CHECKING

from evosdc.hookspecs import hookimpl

if TYPE_CHECKING:
    import click


@hookimpl
def evosdc_commands(cli: "click.Group") -> None:
    """Add ``evosdc app``."""
    from evosdc.cli.options import Later

    cli.add_command(
        Later("app", "evosdc_app.command:app", "Open the workbench in a browser.", "evosdc_app.command:AppOptions")
    )
