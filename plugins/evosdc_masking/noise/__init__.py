"""Noise added to, or multiplied with, numbers, and moved dates.

This module holds what the package offers and imports nothing heavy.
"""

from evosdc.specs import MaskingMethodSpec

_HANDBOOK = "Handbook on Statistical Disclosure Control"

SPECS: tuple[MaskingMethodSpec, ...] = (
    MaskingMethodSpec(
        name="noise", implementation="evosdc_masking.noise.additive:UncorrelatedNoise",
        summary="Independent normal noise on each attribute: keeps means and covariances in expectation.",
        source=f"{_HANDBOOK}; Brand 2002", scales=("numeric",),
    ),
    MaskingMethodSpec(
        name="correlated-noise", implementation="evosdc_masking.noise.additive:CorrelatedNoise",
        summary="Normal noise with the covariances of the data: keeps means and correlations in expectation.",
        source=f"{_HANDBOOK}; Brand 2002; covariances where values are missing: reconstruction", scales=("numeric",),
    ),
    MaskingMethodSpec(
        name="linear-transform-noise", implementation="evosdc_masking.noise.additive:LinearTransformNoise",
        summary="Correlated noise, then shrinking towards the means: keeps means and covariances in expectation.",
        source=f"Kim 1986, after the {_HANDBOOK}; covariances where values are missing: reconstruction",
        scales=("numeric",),
    ),
    MaskingMethodSpec(
        name="multiplicative-noise", implementation="evosdc_masking.noise.multiplicative:MultiplicativeNoise",
        summary="Random factors around 1 for each cell, or two-component factors for each record.",
        source=f"Hoehne 2004, after the {_HANDBOOK}; lognormal factors of the basic form: reconstruction",
        scales=("numeric",),
    ),
    MaskingMethodSpec(
        name="romm", implementation="evosdc_masking.noise.orthogonal:OrthogonalMasking",
        summary="Random orthogonal matrix masking: records are turned, means and covariances kept exactly.",
        source="Ting, Fienberg and Trottini 2008; distribution of the matrix: reconstruction", scales=("numeric",),
    ),
    MaskingMethodSpec(
        name="date-shift", implementation="evosdc_masking.noise.date_shift:DateShift",
        summary="Moves all dates of a record by the same random number of days: keeps the times between them.",
        source="Hripcsak et al. 2016; the nearest day that occurs: reconstruction", scales=("ordinal",),
    ),
)  # fmt: skip
