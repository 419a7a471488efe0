"""The limit: a lower bound of information loss and disclosure risk that no masked file beats.

`evosdc_limit.bound.limit_of` is the function to call from Python. Importing this package loads nothing but hooks.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from evosdc.hookspecs import hookimpl
from evosdc.specs import LimitSpec, MaskingMethodSpec

if TYPE_CHECKING:
    import click


@hookimpl
def evosdc_masking_methods() -> Iterable[MaskingMethodSpec]:
    """Offer `optimal-channel`."""
    yield MaskingMethodSpec(
        name="optimal-channel",
        implementation="evosdc_limit.method:OptimalChannel",
        summary="Each attribute by the transitions of least loss and risk, two-way tables kept as far as can be.",
        source="reconstruction: the limit of evosdc, derived for it",
        scales=("nominal", "ordinal"),
    )


@hookimpl
def evosdc_limits() -> Iterable[LimitSpec]:
    """Offer the limit of searches whose DR has guesses."""
    yield LimitSpec(
        name="guesses",
        implementation="evosdc_limit.offer:guesses_limit",
        summary="What no masked file beats in loss of categories and in what an intruder guesses.",
        source="derived for evosdc",
        il=("dbil", "ctbil", "ebil"),
        dr=("best-guess", "dbrl"),
    )


@hookimpl
def evosdc_commands(cli: "click.Group") -> None:
    """Add ``evosdc limit``."""
    from evosdc.cli.options import Later

    text, place = "Compute a bound for IL and DR that no masked file beats.", "evosdc_limit"
    cli.add_command(Later("limit", f"{place}.command:limit", text, f"{place}.command:LimitOptions"))
