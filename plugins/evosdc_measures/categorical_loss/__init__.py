"""Information loss of categorical attributes.

This module holds what the package offers and imports nothing heavy.
"""

from __future__ import annotations

from evosdc.specs import MeasureSpec

_HANDBOOK = "Domingo-Ferrer and Torra (2001); handbook chapter on disclosure risk and information loss"

SPECS: tuple[MeasureSpec, ...] = (
    MeasureSpec(
        name="dbil",
        implementation="evosdc_measures.categorical_loss.dbil:DistanceBasedLoss",
        summary="Distance-based information loss: mean distance between original and masked categories.",
        source=_HANDBOOK,
        kind="il",
    ),
    MeasureSpec(
        name="ctbil",
        implementation="evosdc_measures.categorical_loss.ctbil:ContingencyTableLoss",
        summary="Contingency-table-based information loss: cells moved in all tables of up to K attributes.",
        source=f"{_HANDBOOK}; bounded normalisation: reconstruction",
        kind="il",
    ),
    MeasureSpec(
        name="ebil",
        implementation="evosdc_measures.categorical_loss.ebil:EntropyBasedLoss",
        summary="Entropy-based information loss: uncertainty about the original category given the masked one.",
        source=f"{_HANDBOOK}; estimate from the data and normalisation: reconstruction",
        kind="il",
    ),
)
