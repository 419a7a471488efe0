"""Files with a proof: evolution on private tables. Importing this package loads nothing but hooks."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from evosdc.hookspecs import hookimpl
from evosdc.specs import MeasureSpec, OperatorSpec

if TYPE_CHECKING:
    import click


@hookimpl
def evosdc_measures() -> Iterator[MeasureSpec]:
    """Offer `private-tables`."""
    yield MeasureSpec(
        name="private-tables",
        implementation="evosdc_certified.measure:PrivateMisfit",
        summary="How far a file is from noisy tables of an original, over their noise; 50 as expected.",
        scales=("nominal", "ordinal", "numeric"),
        source="reconstruction: the squared misfit of Liu, Vietri, Wu (2023), over the variance of the noise",
    )


@hookimpl
def evosdc_operators() -> Iterator[OperatorSpec]:
    """Offer `private-tables-annealing`."""
    yield OperatorSpec(
        name="private-tables-annealing",
        implementation="evosdc_certified.annealing:annealed",
        summary="Many small moves towards noisy tables, accepted by a falling temperature; for cells.",
    )


@hookimpl
def evosdc_commands(cli: "click.Group") -> None:
    """Add ``evosdc certify``."""
    from evosdc.cli.options import Later

    text, place = "Make a file with a proof: differentially private.", "evosdc_certified"
    cli.add_command(Later("certify", f"{place}.command:certify", text, f"{place}.options:CertifyOptions"))
