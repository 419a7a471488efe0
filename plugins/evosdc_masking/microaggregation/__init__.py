"""Microaggregation: classes of similar records share their average.

This module holds what the package offers and imports nothing heavy.
"""

from evosdc.specs import MaskingMethodSpec

SPECS: tuple[MaskingMethodSpec, ...] = (
    MaskingMethodSpec(
        name="mdav", implementation="evosdc_masking.microaggregation.mdav:Mdav",
        summary="Multivariate microaggregation: classes of at least k similar records share their average.",
        source="MDAV-generic, Domingo-Ferrer and Torra 2005; convex median and treatment of missing values: "
        "reconstruction",
        default_for=("anonymity",),
    ),
    MaskingMethodSpec(
        name="univariate-microaggregation",
        implementation="evosdc_masking.microaggregation.univariate:UnivariateMicroaggregation",
        summary="Each attribute on its own in the optimal classes of at least k values, which share their average.",
        source="Hansen and Mukherjee 2003; ordinal attributes and missing values: reconstruction",
        scales=("ordinal", "numeric"),
    ),
    MaskingMethodSpec(
        name="individual-ranking", implementation="evosdc_masking.microaggregation.univariate:IndividualRanking",
        summary="Each attribute on its own sorted and cut in runs of k values, which share their average.",
        source="Defays and Nanopoulos 1993; missing values: reconstruction", scales=("ordinal", "numeric"),
    ),
    MaskingMethodSpec(
        name="projected-microaggregation",
        implementation="evosdc_masking.microaggregation.projected:ProjectedMicroaggregation",
        summary="Records in the order of their first principal component or sum of z-scores, in the best runs of k.",
        source="Torra, Privacy in Data Mining, algorithm 2; missing values: reconstruction", scales=("numeric",),
    ),
)  # fmt: skip
