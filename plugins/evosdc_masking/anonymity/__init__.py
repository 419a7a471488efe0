"""Partitions for k-anonymity: cuts and clusterings of at least k records.

This module holds what the package offers and imports nothing heavy.
"""

from __future__ import annotations

from evosdc.specs import MaskingMethodSpec

SPECS: tuple[MaskingMethodSpec, ...] = (
    MaskingMethodSpec(
        name="mondrian",
        implementation="evosdc_masking.anonymity.mondrian:Mondrian",
        summary="Cuts at medians as long as parts keep k records; each part publishes its average.",
        source="LeFevre, DeWitt and Ramakrishnan 2006; nominal attributes by the order of their codes: reconstruction",
    ),
)
