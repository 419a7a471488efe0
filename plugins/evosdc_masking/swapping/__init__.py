"""Swapping of values between records.

This module holds what the package offers and imports nothing heavy.
"""

from evosdc.specs import MaskingMethodSpec

SPECS: tuple[MaskingMethodSpec, ...] = (
    MaskingMethodSpec(
        name="rank-swapping", implementation="evosdc_masking.swapping.rank_swapping:RankSwapping",
        summary="Values of each attribute are swapped between records at most p percent of the ranks apart.",
        source="Moore 1996; as in the Handbook on Statistical Disclosure Control",
    ),
)  # fmt: skip
