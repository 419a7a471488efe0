"""Synthetic values drawn from models of the original.

This module holds what the package offers and imports nothing heavy.
"""

from evosdc.specs import MaskingMethodSpec

_HANDBOOK = "after the Handbook on Statistical Disclosure Control"

SPECS: tuple[MaskingMethodSpec, ...] = (
    MaskingMethodSpec(
        name="ipso", implementation="evosdc_masking.synthesis.ipso:Ipso",
        summary="Synthetic values by regression on confidential attributes; c keeps coefficients and covariances.",
        source=f"Burridge 2003, {_HANDBOOK}; treatment of missing values: reconstruction", scales=("numeric",),
    ),
    MaskingMethodSpec(
        name="liew", implementation="evosdc_masking.synthesis.liew:Liew",
        summary="Draws from each attribute's fitted distribution, given out by rank.",
        source=f"Liew, Choi and Liew 1985, {_HANDBOOK}; families of densities, categories: reconstruction",
    ),
)  # fmt: skip
