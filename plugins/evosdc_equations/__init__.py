"""The genotype `equations`: genetic programming of the equation that fills PRAM matrices (thesis, 4.2)."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from evosdc.hookspecs import hookimpl
from evosdc.specs import FitnessSpec, GenotypeSpec

if TYPE_CHECKING:
    import click


@hookimpl
def evosdc_genotypes() -> Iterable[GenotypeSpec]:
    """Offer `equations`."""
    yield GenotypeSpec(
        name="equations", implementation="evosdc_equations.genotype:Equations",
        summary="An equation of frequencies that fills the PRAM matrix of every attribute.",
        source="Mares (2013), 4.2 (outline) and 2.2 (operators); terminals, functions and decoding a reconstruction.",
        scales=("nominal", "ordinal"),
    )  # fmt: skip


@hookimpl
def evosdc_fitnesses() -> Iterable[FitnessSpec]:
    """Offer parsimony."""
    yield FitnessSpec(
        name="parsimony", implementation="evosdc_equations.parsimony:Parsimony",
        summary="Mean or max of IL and DR, and the size of the equation as a second objective.",
        source="Parsimony pressure of genetic programming; this form is a reconstruction.",
    )  # fmt: skip


@hookimpl
def evosdc_commands(cli: "click.Group") -> None:
    """Add ``evosdc equation``."""
    from evosdc.cli.options import Later

    text, place = "Print the equations that a run found.", "evosdc_equations"
    cli.add_command(Later("equation", f"{place}.command:equation", text, f"{place}.command:EquationOptions"))
