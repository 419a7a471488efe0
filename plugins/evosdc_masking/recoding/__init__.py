"""Recoding: categories merged, the same way for all records.

This module holds what the package offers and imports nothing heavy.
"""

from __future__ import annotations

from evosdc.specs import MaskingMethodSpec

SPECS: tuple[MaskingMethodSpec, ...] = (
    MaskingMethodSpec(
        name="global-recoding",
        implementation="evosdc_masking.recoding.global_recoding:GlobalRecoding",
        summary="The q least frequent categories of each attribute become one of them.",
        source="Domingo-Ferrer and Torra 2001; choice of the representative: reconstruction",
        scales=("nominal", "ordinal"),
    ),
    MaskingMethodSpec(
        name="top-coding",
        implementation="evosdc_masking.recoding.extreme_coding:TopCoding",
        summary="The q highest categories, or a share of the highest values, become one.",
        source="Domingo-Ferrer and Torra 2001; choice of the representative: reconstruction",
        scales=("ordinal", "numeric"),
    ),
    MaskingMethodSpec(
        name="bottom-coding",
        implementation="evosdc_masking.recoding.extreme_coding:BottomCoding",
        summary="The q lowest categories, or a share of the lowest values, become one.",
        source="Domingo-Ferrer and Torra 2001; choice of the representative: reconstruction",
        scales=("ordinal", "numeric"),
    ),
)
