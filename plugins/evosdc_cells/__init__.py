"""The genotype `cells`: the protected file itself is evolved (thesis, chapter 3)."""

from collections.abc import Iterable

from evosdc.hookspecs import hookimpl
from evosdc.specs import GenotypeSpec


@hookimpl
def evosdc_genotypes() -> Iterable[GenotypeSpec]:
    """Offer `cells`."""
    yield GenotypeSpec(
        name="cells", implementation="evosdc_cells.cells:Cells",
        summary="The cells of the protected file, one gene each.",
        source="Mares (2013), ch. 3; k-ary and Gray coding as there, operators a reconstruction.",
        default_for=("experiment",),
    )  # fmt: skip
