"""Suppression of values.

This module holds what the package offers and imports nothing heavy.
"""

from evosdc.specs import MaskingMethodSpec

SPECS: tuple[MaskingMethodSpec, ...] = (
    MaskingMethodSpec(
        name="local-suppression", implementation="evosdc_masking.suppression.local_suppression:LocalSuppression",
        summary="Suppresses few values, the unimportant ones first, until every record is like k.",
        source="Samarati and Sweeney 1998; Willenborg and De Waal 2001; heuristics: reconstruction",
        guarantees=(("k-anonymity", "k"),), default_for=("assurance",),
    ),
)  # fmt: skip
