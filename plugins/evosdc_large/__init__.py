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
    from evosdc.cli.options import Later

    cli.add_command(
        Later("large", "evosdc_large.command:large", "Files beyond memory: risk, measures, masking of Parquet.")
    )
