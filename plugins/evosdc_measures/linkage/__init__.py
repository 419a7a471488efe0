"""Disclosure risk by record linkage.

This module holds what the package offers and imports nothing heavy.
"""

from __future__ import annotations

from evosdc.specs import MeasureSpec

_HANDBOOK = "Domingo-Ferrer and Torra (2001); handbook chapter on disclosure risk and information loss"
_SCALES = ("nominal", "ordinal", "numeric")

SPECS: tuple[MeasureSpec, ...] = (
    MeasureSpec(
        name="dbrl",
        implementation="evosdc_measures.linkage.dbrl:DistanceBasedLinkage",
        summary="Distance-based record linkage, masked to original by default: share of records nearest to their own.",
        source=f"{_HANDBOOK}; credit for ties, mixed files: reconstruction",
        kind="dr",
        family="linkage",
        scales=_SCALES,
        default_for=("categorical", "numeric", "mixed", "claim"),
    ),
    MeasureSpec(
        name="prl",
        implementation="evosdc_measures.linkage.prl:ProbabilisticLinkage",
        summary="Probabilistic record linkage, masked to original by default: share linked to their own by EM weights.",
        source="Fellegi and Sunter (1969); Jaro (1989); credit for ties, classes of numbers: reconstruction",
        kind="dr",
        family="linkage",
        scales=_SCALES,
        default_for=("categorical", "claim"),
    ),
    MeasureSpec(
        name="rsrl",
        implementation="evosdc_measures.linkage.rsrl:RankSwappingLinkage",
        summary="Linkage specific to rank swapping, original to masked: nearest record within p per cent of all ranks.",
        source="Nin, Herranz and Torra (2008); the algorithm as it is known, credit for ties: reconstruction",
        kind="dr",
        family="linkage",
        scales=_SCALES,
    ),
)
