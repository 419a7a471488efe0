"""The genotype `recipes`: protection plans are evolved, short sequences of masking methods with their parameters.

This module holds the hooks alone and imports nothing heavy.
"""

from collections.abc import Iterator

from evosdc.hookspecs import hookimpl
from evosdc.specs import GenotypeSpec


@hookimpl
def evosdc_genotypes() -> Iterator[GenotypeSpec]:
    """Offer `recipes`."""
    yield GenotypeSpec(
        name="recipes", implementation="evosdc_recipes.recipes:Recipes",
        summary="Protection plans: short sequences of masking methods, each with parameters, attributes and strata.",
        source="evosdc's own.",
        default_for=("plan",),
    )  # fmt: skip
