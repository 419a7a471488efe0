from __future__ import annotations

from evosdc.model import MaskingMethod
from evosdc.testing import MaskingMethodConformance
from evosdc_masking.suppression.local_suppression import LocalSuppression
from tests.plugins.masking.tables import build


class TestByTheSchema(MaskingMethodConformance):
    deterministic = True
    keeps_links = False  # in a small file nearly all values of many categories are suppressed

    def method(self) -> MaskingMethod:
        return build(LocalSuppression, k=3)


class TestWildcards(MaskingMethodConformance):
    deterministic = True

    def method(self) -> MaskingMethod:
        return build(LocalSuppression, k=2, missing="wildcard")
