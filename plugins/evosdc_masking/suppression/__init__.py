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
    MaskingMethodSpec(
        name="risk-suppression", implementation="evosdc_masking.suppression.risk_suppression:RiskSuppression",
        summary="Values of records with an individual risk above a threshold are suppressed, one attribute at a time.",
        source="localSupp of sdcMicro; risk: Benedetti and Franconi 1998",
    ),
)  # fmt: skip
