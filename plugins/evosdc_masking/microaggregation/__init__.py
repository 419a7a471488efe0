"""Microaggregation: classes of similar records share their average.

This module holds what the package offers and imports nothing heavy.
"""

from __future__ import annotations

from evosdc.specs import MaskingMethodSpec

SPECS: tuple[MaskingMethodSpec, ...] = (
    MaskingMethodSpec(
        name="mdav",
        implementation="evosdc_masking.microaggregation.mdav:Mdav",
        summary="Multivariate microaggregation: classes of at least k similar records share their average.",
        source="MDAV-generic, Domingo-Ferrer and Torra 2005; treatment of missing values: reconstruction",
    ),
)
