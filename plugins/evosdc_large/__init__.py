"""Files beyond one machine's memory: risk, measures and masking of Parquet files by their distinct records.

Files are read block by block, here or by the workers of a Dask cluster; figures rest on distinct records with counts,
which add up exactly, so the workers do not change the result. `evosdc_large.risk.risk_of_parquet` and its like are the
functions to call from Python. Importing this package loads nothing but hooks.
"""

from typing import TYPE_CHECKING

from evosdc.hookspecs import hookimpl

if TYPE_CHECKING:
    import click


@hookimpl
def evosdc_commands(cli: "click.Group") -> None:
    """Add ``evosdc large``."""
    from evosdc.cli import Subcommands
    from evosdc.cli.options import Later

    text = (
        "Judge and mask Parquet files that do not fit into memory, block by block, here or on a Dask cluster.\n\n"
        "All rests on distinct records with counts; figures and files do not depend on the workers."
    )
    group = Subcommands("large", help=text, short_help="Files beyond memory: risk, measures, masking of Parquet.")
    for name in ("risk", "measure", "mask"):
        place = "evosdc_large.command"
        group.add_command(Later(name, f"{place}:large_{name}", "", f"{place}:Large{name.title()}Options"))
    cli.add_command(group)
