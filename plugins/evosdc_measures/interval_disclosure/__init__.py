"""Interval disclosure: original values close to the published ones.

This module holds what the package offers and imports nothing heavy.
"""

from __future__ import annotations

from evosdc.specs import MeasureSpec

SPECS: tuple[MeasureSpec, ...] = (
    MeasureSpec(
        name="id",
        implementation="evosdc_measures.interval_disclosure.interval:IntervalDisclosure",
        summary="Interval disclosure: original values within p per cent of ranks of the masked one, p = 1..10.",
        source="Domingo-Ferrer and Torra (2001); for categories: reconstruction",
        kind="dr",
        family="interval",
        scales=("nominal", "ordinal", "numeric"),
    ),
)
