"""What post-randomisation promises by itself, whatever an intruder knows."""

from collections.abc import Mapping
from math import isfinite
from typing import Any, ClassVar

from evosdc.model import IntruderView, PrivacyModel
from evosdc.randomisation.local_privacy import epsilon


class LocalDifferentialPrivacy(PrivacyModel):
    """Local differential privacy of the matrices that a file was post-randomised by (Kasiviswanathan et al. 2011).

    ``epsilon = max_l ln (max_k p_kl / min_k p_kl)`` over the values that occurred; attributes are randomised
    independently, so their epsilons add up. None is infinity: some published value gives an original one away. With
    epsilon 0 the published values tell nothing.
    """

    headline: ClassVar[str] = "epsilon"
    larger_is_safer: ClassVar[bool] = False

    def lacking(self, view: IntruderView) -> str:
        """Return that matrices are needed where there are none."""
        return "" if view.transitions else "transition matrices of a post-randomisation"

    def assess(self, view: IntruderView) -> Mapping[str, Any]:
        """Return epsilon in all and by attribute."""
        assert view.transitions is not None
        found = {name: epsilon(rows) for name, rows in view.transitions.items()}
        return {
            "epsilon": _finite(sum(found.values())),
            "attributes": {name: _finite(value) for name, value in found.items()},
        }

    def in_words(self, figures: Mapping[str, Any]) -> str:
        """Return epsilon in a sentence."""
        if figures["epsilon"] is None:
            names = ", ".join(name for name, value in figures["attributes"].items() if value is None)
            return f"no guarantee: some published values of {names} rule original ones out"
        return f"epsilon = {figures['epsilon']:.3f} for the randomised attributes together"


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
