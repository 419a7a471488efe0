"""Post-randomisation: values redrawn by transition matrices.

This module holds what the package offers and imports nothing heavy.
"""

from evosdc.specs import MaskingMethodSpec

SPECS: tuple[MaskingMethodSpec, ...] = (
    MaskingMethodSpec(
        name="pram", implementation="evosdc_masking.post_randomisation.pram:Pram",
        summary="Post-randomisation: each value is redrawn from the row of a transition matrix.",
        source="De Wolf and Van Gelder (design a); Gouweleeuw et al., Domingo-Ferrer and Torra 2001 (b); Shlomo and "
        "De Waal 2006 (two-stage); Gross et al. 2004 (preference), bounds of its diagonal: reconstruction",
        scales=("nominal", "ordinal"),
    ),
)  # fmt: skip
