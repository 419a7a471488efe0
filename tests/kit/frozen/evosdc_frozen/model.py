"""The privacy model `frozen-privacy-model`."""

from collections.abc import Mapping
from typing import Any

from evosdc.model import IntruderView, PrivacyModel


class FrozenModel(PrivacyModel):
    """Percentage of records that match no other one."""

    headline = "alone"
    larger_is_safer = False

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return the figures by name, free of records."""
        matching, _ = view.frequencies
        alone = int(view.classes.counts[matching == 1].sum())
        return {"alone": 100.0 * alone / len(view.table)}

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return what the figures mean."""
        return f"{figures['alone']:.1f} % of the records match no other one."
