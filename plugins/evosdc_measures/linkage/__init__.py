"""Disclosure risk by record linkage.

This module holds what the package offers and imports nothing heavy.
"""

from __future__ import annotations

from evosdc.specs import MeasureSpec

_HANDBOOK = "Domingo-Ferrer and Torra (2001); handbook chapter on disclosure risk and information loss"

SPECS: tuple[MeasureSpec, ...] = (
    MeasureSpec(
        name="dbrl",
        implementation="evosdc_measures.linkage.dbrl:DistanceBasedLinkage",
        summary="Distance-based record linkage: share of records whose nearest counterpart is their own.",
        source=f"{_HANDBOOK}; credit for ties: reconstruction",
        kind="dr",
        family="linkage",
    ),
    MeasureSpec(
        name="prl",
        implementation="evosdc_measures.linkage.prl:ProbabilisticLinkage",
        summary="Probabilistic record linkage: share of records linked to their own by agreement weights from EM.",
        source="Fellegi and Sunter (1969); Jaro (1989); credit for ties: reconstruction",
        kind="dr",
        family="linkage",
    ),
)
