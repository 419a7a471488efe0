"""Recoding: categories merged, the same way for all records.

This module holds what the package offers and imports nothing heavy.
"""

from evosdc.specs import MaskingMethodSpec

SPECS: tuple[MaskingMethodSpec, ...] = (
    MaskingMethodSpec(
        name="global-recoding", implementation="evosdc_masking.recoding.global_recoding:GlobalRecoding",
        summary="Values are merged for all records: the q rarest, by hierarchy level, by own groups, or by intervals.",
        source="Willenborg and de Waal 2001; q: Domingo-Ferrer and Torra 2001; representatives: reconstruction",
    ),
    MaskingMethodSpec(
        name="top-coding", implementation="evosdc_masking.recoding.extreme_coding:TopCoding",
        summary="The highest values become one: q categories, a share of the records, or all from a value on.",
        source="Domingo-Ferrer and Torra 2001; shares and representatives: reconstruction",
        scales=("ordinal", "numeric"),
    ),
    MaskingMethodSpec(
        name="bottom-coding", implementation="evosdc_masking.recoding.extreme_coding:BottomCoding",
        summary="The lowest values become one: q categories, a share of the records, or all up to a value.",
        source="Domingo-Ferrer and Torra 2001; shares and representatives: reconstruction",
        scales=("ordinal", "numeric"),
    ),
)  # fmt: skip
