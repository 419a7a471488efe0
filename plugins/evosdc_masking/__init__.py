"""Masking methods, and the portfolios that start a search.

Importing this package loads nothing but hooks; each method stands in a module of its own and is imported when it is
used.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from evosdc.hookspecs import hookimpl
from evosdc.specs import MaskingMethodSpec, PortfolioSpec
from evosdc_masking import (
    anonymity,
    compression,
    microaggregation,
    noise,
    outliers,
    post_randomisation,
    recoding,
    suppression,
    swapping,
    synthesis,
)

if TYPE_CHECKING:
    import click

_FAMILIES = (
    post_randomisation, microaggregation, anonymity, swapping, recoding, suppression, noise, outliers, compression,
    synthesis,
)  # fmt: skip


@hookimpl
def evosdc_masking_methods() -> Iterator[MaskingMethodSpec]:
    """Offer the masking methods of this package, family by family."""
    for family in _FAMILIES:
        yield from family.SPECS


@hookimpl
def evosdc_portfolios() -> Iterator[PortfolioSpec]:
    """Offer the portfolios of this package."""
    yield PortfolioSpec(
        name="categorical", implementation="evosdc_masking.portfolio:categorical",
        summary="PRAM, rank swapping, MDAV, top and bottom coding, global recoding, each over a range of parameters.",
        source="Families of Torra 2004; ranges of the parameters: reconstruction", default_for=("categorical",),
    )  # fmt: skip
    yield PortfolioSpec(
        name="numeric", implementation="evosdc_masking.numeric_portfolio:numeric",
        summary="Rank swapping, microaggregation of five kinds, noise and JPEG, each over a range of parameters.",
        source="Families of Domingo-Ferrer and Torra 2001; some ranges of the parameters: reconstruction",
        default_for=("numeric",),
    )  # fmt: skip
    yield PortfolioSpec(
        name="mixed", implementation="evosdc_masking.mixed_portfolio:mixed",
        summary="Rank swapping, MDAV and Mondrian of all attributes, then methods for categories and for numbers.",
        source="reconstruction", default_for=("mixed",),
    )  # fmt: skip


@hookimpl
def evosdc_commands(cli: "click.Group") -> None:
    """Add ``evosdc estimate``, ``evosdc table`` and ``evosdc households``."""
    from evosdc.cli.options import Later

    cli.add_command(
        Later(
            "estimate",
            "evosdc_masking.command:estimate",
            "Estimate original counts from a file masked by PRAM.",
        )
    )
    cli.add_command(
        Later(
            "table",
            "evosdc_masking.command:table",
            "A frequency table with noise by cell keys, to publish beside a file.",
        )
    )
    cli.add_command(
        Later("households", "evosdc_masking.command:households", "A file of persons as one of households, and back.")
    )
