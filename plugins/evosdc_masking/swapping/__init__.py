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
    MaskingMethodSpec(
        name="table-swapping", implementation="evosdc_masking.swapping.table_swapping:TableSwapping",
        summary="Values are swapped at random, then exchanged until tables of two and three attributes are kept.",
        source="Dalenius and Reiss 1982; Reiss 1984; random exchanges are a reconstruction",
        default_for=("categorical", "mixed"),
    ),
    MaskingMethodSpec(
        name="record-swapping", implementation="evosdc_masking.swapping.record_swapping:RecordSwapping",
        summary="Households that stand out exchange their places with similar ones elsewhere.",
        source="Shlomo, Tudor and Groom 2010; Eurostat's guidelines for the census of 2021; partners: reconstruction",
        scales=("nominal", "ordinal"),
    ),
    MaskingMethodSpec(
        name="shuffling", implementation="evosdc_masking.swapping.shuffling:Shuffling",
        summary="Values go to other records in the order that a model given predictors says; marginals are kept.",
        source="Muralidhar and Sarathy 2005, 2006; normal scores: reconstruction", scales=("numeric",),
    ),
)  # fmt: skip
